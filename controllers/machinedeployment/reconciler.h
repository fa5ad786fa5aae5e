// The MachineDeployment controller: observe, decide, act, report, one status patch. Called by the workers of
// its runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/machinedeployment/memory.h"
#include "controllers/machinedeployment/plan.h"
#include "controllers/shared/turn.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinedeployment {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps), memory_(deps) {}

  void bind(const Host& host) {  // before the first turn
    host_.emplace(host);
    memory_.updates.bind(host);
  }
  // After the last turn; the queue may go after this.
  void stop_drains() { memory_.updates.stop(); }
  // What wakes it: deployments, their MachineSets and those without an owner, Clusters, and Nodes of Machines
  // that may be updated in place.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  struct Pass {
    Plan plan = {};
    Effects effects = {};
  };

  Result<runtime::Outcome> hold_still(const ActContext& with, const Observation& seen,
                                      const runtime::Paused& pause);
  Result<runtime::Outcome> take_turn(const ActContext& with, Observation seen);
  Pass decide_and_act(const ActContext& with, Observation& seen);
  Result<bool> write_status(const ActContext& with, const api::MachineDeployment& before,
                            const api::MachineDeployment& after);
  void record_events(const Observation& seen, const Plan& plan, const api::MachineDeployment& after);
  void record_lost_rollout(const api::ObjectReference& about, const Observation& seen);

  const Deps deps_;
  std::optional<Host> host_;
  Memory memory_;
  Contests contests_;
};

}  // namespace capstan::controllers::machinedeployment
