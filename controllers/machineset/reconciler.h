// The MachineSet controller: keeps as many equal Machines as its set asks for. Called by the workers of its
// runtime/controller.h; one key is never worked on twice at once.
#pragma once

#include <optional>

#include "controllers/machineset/settings.h"
#include "controllers/machineset/settled.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machineset {

struct Observation;
struct Effects;

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, Settings settings = {});
  void bind(const Host& host);               // before the first turn
  void add_triggers(runtime::Queue& queue);  // who wakes it
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  using Set = Snapshot<api::MachineSet>;

  Snapshot<api::Cluster> cluster_of(const api::MachineSet& set) const;
  void fill_in_replicas(const runtime::Context& context, api::MachineSet& set) const;
  Result<Set> prepare(const runtime::Context& context, Set set);
  Result<std::optional<runtime::Outcome>> pause(const runtime::Context& context, Set& set);
  Result<runtime::Outcome> work(const runtime::Context& context, const Set& set);
  Result<void> patch(const runtime::Context& context, const api::MachineSet& before,
                     const api::MachineSet& after, bool going);
  void remember(const Observation& seen, const Effects& effects, Settled::Known known);
  void tell(const Observation& seen, const api::MachineSet& after);

  const Deps deps_;
  const Settings settings_;
  std::optional<Host> host_ = {};
  Settled settled_;
  Contests contests_;
};

}  // namespace capstan::controllers::machineset
