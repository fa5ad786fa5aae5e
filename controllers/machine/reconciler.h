// The Machine controller: brings a Machine from a spec to a Node that is healthy, keeps the Node as the
// Machine says, tells users how it stands, and takes everything down again in order. Called by the workers of
// its runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/machine/act.h"
#include "controllers/machine/deletion_turn.h"
#include "controllers/machine/gather.h"
#include "controllers/machine/report.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/live_object.h"
#include "runtime/paused.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machine {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, Settings settings = {});

  void bind(const Host& host);  // before the first turn
  // After the last turn: when this returns, no watch of a drain puts anything into the queue.
  void stop_drains() { deleter_.stop_drains(); }
  void add_triggers(runtime::Queue& queue);  // what wakes a Machine

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  void forget(const kube::ObjectKey& key);
  Result<runtime::Outcome> hold_still(const runtime::Context& context, const api::Machine& machine,
                                      const runtime::Paused& pause);
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Observation& seen);
  Result<runtime::Outcome> finish(const runtime::Context& context, const Observation& seen, const Plan& plan,
                                  Effects effects);
  // What was seen, with the Machine as it is after that.
  Result<Observation> take_over(const runtime::Context& context, const Observation& seen, const Plan& plan);
  // Asks the server about objects that the caches can't show.
  Result<void> look_at_unreadable(const runtime::Context& context, Observation& seen);
  Result<void> make_sure_it_is_there(const api::Machine& machine, const Deadline& deadline);
  Result<runtime::Outcome> take_deletion_turn(const runtime::Context& context, const Observation& before,
                                              const Plan& plan);
  Result<bool> write_status(const runtime::Context& context, const api::Machine& before,
                            const api::Machine& after, Time now);
  void record_events(const api::Machine& machine, const std::vector<Note>& notes, bool status_written);

  const Deps deps_;
  const Settings settings_;
  std::optional<Host> host_;
  NodeWrites node_writes_;
  Contests contests_;
  Gather gather_;
  Deleter deleter_;
  LiveLooks live_looks_;
};

}  // namespace capstan::controllers::machine
