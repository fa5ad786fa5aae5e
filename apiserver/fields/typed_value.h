// The four things server-side apply does with objects and their schema: which fields does it set, what
// differs between two, merge one into the other, take fields out. Pure functions.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "apiserver/fields/field_set.h"
#include "apiserver/fields/typed_node.h"

namespace capstan::apiserver {

// The fields an object sets. Of an applied object, what it claims.
FieldSet fields_of(const json::object& object, const Schema& schema);

struct Comparison {
  FieldSet added = {};
  FieldSet modified = {};
  FieldSet removed = {};
  bool same() const { return added.empty() && modified.empty() && removed.empty(); }
};
Comparison compare(const json::object& before, const json::object& after, const Schema& schema);

// `applied` over `live`: list-maps and sets item by item, atomic things as a whole.
json::object merge(const json::object& live, const json::object& applied, const Schema& schema);

json::object without_fields(const json::object& object, const FieldSet& fields, const Schema& schema);

// The set plus the struct fields that lie on the way to its members: a struct goes with its last field.
FieldSet with_named_parents(const FieldSet& set, const Schema& schema);

// Why an object can't be applied: unknown fields, items without keys, items that stand twice.
std::optional<std::string> apply_obstacle(const json::object& applied, const Schema& schema);

}  // namespace capstan::apiserver
