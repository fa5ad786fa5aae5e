// Gathers the observation of updates in place. Reads caches alone: a few look-ups for each Machine, and none
// where the policy has no `rollout` and no Machine is being updated. Safe from any thread.
#pragma once

#include <vector>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_deployment.h"
#include "controllers/inplace/observation.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/node_writes.h"

namespace capstan::controllers::inplace {

struct SeeContext {
  const Deps& deps;
  NodeWrites& node_writes;
  const api::MachineDeployment& deployment;
  const api::Cluster* cluster = nullptr;  // null: there is none
  const std::optional<api::PolicyRollout>& rollout;
  const std::vector<std::shared_ptr<const api::Machine>>& machines;  // of all its MachineSets
  bool has_old_sets = false;  // with one MachineSet alone no Machine is to be updated
  bool at_rest = false;       // a moment ago no Node had anything of an update: none is looked at
};
Observation see_updates(const SeeContext& with);

// No Machine is being updated, and no Node has anything of an update that is to be taken off.
bool is_at_rest(const Observation& seen);

}  // namespace capstan::controllers::inplace
