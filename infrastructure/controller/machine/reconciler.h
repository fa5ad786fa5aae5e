// The DriverMachine controller: observe, decide, act, report, one status patch. A VM costs three writes:
// identity and finalizer, providerID, status. Called by the workers of its runtime/controller.h.
#pragma once

#include "base/randomness.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/controller/inventory.h"
#include "infrastructure/driver.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/queue.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::machine {

// All of it lives longer.
struct Deps {
  const Clock& clock;
  kube::Client& client;
  Driver& driver;
  Randomness& randomness;
  Caches& caches;
  Inventory& inventory;
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

}  // namespace capstan::infrastructure::machine
