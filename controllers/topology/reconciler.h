// The controllers `topology/machinedeployment` and `topology/machineset`: of what a topology has made they
// take the templates and health checks with it that nothing uses any more. Upstream's core has two of these
// names, which leave alone what is labelled for this manager. Called by the workers of their
// runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::topology {

template <typename T>
class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Those that lack their finalizer or are on their way out.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  const Deps deps_;
  std::optional<Host> host_;
  Contests contests_;
};

extern template class Reconciler<api::MachineDeployment>;
extern template class Reconciler<api::MachineSet>;

}  // namespace capstan::controllers::topology
