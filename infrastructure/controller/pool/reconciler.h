// The DriverMachinePool controller. Without Machines it looks every so often at what the cloud lists and
// makes new VMs for those that got lost; with Machines it is woken by their DriverMachines. Called by the
// workers of its runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include <map>
#include <optional>

#include "base/guarded.h"
#include "infrastructure/controller/pool/memory.h"
#include "infrastructure/controller/pool/refusal.h"
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
  std::optional<Refusal> last_refusal(const ObjectKey& key) const;
  void remember(const ObjectKey& key, const std::optional<Refusal>& refusal);

  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
  const Memory memory_;
  Guarded<std::map<ObjectKey, Refusal>> refusals_;  // after a start each driver is asked once
};

}  // namespace capstan::infrastructure::pool
