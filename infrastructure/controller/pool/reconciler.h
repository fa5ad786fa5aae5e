// The DriverMachinePool controller: keeps as many VMs as the MachinePool wants, makes new ones for those that
// got lost and tells the core which there are. A VM is made under a key that follows from its place, so that
// a lost answer or a list that lags never makes two. Called by the workers of its runtime/controller.h.
#pragma once

#include "base/randomness.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/controller/pool/decide.h"
#include "infrastructure/driver.h"
#include "runtime/consistency.h"
#include "runtime/queue.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::pool {

// All of it lives longer.
struct Deps {
  const Clock& clock;
  kube::Client& client;
  Driver& driver;
  Randomness& randomness;
  Caches& caches;
  Nanoseconds look_every = std::chrono::seconds(30);  // at what the cloud lists
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

}  // namespace capstan::infrastructure::pool
