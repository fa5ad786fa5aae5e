// How a value is merged at one place of a schema: as one thing, field by field, item by item. What no schema
// knows is taken as it looks: objects field by field, lists as one thing. Small values over an immutable
// schema.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

enum class MergeKind { Leaf, Fields, Items };

class TypedNode {
 public:
  static TypedNode root(const Schema& schema) { return TypedNode(&schema, true); }

  MergeKind kind(const json::value& value) const;
  TypedNode field(std::string_view name) const;
  TypedNode item() const;
  // Is it a named field of a struct, rather than a key of a map?
  bool names(std::string_view field) const;
  // May an applied object have such a field?
  bool allows(std::string_view field) const;
  // "k:{...}" or "v:..." of an item; the error says what is missing.
  std::optional<std::string> element_of(const json::value& item, std::string& error) const;

  const Schema* schema() const { return schema_; }
  bool resource() const { return resource_; }

 private:
  TypedNode(const Schema* schema, bool resource) : schema_(schema), resource_(resource) {}
  bool deduced() const;

  const Schema* schema_;  // null: nothing is known
  bool resource_;         // apiVersion, kind and metadata are fields whatever the schema says
};

}  // namespace capstan::apiserver
