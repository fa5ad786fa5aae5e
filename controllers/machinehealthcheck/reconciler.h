// The MachineHealthCheck controller: judges the Machines of a check, marks them, and hands sick
// ones to whoever remediates, as many as the check allows. Called by the workers of its runtime/controller.h.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/effects.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinehealthcheck {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Checks themselves, the Machines and Nodes they select, their Cluster and the way to it.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  Observation observe(const runtime::Context& context, Snapshot<api::MachineHealthCheck> check,
                      Snapshot<api::Cluster> cluster);
  void find_targets(const runtime::Context& context, Observation& seen);
  Target target_of(Snapshot<api::Machine> machine, kubeconfig::WorkloadCluster* workload,
                   const runtime::Context& context);
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Observation& seen);
  Result<void> tell(const runtime::Context& context, const Plan& plan, const Effects& effects,
                    const api::MachineHealthCheck& after);

  const Deps deps_;
  std::optional<Host> host_;
  Contests contests_;
};

}  // namespace capstan::controllers::machinehealthcheck
