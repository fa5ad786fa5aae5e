// The CloudConfig controller: observe, decide, act, report, one status patch. Bootstrap data costs two
// writes, the Secret and the status. Called by the workers of its runtime/controller.h.
#pragma once

#include "base/clock.h"
#include "bootstrap/controller/caches.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/queue.h"
#include "runtime/reconcile.h"

namespace capstan::bootstrap::controller {

// All of it lives longer.
struct Deps {
  const Clock& clock;
  kube::Client& client;
  Caches& caches;
  runtime::EventRecorder& events;
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
};

}  // namespace capstan::bootstrap::controller
