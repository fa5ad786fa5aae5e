// The MachineHealthCheck controller: judges the Machines of a check, marks them, and hands unhealthy ones to
// their owners or to a remediation provider, as many as the check allows. Called by the workers of its
// runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/machinehealthcheck/effects.h"
#include "controllers/machinehealthcheck/memory.h"
#include "controllers/machinehealthcheck/plan.h"
#include "controllers/shared/turn.h"

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
  void forget(const kube::ObjectKey& key);
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Observation& seen);
  Result<void> write_report(const ActContext& with, const Plan& plan, const Effects& effects,
                            const api::MachineHealthCheck& after);
  void record_events(const Plan& plan, const Effects& effects, const api::MachineHealthCheck& after);

  const Deps deps_;
  std::optional<Host> host_;
  Contests contests_;
  Memory memory_;
};

}  // namespace capstan::controllers::machinehealthcheck
