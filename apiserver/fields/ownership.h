// Server-side apply and field ownership: what an apply makes of an object, and whose fields are whose after
// every write. Pure functions over objects of one version and its schema.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/fields/managers.h"
#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

struct Ownership {
  const Schema& schema;
  std::string api_version = {};  // of the request
  std::string manager = {};
  std::string subresource = {};
  std::string now = {};   // time stamp
  FieldSet ignored = {};  // whole subtrees the endpoint does not write: status, or everything but status
  const json::object* blank = nullptr;  // what a new object starts from; null: from nothing
  // Managers of other versions own fields in their own terms: the object and its schema at their version, or
  // null when the version is no longer served.
  std::function<std::optional<std::pair<json::object, const Schema*>>(const json::object&,
                                                                      const std::string&)>
      at_version = {};
  // Seeded defects of the test build.
  bool drops_others_fields = false;
  bool ignores_conflicts = false;
  bool keeps_dropped_fields = false;
  bool replaces_lists = false;
};

// Stamps metadata.managedFields of `after`. `before` is null for a new object.
void own_after_update(const Ownership& ownership, json::object& after, const json::object* before);

struct FieldConflict {
  ManagerKey manager = {};
  FieldPath path = {};
};
using Conflicts = std::vector<FieldConflict>;

// The object after the apply, managedFields included, or who stands against it. `live` is null when it has to
// be created.
std::expected<json::object, Conflicts> apply_configuration(const Ownership& ownership,
                                                           const json::object* live,
                                                           const json::object& configuration, bool force);

}  // namespace capstan::apiserver
