// The DriverMachinePool controller. Without Machines it looks every so often at what the cloud lists and
// makes new VMs for those that got lost; with Machines it is woken by their DriverMachines. Called by the
// workers of its runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include "infrastructure/controller/pool/memory.h"
#include "infrastructure/controller/turn.h"
#include "runtime/queue.h"

namespace capstan::infrastructure::pool {

struct Observation;
struct Reported;

class Reconciler final : public runtime::Reconciler {
 public:
  Reconciler(const Deps& deps, const Memory& memory) : deps_(deps), memory_(memory) {}
  void bind(runtime::Consistency& consistency) { consistency_ = &consistency; }  // before the first turn
  void add_triggers(runtime::Queue& queue);                                      // what wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const ObjectKey& key) override;

 private:
  Result<runtime::Outcome> take_turn(const ActContext& with, const Observation& seen);
  void record_events(const Reported& reported);

  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
  const Memory memory_;
};

}  // namespace capstan::infrastructure::pool
