// What a MachineHealthCheck looks at before it judges: its targets with their Nodes, what the Cluster says of
// itself, and other checks of the same Cluster. From caches: visits the Machines of one Cluster. A plain
// value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/meta/label_selector.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_health_check.h"
#include "base/instant.h"
#include "base/time.h"
#include "runtime/brake.h"
#include "runtime/store.h"

namespace capstan::controllers::machinehealthcheck {

using runtime::Snapshot;

struct Target {
  enum class NodeState {
    None,     // no nodeRef, or nobody may look yet
    Here,     // `node`
    Missing,  // made sure of by a live read
    Unsure,   // the cache has none, but a live read found one or failed
  };
  Snapshot<api::Machine> machine = {};  // never null
  Snapshot<api::Node> node = {};
  NodeState node_state = NodeState::None;
  // "MachineDeployment web", and what governs it; both only where there are policies.
  std::string pool = {};
  Snapshot<api::MachineLifecyclePolicy> policy = {};
};

// Another check that selects some of the targets, and judges.
struct Rival {
  Snapshot<api::MachineHealthCheck> check = {};  // never null
  api::Selector selector = {};
};

struct Observation {
  WallTime now = {};
  Snapshot<api::MachineHealthCheck> check = {};  // never null
  Snapshot<api::Cluster> cluster = {};           // null: there is none of that name
  std::string selector_problem = {};             // why it selects nothing at all
  std::string template_problem = {};             // why nothing may be made from spec.remediation.templateRef
  bool connected = true;                         // false: Nodes matter, and can't be seen as they are
  std::vector<Target> targets = {};              // by name
  bool others = false;                           // the Cluster has Machines that are no targets
  std::vector<Snapshot<api::Machine>> exempted = {};  // handed to their owners before a user exempted them
  std::vector<std::string> overlapping = {};          // other checks that select one of them, by name
  std::vector<Rival> rivals = {};                     // those of them that are not paused
  std::vector<std::string> rival_policies = {};       // that select one of their pools together: none applies
  runtime::Verdict brake = {};                        // may anything be remediated now
  bool fresh = true;
};

// Selected, of this Cluster, and not exempt.
bool is_target(const api::Machine& machine, const api::Selector& selector);
// Selected, and waits for its owner to remediate it, although a user wants it to be left alone by now.
bool is_exempted(const api::Machine& machine, const api::Selector& selector);
// The selector; Invalid when it can't be read or would select everything.
Result<api::Selector> selector_of(const api::MachineHealthCheck& check);
// Requests made from the template would be of a kind that `machines` use as infrastructure or bootstrap
// configuration: the message names it and the remedy. Empty: they are of another kind, or there is no
// template.
std::string template_problem(const api::MachineHealthCheck& check,
                             const std::vector<Snapshot<api::Machine>>& machines);
// Before that no Node is looked at.
bool control_plane_initialized(const api::Cluster& cluster);

}  // namespace capstan::controllers::machinehealthcheck
