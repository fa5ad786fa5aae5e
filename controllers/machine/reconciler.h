// The Machine controller: brings a Machine from a spec to a Node that is healthy, keeps the Node as the
// Machine says, shows users how it stands, and takes everything down again in order. Called by the workers of
// its runtime/controller.h.
#pragma once

#include <optional>
#include <vector>

#include "controllers/machine/deletion_turn.h"
#include "controllers/machine/effects.h"
#include "controllers/machine/memory.h"
#include "controllers/machine/plan.h"
#include "controllers/shared/turn.h"
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
  Result<runtime::Outcome> hold_still(const ActContext& with, const api::Machine& machine,
                                      const runtime::Paused& pause);
  Result<runtime::Outcome> take_turn(const ActContext& with, Observation seen);
  void empty_preserved(const ActContext& with, const Observation& seen, const Plan& plan, Effects& effects);
  drain::StageReport drain_preserved(const ActContext& with, const Observation& seen, const Plan& plan,
                                     Time since);
  // After the Machine has taken its objects over.
  Result<runtime::Outcome> take_deletion_turn(const ActContext& with, Observation& seen, const Plan& plan);
  Result<void> let_go(const ActContext& with, const Observation& seen, const Plan& plan,
                      const DeletionTurn& turn);
  // Reports, writes the status or lets it wait, records Events.
  Result<runtime::Outcome> finish(const ActContext& with, const Observation& seen, const Plan& plan,
                                  Effects effects);
  void record_events(const api::Machine& machine, const std::vector<Note>& notes, bool status_written);

  const Deps deps_;
  std::optional<Host> host_;
  Memory memory_;
  Deleter deleter_;
};

}  // namespace capstan::controllers::machine
