#include "controllers/machineset/reconciler.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/meta/label_selector.h"
#include "controllers/machineset/act.h"
#include "controllers/machineset/decide.h"
#include "controllers/machineset/observe.h"
#include "controllers/machineset/report.h"
#include "controllers/machineset/wanted.h"
#include "controllers/safety/freeze_events.h"
#include "controllers/safety/see_deletion_rules.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/finalizer.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/replicas.h"
#include "controllers/shared/turn_steps.h"
#include "runtime/finalizers.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {

using api::MachineSet;
using kube::ObjectKey;
using runtime::Context;
using runtime::Outcome;

namespace {

constexpr OwnedConditions kOwned{.types = kOwnedConditions, .v1beta1_types = kOwnedV1Beta1Conditions};

// Those that the set controls, on their way out or not, and those it is about to adopt.
std::int32_t machines_there(const Caches& caches, const MachineSet& set) {
  const auto selector = api::Selector::from(set.spec.selector);
  const ObjectKey cluster{.namespace_ = set.metadata.namespace_.str(), .name = set.spec.cluster_name.str()};
  const auto own = std::ranges::count_if(
      caches.machines_owned_by(set.metadata.uid),
      [&](const auto& machine) { return runtime::is_controlled_by(machine->metadata, set.metadata.uid); });
  const auto adoptable = std::ranges::count_if(
      caches.uncontrolled_machines_of(cluster),
      [&](const auto& machine) { return selector && selector->matches(machine->metadata.labels); });
  return static_cast<std::int32_t>(own + adoptable);
}

// Nothing of it is worth a status of its own.
bool only_awaits_grants(const Plan& plan, const Effects& effects) {
  const auto asks = [](const Action& action) { return std::holds_alternative<AskFleet>(action); };
  return plan.awaits_grants && effects.errors.empty() && std::ranges::all_of(plan.actions, asks);
}

}  // namespace

Reconciler::Reconciler(const Deps& deps, Settings settings)
    : deps_(deps), memory_{.settings = std::move(settings)} {}

void Reconciler::bind(const Host& host) { host_.emplace(host); }

Result<Outcome> Reconciler::reconcile(const Context& context, const ObjectKey& key) {
  Set set = deps_.caches.machine_sets.get(key);
  if (!set) forget(key);
  if (!set || !in_scope(set->metadata, deps_.watch_filter)) return Outcome::done();
  set = TRY(prepare(context, std::move(set)));
  const ActContext with{.deps = deps_, .host = *host_, .contests = contests_, .context = context};
  const bool paused = TRY(hold_still(with, *set));
  return paused ? Outcome::done() : take_turn(with, set);
}

void Reconciler::forget(const ObjectKey& key) {
  memory_.settled.forget(key);
  contests_.forget(key);
}

// The one it belongs to, whatever spec.clusterName says by now.
Snapshot<api::Cluster> Reconciler::cluster_of(const MachineSet& set) const {
  return deps_.caches.cluster_of(set.metadata.namespace_.view(), belonging_of(deps_.caches, set).cluster);
}

// The finalizer comes first, even on what is paused: nothing is made before it can be cleaned up. The labels
// and the owner every set has come with it, in one patch, and the turn goes on with what the server made of
// it.
Result<Reconciler::Set> Reconciler::prepare(const Context& context, Set set) {
  const auto cluster = cluster_of(*set);
  if (!cluster) return set;
  const bool paused = pause_of(cluster.get(), set->metadata, api::kind::kMachineSet).paused;
  // Neither label nor owner follow a name that was changed: observe() says what is wrong.
  const bool untouched = paused || cluster->metadata.name != set->spec.cluster_name;
  MachineSet after = untouched ? *set : adjusted(*set, &cluster->metadata);
  if (!untouched) fill_in_replicas(context, after);
  if (!set->metadata.deleting())
    after.metadata.finalizers = with_finalizer(after.metadata.finalizers, api::finalizer::kMachineSet);
  const auto patched = TRY(kube::patch(deps_.client, *set, after, context.deadline));
  if (!patched) return set;
  host_->consistency.wrote(kube::key_of(*set), deps_.caches.machine_sets, patched->metadata.resource_version);
  return std::make_shared<const MachineSet>(*patched);
}

// As a webhook would write it down. Computed anew in each turn, the number would follow every Machine that
// comes or goes.
void Reconciler::fill_in_replicas(const Context& context, MachineSet& set) const {
  const bool left_out = !set.spec.replicas && !set.metadata.deleting();
  if (!left_out || !context.fresh || !deps_.caches.machines.synced()) return;
  const std::int32_t there = machines_there(deps_.caches, set);
  const bool is_new = there == 0 && !set.status.replicas;
  const auto number = replicas_when_left_out(api::kind::kMachineSet, set.metadata,
                                             is_new ? std::nullopt : std::optional(there));
  if (number) set.spec.replicas = *number;  // otherwise observe() says what is wrong
}

Result<bool> Reconciler::hold_still(const ActContext& with, const MachineSet& set) {
  const auto pause = pause_of(cluster_of(set).get(), set.metadata, api::kind::kMachineSet);
  if (!pause.paused) return false;
  TRY(write_pause(with, deps_.caches.machine_sets, set, pause, kOwned));
  return true;
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, const Set& set) {
  Observation seen = observe({.deps = deps_, .host = *host_, .context = with.context}, memory_, set);
  Plan plan = decide(seen);
  if (plan.needs_count) {
    safety::count_governed(deps_.caches, set->metadata.namespace_.view(), seen.deletion_rules);
    plan = decide(seen);
  }
  log_plan(with.context.log, plan);
  const Effects effects = act(with, memory_, seen, plan);
  remember(seen, effects);
  if (effects.gone) return Outcome::done();
  if (only_awaits_grants(plan, effects)) return Outcome::after(plan.recheck);
  Reported reported = report(seen, plan, effects);
  const Outcome contested = report_contests(contests_, deps_, *set, reported.after);
  TRY(write_status(with, deps_.caches.machine_sets, *set, reported.after, kOwned));
  record_events(seen, reported.after);
  TRY(none_failed(effects.errors));
  auto outcome =
      contested.or_sooner(Outcome::after(plan.recheck)).or_sooner(Outcome::after(reported.recheck));
  if (effects.unfinished) outcome = outcome.or_sooner(Outcome::after(Nanoseconds()));
  return outcome;
}

void Reconciler::remember(const Observation& seen, const Effects& effects) {
  KnownMachines known{.set = seen.settled.set,
                      .since = seen.settled.since,
                      .wanted = seen.settled.wanted,
                      .cluster = seen.settled.cluster,
                      .deployment = seen.settled.deployment};
  for (const auto& machine : seen.machines) {
    if (seen.settled.has(*machine))
      known.machines.emplace(machine->metadata.uid, machine->metadata.resource_version);
  }
  for (const auto& [uid, version] : effects.settled) known.machines[uid] = version;
  memory_.settled.put(kube::key_of(*seen.stored), std::move(known));
}

void Reconciler::record_events(const Observation& seen, const MachineSet& after) {
  const auto about = runtime::reference_to(kube::resource_of<MachineSet>(), after.metadata);
  record_notes(deps_.events, about, news(seen, after));
  safety::record_freeze(deps_.events, about, seen.stored->status.conditions, after.status.conditions);
}

}  // namespace capstan::controllers::machineset
