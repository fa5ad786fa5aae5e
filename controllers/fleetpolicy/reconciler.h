// The FleetPolicy controller: grants deletions within the limits of the FleetPolicy. It runs in one manager
// of a management cluster, whichever Machines the others reconcile. Called by the workers of its
// runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/fleetpolicy/probes.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::fleetpolicy {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps), probes_(deps.metrics) {}
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Policies, and what Machines ask of them.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  const Deps deps_;
  const Probes probes_;
  std::optional<Host> host_;
  Contests contests_;
};

}  // namespace capstan::controllers::fleetpolicy
