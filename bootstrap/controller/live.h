// The live reads of a turn whose machine joins or leaves: the CA and the data Secret in the management
// cluster, the tokens in the workload cluster; three requests at most, and one more for the kubeconfig now
// and then. Blocks as the clients do.
#pragma once

#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/turn.h"

namespace capstan::bootstrap::controller {

// Nothing when the stage of the machine needs no more than the caches.
std::optional<Live> read_live(const ObserveContext& with, const Observation& seen);

// The Cluster that the data Secret names by its label; "": there is none, or it does not say.
Result<std::string> cluster_in_data(const ObserveContext& with, const Observation& seen);

}  // namespace capstan::bootstrap::controller
