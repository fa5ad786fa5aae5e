// The DriverCluster controller: one control plane per cluster, its endpoint and its authority. Called by the
// workers of its runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include "infrastructure/controller/cluster/memory.h"
#include "infrastructure/controller/turn.h"
#include "runtime/queue.h"

namespace capstan::infrastructure::cluster {

struct Observation;
struct Reported;

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, bool makes_control_planes = true)
      : deps_(deps), memory_{.makes_control_planes = makes_control_planes} {}
  void bind(runtime::Consistency& consistency) { consistency_ = &consistency; }  // before the first turn
  void add_triggers(runtime::Queue& queue);                                      // what wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const ObjectKey& key) override;

 private:
  Result<runtime::Outcome> take_turn(const ActContext& with, const Observation& seen);
  void remember(const Observation& seen);
  void record_events(const Reported& reported);
  void forget(const ObjectKey& key);

  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
  Memory memory_;
};

}  // namespace capstan::infrastructure::cluster
