// The controller `unclaimednode`: marks Nodes of a Cluster that no Machine and no MachinePool claims, and
// takes the mark off once one does. Its key is the Cluster. It writes that annotation alone, and only where a
// policy governs something of the Cluster. Called by the workers of its runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "controllers/unclaimed/decide.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::unclaimed {

class Reconciler final : public runtime::Reconciler {
 public:
  static constexpr Seconds kPatience{1200};

  explicit Reconciler(const Deps& deps, Seconds patience = kPatience) : deps_(deps), patience_(patience) {}
  void bind(const Host& host) { host_.emplace(host); }  // before the first turn
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Observation& seen,
                                     kubeconfig::WorkloadCluster& workload);

  const Deps deps_;
  const Seconds patience_;
  std::optional<Host> host_;
  Contests contests_;
};

}  // namespace capstan::controllers::unclaimed
