// The MachinePool controller: ties a pool to its provider's objects, copies what they say, finds the Nodes of
// its instances, keeps one Machine per instance where the provider has an object for each, and takes
// everything down again. Called by the workers of its runtime/controller.h.
#pragma once

#include <optional>
#include <span>

#include "controllers/machinepool/effects.h"
#include "controllers/machinepool/memory.h"
#include "controllers/machinepool/observe.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinepool {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps), memory_(deps_) {}

  void bind(const Host& host) { host_.emplace(host); }  // before the first turn
  // Pools, their Cluster, Machines and Nodes, policies and drain rules, and objects that claim the same
  // instances.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;
  void stop_drains() { memory_.drainer.stop(); }  // no turn comes any more

 private:
  using Pool = Snapshot<api::MachinePool>;
  Result<Pool> prepare(const runtime::Context& context, Pool pool);
  // True when the pool is paused.
  Result<bool> hold_still(const runtime::Context& context, const Pool& pool);
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Belonged& known);
  ActContext act_context(const runtime::Context& context);
  Result<void> write_status(const runtime::Context& context, const api::MachinePool& before,
                            const api::MachinePool& after);
  void record_events(const api::MachinePool& pool, std::span<const Note> notes);

  const Deps deps_;
  std::optional<Host> host_;
  Memory memory_;
};

}  // namespace capstan::controllers::machinepool
