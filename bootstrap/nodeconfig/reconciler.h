// The NodeConfig controller: a change costs one write of the Secret and one for each further wave, and the
// status where that says something new. At rest nothing is asked. Called by the workers of its
// runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include "bootstrap/nodeconfig/turn.h"
#include "runtime/queue.h"

namespace capstan::bootstrap::nodeconfig {

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

}  // namespace capstan::bootstrap::nodeconfig
