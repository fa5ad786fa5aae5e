// The controller of agents' certificates, one turn per Cluster. While Nodes are missing it looks for requests
// every few seconds, else now and then, for an agent renews its certificate weeks before that ends. Called by
// the workers of its runtime/controller.h.
#pragma once

#include "bootstrap/approval/turn.h"
#include "runtime/queue.h"

namespace capstan::bootstrap::approval {

inline constexpr Nanoseconds kWhileMachinesJoin = std::chrono::seconds(5);
inline constexpr Nanoseconds kForRenewals = std::chrono::minutes(10);

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  void add_triggers(runtime::Queue& queue);  // what wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const ObjectKey& key) override;

 private:
  const Deps deps_;
};

}  // namespace capstan::bootstrap::approval
