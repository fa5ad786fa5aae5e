// The DriverMachine controller. A VM costs three writes: identity and finalizer, providerID, status. Called
// by the workers of its runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include "infrastructure/controller/turn.h"
#include "runtime/queue.h"

namespace capstan::infrastructure::machine {

struct Observation;
struct Reported;

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  void bind(runtime::Consistency& consistency) { consistency_ = &consistency; }  // before the first turn
  void add_triggers(runtime::Queue& queue);                                      // what wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const ObjectKey& key) override;

 private:
  Result<runtime::Outcome> take_turn(const ActContext& with, const Observation& seen);
  void record_events(const Reported& reported);
  void forget(const ObjectKey& key);

  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
};

}  // namespace capstan::infrastructure::machine
