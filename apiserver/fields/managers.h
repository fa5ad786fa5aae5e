// metadata.managedFields as a value: who owns which fields, by which kind of write, at which version. Plain
// values; pure.
#pragma once

#include <boost/json.hpp>
#include <compare>
#include <map>
#include <optional>
#include <string>

#include "apiserver/fields/field_set.h"

namespace capstan::apiserver {

namespace json = boost::json;

struct ManagerKey {
  std::string manager = {};
  bool apply = false;
  std::string subresource = {};
  std::string api_version = {};  // of updates; an applier keeps its entry across versions
  auto operator<=>(const ManagerKey&) const = default;
  bool operator==(const ManagerKey&) const = default;
};

struct Managed {
  FieldSet fields = {};
  std::string api_version = {};
  std::string time = {};
};

using Managers = std::map<ManagerKey, Managed>;

// Nothing when an entry makes no sense.
std::optional<Managers> decode_managers(const json::value* managed_fields);
// In the order the server lists them; null when there are none.
json::value encode_managers(const Managers& managers);

// `[]` and `[{}]`: the client wants the record forgotten.
bool is_reset(const json::value& managed_fields);

// "m1", or "m1" using test.io/v1: how a conflict names a manager.
std::string shown_manager(const ManagerKey& key);

// At most ten updaters: the oldest become one entry.
void cap_updaters(Managers& managers);

}  // namespace capstan::apiserver
