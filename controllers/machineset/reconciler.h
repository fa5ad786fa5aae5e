// The MachineSet controller: keeps as many equal Machines as its set asks for. Called by the workers of its
// runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include <optional>

#include "controllers/machineset/memory.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machineset {

struct Observation;
struct Effects;

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, Settings settings = {});
  void bind(const Host& host);               // before the first turn
  void add_triggers(runtime::Queue& queue);  // what wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  using Set = Snapshot<api::MachineSet>;

  Snapshot<api::Cluster> cluster_of(const api::MachineSet& set) const;
  void fill_in_replicas(const runtime::Context& context, api::MachineSet& set) const;
  // The set as it is after its finalizer, label and owner were written.
  Result<Set> prepare(const runtime::Context& context, Set set);
  // True when it is paused: the turn ends here.
  Result<bool> hold_still(const ActContext& with, const api::MachineSet& set);
  Result<runtime::Outcome> take_turn(const ActContext& with, const Set& set);
  // Machines that are gone are forgotten on the way.
  void remember(const Observation& seen, const Effects& effects);
  void record_events(const Observation& seen, const api::MachineSet& after);
  void forget(const kube::ObjectKey& key);

  const Deps deps_;
  std::optional<Host> host_ = {};
  Memory memory_;
  Contests contests_;
};

}  // namespace capstan::controllers::machineset
