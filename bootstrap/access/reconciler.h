// The controller of what joining kubelets may do, one turn per Cluster. It writes no status: the
// CloudConfigs that wait for a Cluster say whether that can be reached. Called by the workers of its
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
