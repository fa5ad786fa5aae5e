// How a Cluster marks the provider objects behind it: a label with its name, and an owner reference that
// leaves the controller's place to other tools, unless a topology controls everything. Pure.
#pragma once

#include "controllers/cluster/observe.h"

namespace capstan::controllers::cluster {

api::OwnerReference reference_of(const api::Cluster& cluster);
bool is_marked_ours(const Observation& seen, const api::contract::ContractObject& object);

}  // namespace capstan::controllers::cluster
