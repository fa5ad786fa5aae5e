// The MachineDeployment controller: observe, decide, act, report, one status patch. Called by the workers of
// its runtime/controller.h.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "controllers/machinedeployment/act.h"
#include "controllers/machinedeployment/plan.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinedeployment {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}

  void bind(const Host& host) { host_.emplace(host); }  // before the first turn
  // Who wakes it: deployments, their MachineSets and those without an owner, and Clusters.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  struct Pass {
    Plan plan = {};
    Effects effects = {};
  };
  // An adoption that was refused a moment ago.
  struct Refusal {
    Unadopted what = {};
    SteadyTime until = {};
  };

  Pass decide_and_act(const runtime::Context& context, const Observation& seen);
  void remember(const kube::ObjectKey& key, const Effects& effects);
  void recall(const kube::ObjectKey& key, Observation& seen);
  // Since when sets have not acted: no object says so, and a restart begins anew.
  void note_waiting(const kube::ObjectKey& key, Observation& seen);
  Result<bool> is_held(const runtime::Context& context, const Observation& seen);
  Result<void> write_status(const runtime::Context& context, const api::MachineDeployment& before,
                            const api::MachineDeployment& after);
  void tell_faults(const Observation& seen, const Plan& plan, const api::MachineDeployment& after);

  const Deps deps_;
  std::optional<Host> host_;
  Contests contests_;
  Guarded<std::unordered_map<kube::ObjectKey, std::vector<Refusal>>> refusals_;
  Guarded<std::unordered_map<kube::ObjectKey, std::vector<Waiting>>> waiting_;
};

}  // namespace capstan::controllers::machinedeployment
