// What the topology controller and the Cluster's own one read of the workers that are ours while the Cluster
// is another manager's. They do not hear of our objects, so a digest of it stands on the Cluster, whose
// changes they hear (docs/decisions/0016-waking-a-topology.md). Used by waker.h. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_pool.h"
#include "runtime/snapshot.h"

namespace capstan::controllers::topology {

// On a Cluster of another manager: the digest.
inline constexpr std::string_view kWorkers = "capstan.dev/workers";

struct Workers {
  std::vector<runtime::Snapshot<api::MachineDeployment>> deployments = {};  // in the order of their names
  std::vector<runtime::Snapshot<api::MachinePool>> pools = {};              // likewise
  bool none() const { return deployments.empty() && pools.empty(); }
};

// Sixteen hexadecimal digits: another one when upstream's controllers would see a change of what they read.
std::string digest(const Workers& workers);

// The value that the Cluster's annotation gets; nothing where it stays as it is.
std::optional<std::string> next_digest(const api::Cluster& cluster, const Workers& workers);

}  // namespace capstan::controllers::topology
