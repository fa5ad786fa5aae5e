// What a MachinePool writes on the Nodes of its instances: whose they are, and that they are initialized.
// Everything else on a Node is left alone. Pure functions.
#pragma once

#include <optional>

#include "api/v1beta2/machine_pool.h"
#include "controllers/shared/node_change.h"

namespace capstan::controllers::machinepool {

// Nothing when the Node is as wanted.
std::optional<NodeChange> node_change(const api::MachinePool& pool, const api::Node& node);

}  // namespace capstan::controllers::machinepool
