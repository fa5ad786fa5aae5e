// The MachinePool controller: ties a pool to its provider's objects, copies what they say, finds the Nodes of
// its instances, keeps one Machine per instance where the provider has an object for each, and takes
// everything down again. Called by the workers of its runtime/controller.h.
#pragma once

#include <optional>
#include <unordered_map>

#include "controllers/machinepool/act.h"
#include "controllers/machinepool/observe.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinepool {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps);

  void bind(const Host& host);               // before the first turn
  void add_triggers(runtime::Queue& queue);  // who wakes it

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;
  void rest() { drainer_.rest(); }  // no turn comes any more

 private:
  using Pool = Snapshot<api::MachinePool>;
  void forget(const kube::ObjectKey& key);
  Result<Pool> prepare(const runtime::Context& context, Pool pool);
  Result<std::optional<runtime::Outcome>> pause(const runtime::Context& context, const Pool& pool);
  Result<runtime::Outcome> go_on(const runtime::Context& context, const Belonged& known);
  Result<runtime::Outcome> take_down(const runtime::Context& context, const Belonged& known);
  ActContext act_with(const runtime::Context& context);
  // Looks for the second time at an infrastructure that has lost all instances at once.
  void confirm_empty_list(const ActContext& with, Observation& seen);
  Result<void> write_status(const runtime::Context& context, const api::MachinePool& before,
                            const api::MachinePool& after);
  void tell(const api::MachinePool& before, const api::MachinePool& after, const Effects& effects);

  const Deps deps_;
  std::optional<Host> host_;
  NodeWrites node_writes_;
  InfraMemory infra_memory_;
  PoolDrainer drainer_;
  LiveLooks live_looks_;
  Contests contests_;
  Guarded<std::unordered_map<kube::ObjectKey, SteadyTime>> emptied_;  // since when
};

}  // namespace capstan::controllers::machinepool
