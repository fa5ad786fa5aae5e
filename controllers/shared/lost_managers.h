// Objects that lost their managedFields, or got them invented by the API server (kubernetes#136919), would
// keep fields for ever that we took out of our intent. Which objects those are, and the patch that gives our
// field manager an entry of its own and takes the invented one away. Sent by repair_managers.h. Pure.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "api/meta/object_meta.h"
#include "base/result.h"

namespace capstan::controllers {

bool has_lost_managers(const api::ManagedFields& managed);

// An entry of an applier that has none; `fields` are what it owns then.
struct OwnEntry {
  std::string_view manager = {};
  boost::json::value fields = {{"f:metadata", {{"f:name", boost::json::object()}}}};
};

// The merge patch that repairs the object that `live` is, bound to its version. Invalid when there is nothing
// to repair.
Result<boost::json::value> managers_patch(const boost::json::value& live, const OwnEntry& own);

}  // namespace capstan::controllers
