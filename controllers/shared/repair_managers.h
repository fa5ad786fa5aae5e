// Objects that lost their managedFields, or got them invented by the API server (kubernetes#136919), would
// keep fields for ever that we took out of our intent. This gives our field manager an entry of its own and
// takes the invented one away. Used wherever a controller applies; costs nothing where nothing was lost.
// Blocks as the client does; the rest is pure.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "api/meta/object_meta.h"
#include "kube/client.h"

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

// The version of the repaired object. Conflict when another write came at the same moment.
Result<api::ResourceVersion> repair_managers(kube::Client& client, const kube::Resource& resource,
                                             const kube::ObjectKey& key, std::string_view manager,
                                             const Deadline& deadline);

}  // namespace capstan::controllers
