// All that a turn of a MachineHealthCheck looks at: its targets with their Nodes, its Cluster, and other
// checks of the same Cluster. Gathered by observe.h, judged by decide.h and report.h. A plain value.
#pragma once

#include <memory>
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

namespace capstan::controllers::machinehealthcheck {

template <typename T>
using Snapshot = std::shared_ptr<const T>;

// The remediation request of a target, as the cache has it.
struct RequestSeen {
  enum class State {
    NotMade,    // the check hands Machines to their owners
    Unwatched,  // its kind does not keep the contract: only a live read tells
    Unlisted,   // its kind is not listed yet: nothing is known
    Absent,
    Present,
  };
  State state = State::NotMade;
  api::ObjectMeta metadata = {};  // of Present
};

struct Target {
  enum class NodeState {
    None,     // no nodeRef, or the control plane is not up yet
    Here,     // `node`
    Missing,  // confirmed by a live read
    Unsure,   // the cache has none, but a live read found one or failed
  };
  Snapshot<api::Machine> machine = {};  // never null
  Snapshot<api::Node> node = {};
  NodeState node_state = NodeState::None;
  // "MachineDeployment web", and what governs it; both only where there are policies.
  std::string pool = {};
  Snapshot<api::MachineLifecyclePolicy> policy = {};
  RequestSeen request = {};
  bool may_be_requested = true;  // no brake holds what it belongs to
  bool unmarked = false;         // its mark failed in the last turn
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

}  // namespace capstan::controllers::machinehealthcheck
