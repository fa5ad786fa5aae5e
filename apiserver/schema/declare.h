// Built-in types as tables. A line is a type: "Name: field field ..." (continued by indented lines; "Name#:"
// is merged as a whole). "@package" starts a package. A field is a name and, in this order, without spaces:
//   []            a list;  {a,b} merged as a map by these keys;  {set} a set;  <a> strategic merge by this
//   key;  <> as a set ~             strategic patches of it may say $retainKeys #             merged as a
//   whole :type         another type than string: bool int32 int64 double intstr quantity bytes time time0
//   microtime any map(type) ! or ?        always there, even when empty; or there once it was given =value
//   the default: text, or JSON where the type is not string
// Types are looked up in their own package, then in the core group, then in the metadata package. Immutable
// once made.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

class TypeTables {
 public:
  explicit TypeTables(const std::vector<std::string_view>& texts);

  // "io.k8s.api.core.v1.Pod"; never null: an unknown name is a broken table and throws.
  SchemaPtr type(const std::string& full_name) const { return built_.at(full_name); }
  const std::map<std::string, SchemaPtr>& types() const { return built_; }

 private:
  SchemaPtr build(const std::string& full_name);
  SchemaPtr field_type(const std::string& package, std::string_view name);
  SchemaPtr field(const std::string& package, std::string_view token);
  std::string full_name(const std::string& package, std::string_view name) const;

  struct Line {
    std::string package = {};
    std::string fields = {};
    bool atomic = false;
  };
  std::map<std::string, Line> lines_ = {};  // by full name
  std::map<std::string, SchemaPtr> built_ = {};
};

}  // namespace capstan::apiserver
