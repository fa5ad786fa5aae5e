// A set of field paths: what one manager owns of an object. A path is a row of elements in the spelling of
// fieldsV1: "f:name" (a field), "k:{...}" (an item of a list-map by its keys), "v:..." (an item of a set by
// its value). Plain value.
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::apiserver {

using FieldPath = std::vector<std::string>;

struct FieldSet {
  std::set<std::string, std::less<>> members = {};
  std::map<std::string, FieldSet, std::less<>> children = {};

  bool empty() const;
  bool has(const FieldPath& path) const;
  void insert(const FieldPath& path);  // the empty path means the whole object, which has no owner
  const FieldSet* child(std::string_view element) const;

  FieldSet operator|(const FieldSet& other) const;
  FieldSet operator&(const FieldSet& other) const;
  FieldSet operator-(const FieldSet& other) const;  // a parent does not take its children along
  // Without what lies below any member of `other`, and without those members.
  FieldSet without_subtrees(const FieldSet& other) const;

  void each(const std::function<void(const FieldPath&)>& visit) const;
  bool operator==(const FieldSet&) const = default;
};

std::string field_element(std::string_view name);  // "f:name"

// The fieldsV1 form; a text that is none gives nothing.
boost::json::object to_fields_v1(const FieldSet& set);
std::optional<FieldSet> from_fields_v1(const boost::json::value& fields);

// As conflicts name a path: .spec.items[name="x"].value
std::string path_text(const FieldPath& path);

}  // namespace capstan::apiserver
