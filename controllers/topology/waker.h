// The controller `topology/cluster`: wakes upstream's controllers of a Cluster with a topology when the
// workers change that are ours. Its key is the Cluster, which is never ours itself. One patch of one
// annotation at most every two seconds while they change, none at rest. Called by the workers of its
// runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/shared/deps.h"
#include "controllers/topology/workers.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::topology {

class Waker final : public runtime::Reconciler {
 public:
  explicit Waker(const Deps& deps) : deps_(deps) {}
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Clusters that appear, and what becomes of MachineDeployments and pools of ours.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  Workers workers_of(const kube::ObjectKey& cluster) const;

  const Deps deps_;
  std::optional<Host> host_;
};

}  // namespace capstan::controllers::topology
