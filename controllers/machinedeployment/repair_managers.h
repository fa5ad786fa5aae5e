// Objects that lost their managedFields, or got them invented by the API server (kubernetes#136919), would
// keep fields for ever that we took out of our intent. This gives our field manager an entry of its own and
// takes the invented one away. Blocks as the client does.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/v1beta2/machine_set.h"
#include "kube/client.h"

namespace capstan::controllers::machinedeployment {

// The entries as they should be, from those of the live object; for tests.
boost::json::array repaired_managers(const boost::json::value* present, std::string_view manager,
                                     std::string_view api_version);

// The version of the repaired set. Conflict when somebody wrote at the same moment.
Result<api::ResourceVersion> repair_managers(kube::Client& client, const api::MachineSet& set,
                                             const Deadline& deadline);

}  // namespace capstan::controllers::machinedeployment
