// What updates in place remember between turns: the drains of Nodes that are under way, and which of our
// writes to Nodes the caches have not shown yet. Losing it costs requests, never correctness. One per
// MachineDeployment controller; safe from any thread, one turn at a time per Machine.
#pragma once

#include <optional>

#include "api/policy/machine_lifecycle_policy.h"
#include "controllers/drain/choices.h"
#include "controllers/drain/drainer.h"
#include "controllers/inplace/plan.h"
#include "controllers/shared/node_writes.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::inplace {

// What a round of a drain needs beside its action.
struct DrainGround {
  const api::Cluster& cluster;
  const api::MachineLifecyclePolicySpec* policy = nullptr;  // of the Machine
  Time reached_since = {};                                  // the workload cluster
};

// How a Node is emptied before an update: by the rules and times of a deletion, but for
// capstan.dev/force-deletion, which is for deletions alone. Pure.
struct UpdateDrain {
  bool is_over = false;  // what is left is left running
  drain::ForceRules force = {};
  std::optional<Seconds> eviction_time = {};
  std::optional<Seconds> ends_in = {};  // nothing: never, or it is by force already
};
struct DrainTimes {
  Time began = {};
  Time now = {};
  Time reached_since = {};  // the workload cluster
};
UpdateDrain update_drain(const api::Machine& machine, const drain::DrainChoices& choices,
                         const DrainTimes& times);

class Updates {
 public:
  explicit Updates(const Deps& deps);
  void bind(const Host& host);  // before the first turn

  // One round. Done when nothing is left to evict, or the Machine's drain timeout is over.
  drain::StageReport drain(const ActContext& with, const DrainNode& what, const DrainGround& ground);
  // Its drain is over, or not wanted any more.
  void forget(const MachineSnapshot& machine);
  // No turn comes any more.
  void stop() { drainer_.stop(); }

  NodeWrites& node_writes() { return node_writes_; }

 private:
  void wake(const kube::ObjectKey& machine);

  const Deps deps_;
  std::optional<Host> host_;
  NodeWrites node_writes_;
  drain::Drainer drainer_;
};

}  // namespace capstan::controllers::inplace
