// The controller of what joining kubelets may do, one turn per Cluster. It writes no status: whether a
// Cluster can be reached is told on the CloudConfigs that wait for it. Called by the workers of its
// runtime/controller.h.
#pragma once

#include "bootstrap/access/turn.h"
#include "runtime/queue.h"

namespace capstan::bootstrap::access {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  void add_triggers(runtime::Queue& queue);  // what wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const ObjectKey& key) override;

 private:
  const Deps deps_;
};

}  // namespace capstan::bootstrap::access
