// The CloudConfig controller. Bootstrap data cost two writes, the Secret and the status; a machine that joins
// costs four more, its token and the finalizer that goes with it, both put on and taken off. Called by the
// workers of its runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include "bootstrap/controller/turn.h"
#include "runtime/queue.h"

namespace capstan::bootstrap::controller {

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
  static Result<bool> write_status(const ActContext& with, const Observation& seen, const Reported& reported);
  void record_events(const Reported& reported);

  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
};

}  // namespace capstan::bootstrap::controller
