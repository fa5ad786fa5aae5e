// The DriverMachinePool controller: observe, decide, act, report, one status patch. Without Machines it looks
// every so often at what the cloud lists and makes new VMs for those that got lost; with Machines it is woken
// by their DriverMachines. Called by the workers of its runtime/controller.h.
#pragma once

#include "base/randomness.h"
#include "base/threads.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/driver.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/queue.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::pool {

// All of it lives longer.
struct Deps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  Driver& driver;
  Randomness& randomness;
  Caches& caches;
  runtime::EventRecorder& events;
  Nanoseconds look_every = std::chrono::seconds(30);  // zero: VMs that vanish go unnoticed
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
