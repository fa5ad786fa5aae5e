// The DriverCluster controller: observe, decide, act, report, one status patch. Called by the workers of its
// runtime/controller.h.
#pragma once

#include <set>

#include "base/guarded.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/sim/control_plane.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/queue.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::cluster {

// All of it lives longer.
struct Deps {
  const Clock& clock;
  kube::Client& client;
  sim::ControlPlanes& control_planes;
  Caches& caches;
  runtime::EventRecorder& events;
  bool makes_control_planes = true;
};

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  void bind(runtime::Consistency& consistency) { consistency_ = &consistency; }  // before the first turn
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
  Guarded<std::set<kube::ObjectKey>> ensured_;  // control planes do not outlive this process by themselves
};

}  // namespace capstan::infrastructure::cluster
