// Which Clusters own an object, by its owner references. Pure; which one it belongs to is belonging.h.
#pragma once

#include <vector>

#include "api/meta/owner_reference.h"

namespace capstan::controllers {

// The owner references of kind Cluster, the controlling one first, the others in the order of the list. The
// first whose Cluster exists keeps the object.
std::vector<const api::OwnerReference*> owning_clusters(const api::OwnerReferences& owners);

}  // namespace capstan::controllers
