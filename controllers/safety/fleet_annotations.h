// Writes the annotations by which a deletion asks for a place in the limits of the FleetPolicy, and gets it:
// on the Machine that goes, or on the Cluster of a VM that is no object's. Bound to the version that was
// seen, so that nothing is granted for what is over. Blocks as the client does.
#pragma once

#include <optional>
#include <string>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "controllers/safety/fleet_asking.h"
#include "kube/client.h"

namespace capstan::controllers::safety {

// Empty: the annotation goes.
struct FleetAnnotations {
  std::string request = {};
  std::string grant = {};
};

// Nothing when the object is gone; Conflict when it has changed, which the next turn has to see. Of Machines
// and Clusters.
template <typename T>
Result<std::optional<api::ResourceVersion>> write_fleet_annotations(kube::Client& client, const T& object,
                                                                    const FleetAnnotations& to,
                                                                    const Deadline& deadline);

Result<std::optional<api::ResourceVersion>> write_fleet_request(kube::Client& client, const AskFleet& action,
                                                                const Deadline& deadline);

}  // namespace capstan::controllers::safety
