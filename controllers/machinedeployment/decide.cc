#include "controllers/machinedeployment/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/inplace/decide.h"
#include "controllers/inplace/sizes.h"
#include "controllers/machinedeployment/held_rolls.h"
#include "controllers/machinedeployment/lifecycle_steps.h"
#include "controllers/machinedeployment/release.h"
#include "controllers/machinedeployment/rollback.h"
#include "controllers/machinedeployment/settled.h"
#include "controllers/rollout/completion.h"
#include "controllers/rollout/moves.h"
#include "controllers/rollout/new_set.h"
#include "controllers/rollout/on_delete.h"
#include "controllers/rollout/recreate.h"
#include "controllers/rollout/rolling_update.h"
#include "controllers/rollout/scaling.h"
#include "controllers/rollout/set_intent.h"
#include "controllers/shared/finalizer.h"
#include "controllers/shared/held_up.h"
#include "controllers/shared/recheck.h"
#include "controllers/shared/stale_deletions.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinedeployment {
namespace {

constexpr Seconds kTemplateRecheck{15};  // nothing leads from a new template to those who miss it
constexpr Seconds kAdoptionRecheck{60};  // nor from a policy; each try is a request

using rollout::Choice;
using rollout::Fleet;
using rollout::Limits;
using rollout::Revision;
using rollout::Scaling;
using rollout::SetCounts;

kube::Resource deployments() {
  const auto& info = api::resource<api::MachineDeployment>;
  return {
      .group = std::string(info.group), .version = std::string(info.version), .kind = std::string(info.kind)};
}

kube::Resource clusters() {
  const auto& info = api::resource<api::Cluster>;
  return {
      .group = std::string(info.group), .version = std::string(info.version), .kind = std::string(info.kind)};
}

api::OwnerReference as_controller(const Observation& seen) {
  return runtime::controller_reference(deployments(), seen.stored->metadata);
}

// Only of a deployment whose Cluster is there.
api::OwnerReference cluster_of(const Observation& seen) {
  return runtime::owner_reference(clusters(), seen.cluster->metadata);
}

void adopt(const Observation& seen, Plan& plan) {
  for (const auto& orphan : seen.orphans) {
    const auto& owners = orphan->metadata.owner_references;
    plan.actions.push_back(
        AdoptSet{.set = orphan, .from = owners, .to = runtime::with_owner(owners, as_controller(seen))});
  }
}

void release(const Observation& seen, Plan& plan) {
  for (const auto& set : sets_to_release(seen)) {
    const auto& owners = set->metadata.owner_references;
    const auto others = runtime::without_owner(owners, as_controller(seen));
    plan.actions.push_back(
        ReleaseSet{.set = set, .from = owners, .to = runtime::with_owner(others, cluster_of(seen))});
  }
}

void try_again_to_adopt(const Observation& seen, Plan& plan) {
  if (!seen.unadopted.empty()) recheck_within(plan.recheck, kAdoptionRecheck);
}

// --- deletion ---

// The garbage collector is taking it out of its MachineSets, as --cascade=orphan wants it.
bool is_orphaning(const Observation& seen) {
  return seen.stored->metadata.has_finalizer(api::finalizer::kOrphan) && !is_off(Safeguard::OrphanFinalizer);
}

Plan decide_deletion(const Observation& seen) {
  Plan plan;
  recheck_within(plan.recheck, next_stale_deletion(seen.machines, seen.now));
  if (!seen.complete || !seen.stored->metadata.has_finalizer(api::finalizer::kMachineDeployment)) return plan;
  if (is_orphaning(seen)) return plan;
  for (const auto& set : seen.sets) {
    if (set->metadata.deleting()) continue;
    plan.notes.push_back({.about = set->metadata.name.str(),
                          .code = api::NoteCode::RolloutStep,
                          .text = "the MachineDeployment is being deleted"});
    plan.actions.push_back(DeleteSet{.set = set});
  }
  // A MachineSet without a controller may be one that --cascade=orphan has just released: it is left alone.
  const bool all_gone = seen.sets.empty() && seen.departed.empty() && seen.unreadable.empty();
  if (all_gone) plan.actions.push_back(DropFinalizer{});
  if (!seen.unreadable.empty()) recheck_within(plan.recheck, kTemplateRecheck);
  return plan;
}

// --- the deployment's own metadata ---

api::ObjectMeta own_metadata(const Observation& seen) {
  api::ObjectMeta metadata = seen.stored->metadata;
  metadata.finalizers = with_finalizer(metadata.finalizers, api::finalizer::kMachineDeployment);
  metadata.labels.set(Text(api::label::kClusterName),
                      seen.cluster ? seen.cluster->metadata.name : seen.stored->spec.cluster_name);
  if (seen.cluster)
    metadata.owner_references = runtime::with_owner(metadata.owner_references, cluster_of(seen));
  safety::note_thaw(metadata, seen.now);
  safety::note_released(sets_to_note(seen), metadata);
  return metadata;
}

void own_templates(const Observation& seen, Plan& plan) {
  if (!seen.cluster) return;
  for (const TemplateSeen* each : {&seen.infrastructure, &seen.bootstrap}) {
    if (each->state != TemplateSeen::State::Exists) continue;
    if (!std::string_view(each->kind).ends_with(api::kind::kTemplateSuffix)) continue;
    auto owners = runtime::with_owner(each->owners, cluster_of(seen));
    if (owners == each->owners) continue;
    plan.actions.push_back(OwnTemplate{.which = *each, .from = each->owners, .to = std::move(owners)});
  }
}

// --- the rollout ---

// Of a number that an edit took out, what the set has stands for it: taken for one, a set of five would be
// held at that where no surge is allowed. One is the default of a set that has reported nothing.
Count replicas_of(const api::MachineSet& set) {
  return set.spec.replicas.value_or(set.status.replicas.value_or(1));
}

Count machines_of(const api::MachineSet& set, std::span<const Snapshot<api::Machine>> owned) {
  return std::ranges::count_if(owned, [&](const auto& machine) {
    return runtime::is_controlled_by(machine->metadata, set.metadata.uid);
  });
}

// Whether this size was a step of a rollout that windows and guard let go.
bool was_rolled_to(const api::MachineSet& set, Count replicas) {
  return set.metadata.annotations.value_or_empty(api::policy::annotation::kRolledTo) ==
         std::to_string(replicas);
}

Count held_by(const api::MachineSet& set, std::span<const Snapshot<api::Machine>> owned) {
  if (was_rolled_to(set, replicas_of(set))) return 0;
  const auto staying = std::ranges::count_if(owned, [&](const auto& machine) {
    return !machine->metadata.deleting() && runtime::is_controlled_by(machine->metadata, set.metadata.uid);
  });
  return std::max<Count>(0, staying - replicas_of(set));
}

// Only where the status is about the Machines that are seen: one that is older may count who leaves among the
// available, and no other Machine may be let go for that.
Count leaving_of(const api::MachineSet& set, std::span<const Snapshot<api::Machine>> owned) {
  if (!is_settled(set) || machines_of(set, owned) != set.status.replicas.value_or(0)) return 0;
  Count leaving = 0;
  Count available = 0;
  for (const auto& machine : owned) {
    if (!runtime::is_controlled_by(machine->metadata, set.metadata.uid)) continue;
    if (machine->metadata.deleting()) {
      ++leaving;
    } else if (api::conditions::is_true(machine->status.conditions, api::condition::kAvailable)) {
      ++available;
    }
  }
  return set.status.available_replicas.value_or(0) <= available ? leaving : 0;
}

// A status from before the last change of the spec may not know of Machines made since; what is there counts
// then. A newer status is on its way, so that a cache that still shows Machines long gone can't hold a
// rollout.
SetCounts counts_of(const api::MachineSet& set, std::span<const Snapshot<api::Machine>> owned) {
  Count status = set.status.replicas.value_or(0);
  if (set.status.observed_generation < set.metadata.generation)
    status = std::max(status, machines_of(set, owned));
  return {.name = set.metadata.name.str(),
          .created = set.metadata.creation_timestamp,
          .spec = replicas_of(set),
          .status = status,
          .available = set.status.available_replicas.value_or(0),
          .leaving = leaving_of(set, owned),
          .settled = is_settled(set)};
}

std::size_t kept_history(const Observation& seen) {
  if (!seen.rollout || is_off(Safeguard::RevisionHistory)) return 0;
  constexpr auto kDefault = api::PolicyRollout::kRevisionHistoryLimit;
  return static_cast<std::size_t>(std::max(0, seen.rollout->revision_history_limit.value_or(kDefault)));
}

// One rollout, from what is there to the actions of its next step.
class Rollout {
 public:
  // The revision goes into `own`, the deployment's own metadata.
  Rollout(const Observation& seen, Plan& plan, api::ObjectMeta& own)
      : seen_(seen),
        plan_(plan),
        own_(own),
        choice_(rollout::choose_sets(seen.deployment, seen.sets, seen.now)),
        intent_{.deployment = seen.deployment,
                .limits = rollout::limits_of(seen.deployment).value_or(Limits()),
                .owner = as_controller(seen)},
        paused_(seen.deployment.spec.paused.value_or(false)),
        held_(!seen.may_roll.open) {}

  void step() {
    plan_.newest = choice_.newest;
    const auto revision = rollout::revision_of_newest(choice_.newest.get(), choice_.old);
    if (!revision) return give_up(revision.error());
    revision_ = *revision;
    if (held_) note_brake();
    if (!choice_.newest && moves_on() && !can_create()) return;
    updates_ = update_in_place();
    const Fleet fleet = count();
    Scaling scaling = scale(fleet);
    const RollStep roll{
        .fleet = fleet, .paused = paused_, .on_delete = rollout::is_on_delete(seen_.deployment)};
    const bool is_confirmed = hold_rolls(seen_, roll, scaling, plan_);
    name_unsettled();
    plan_.notes.insert(plan_.notes.end(), scaling.notes.begin(), scaling.notes.end());
    for (const auto& machine : updates_.recounted) plan_.actions.push_back(ConfirmMachine{machine});
    newest_action(fleet, scaling);
    old_actions(fleet, scaling);
    if (plan_.stuck) return;
    for (inplace::Action& action : updates_.actions)
      plan_.actions.push_back(UpdateInPlace{.action = std::move(action)});
    if (is_confirmed) own_.annotations.erase(api::policy::annotation::kConfirmDeletion);
    note_replicas();
    // While it waits there is no new revision yet; the one it has goes on to name its MachineSets.
    if (choice_.newest || moves_on()) {
      own_.annotations.set(api::annotation::kRevision, revision_.number);
    }
  }

 private:
  // Otherwise there is no new set, and none goes.
  bool moves_on() const { return !paused_ && !held_; }

  inplace::Question question() const {
    return {.now = seen_.now,
            .seen = seen_.updates,
            .deployment = seen_.deployment,
            .choice = choice_,
            .limits = intent_.limits,
            .may_go_on = moves_on()};
  }

  inplace::Plan update_in_place() {
    auto updates = inplace::decide(question());
    recheck_within(plan_.recheck, updates.recheck);
    plan_.held.insert(plan_.held.end(), updates.told.begin(), updates.told.end());
    if (!updates.held.empty()) plan_.held_by = updates.held;
    return updates;
  }

  void note_brake() {
    plan_.brake = seen_.may_roll.why;
    recheck_within(plan_.recheck, kHeldRecheck);
  }

  void give_up(const Error& error) {
    plan_.stuck = true;
    plan_.actions.clear();
    plan_.faults.push_back({.because = error.message, .remedy = error.message});
  }

  bool can_create() {
    if (has_unlisted_template(seen_)) plan_.too_early = kListRecheck;
    if (plan_.faults.empty() && !plan_.too_early) return true;
    plan_.stuck = true;
    recheck_within(plan_.recheck, plan_.too_early ? kListRecheck : kTemplateRecheck);
    return false;
  }

  Fleet count() {
    Fleet fleet{.limits = intent_.limits};
    if (seen_.rollout) fleet.slow_start = seen_.rollout->slow_start;
    if (choice_.newest) {
      fleet.newest = counts_of(*choice_.newest, seen_.owned);
      arrivals_ = rollout::arrivals(*choice_.newest, seen_.owned);
      fleet.newest->spec += static_cast<Count>(arrivals_.fresh.size());
      if (!arrivals_.fresh.empty()) {
        plan_.notes.push_back({.about = fleet.newest->name,
                               .code = api::NoteCode::RolloutStep,
                               .text = fmt::format("acknowledge {} Machines moved from an old MachineSet",
                                                   arrivals_.fresh.size())});
      }
    } else if (moves_on()) {
      fleet.newest = SetCounts{.name = rollout::set_name(seen_.stored->metadata.name.view(), seen_.suffix),
                               .created = seen_.now};
      plan_.notes.push_back({.about = fleet.newest->name,
                             .code = api::NoteCode::RolloutStep,
                             .text = "new MachineSet: " + choice_.why_none});
    }
    for (const auto& set : choice_.old) {
      fleet.old.push_back(counts_of(*set, seen_.owned));
      if (seen_.deletion_rules.are_there()) fleet.old.back().held = held_by(*set, seen_.owned);
    }
    if (seen_.updates.wanted) fleet = inplace::by_machines(std::move(fleet), question(), updates_.keeps_old);
    inplace::count_hand_overs(updates_.hand_overs, fleet);
    return fleet;
  }

  Scaling scale(const Fleet& fleet) const {
    if (held_) return {};
    const bool recreates = seen_.rollout && seen_.rollout->recreate;
    if (recreates && fleet.newest && (!paused_ || rollout::is_between(fleet)))
      return rollout::plan_recreate(fleet);
    const bool on_delete = rollout::is_on_delete(seen_.deployment);
    if (updates_.keeps_old && !paused_) return inplace::plan_sizes(fleet);
    if (paused_) return rollout::plan_paused(fleet, on_delete);
    return on_delete ? rollout::plan_on_delete(fleet) : rollout::plan_rolling_update(fleet);
  }

  // For a moment it is so with every step, and telling that would cost writes.
  void name_unsettled() {
    for (const auto& set : seen_.sets) {
      const auto waiting = std::ranges::find(seen_.waiting, set->metadata.uid, &Waiting::set);
      if (waiting == seen_.waiting.end()) continue;
      const Seconds waited = seen_.now - waiting->since;
      if (waited >= kHeldUp) {
        plan_.waits_for.push_back(set->metadata.name.str());
      } else {
        recheck_within(plan_.recheck, kHeldUp - waited);
      }
    }
    std::ranges::sort(plan_.waits_for);
  }

  void newest_action(const Fleet& fleet, const Scaling& scaling) {
    if (!fleet.newest) return;
    const Count to = size_of(*fleet.newest, scaling);
    if (!choice_.newest) {
      const auto fresh = std::make_shared<const api::MachineSet>(
          intent_.fresh(seen_.suffix, revision_, to,
                        rollout::has_begun_rollout_after(seen_.deployment, seen_.sets, seen_.now)));
      plan_.newest = fresh;
      plan_.actions.push_back(CreateSet{.set = *fresh});
      return;
    }
    auto wanted = intent_.newest(*choice_.newest, revision_, to);
    if (!wanted) return give_up(wanted.error());
    if (!arrivals_.pending.empty()) {
      wanted->metadata.annotations.set(api::annotation::kAcknowledgedMove, arrivals_.acknowledged());
    }
    note_updates(*wanted);
    apply(choice_.newest, std::move(*wanted), to);
  }

  static Count size_of(const SetCounts& set, const Scaling& scaling) {
    return scaling.of(set.name).value_or(set.spec);
  }

  void note_updates(api::MachineSet& set) const {
    const auto moved = updates_.hand_overs.find(set.metadata.name.str());
    if (moved != updates_.hand_overs.end()) inplace::write_names(moved->second, set.metadata.annotations);
  }

  void old_actions(const Fleet& fleet, const Scaling& scaling) {
    const auto done =
        moves_on() ? rollout::finished_sets(seen_.deployment, choice_, seen_.owned, kept_history(seen_))
                   : std::vector<rollout::SetSnapshot>();
    const std::string newest = fleet.newest ? fleet.newest->name : std::string();
    for (std::size_t at = 0; at < choice_.old.size() && !plan_.stuck; ++at) {
      const auto& set = choice_.old[at];
      if (std::ranges::find(done, set) != done.end()) continue;
      const Count to = size_of(fleet.old[at], scaling);
      auto wanted = intent_.old(*set, newest, to);
      if (!wanted) return give_up(wanted.error());
      note_updates(*wanted);
      note_step(*set, to, *wanted);
      if (updates_.keeps_old && !paused_)
        wanted->metadata.annotations.set(api::annotation::kDisableMachineCreate, "true");
      apply(set, std::move(*wanted), to);
    }
    for (const auto& set : done) {
      if (plan_.stuck) return;
      plan_.notes.push_back({.about = set->metadata.name.str(),
                             .code = api::NoteCode::RolloutStep,
                             .text = "rollout complete: remove the old MachineSet"});
      plan_.actions.push_back(DeleteSet{.set = set});
    }
  }

  // Then the set asks neither windows nor guard again.
  void note_step(const api::MachineSet& set, Count to, api::MachineSet& wanted) const {
    if (!seen_.deletion_rules.are_there()) return;
    if (to < replicas_of(set) || was_rolled_to(set, to))
      wanted.metadata.annotations.set(Text(api::policy::annotation::kRolledTo), std::to_string(to));
  }

  // A MachineSet has the number of replicas noted for the case that it is left out. A paused deployment makes
  // none in the place of its last one: it keeps the number itself until it has a MachineSet again.
  void note_replicas() {
    const bool set_stays =
        std::ranges::any_of(seen_.sets, [](const auto& set) { return !set->metadata.deleting(); });
    auto& annotations = own_.annotations;
    if (held_ && !set_stays) return;
    if (!paused_ || set_stays) {
      annotations.erase(api::annotation::kDesiredReplicas);
    } else {
      annotations.set(api::annotation::kDesiredReplicas, std::to_string(intent_.limits.desired));
    }
  }

  void apply(const rollout::SetSnapshot& present, api::MachineSet wanted, Count to) {
    plan_.actions.push_back(ApplySet{.present = present,
                                     .wanted = std::move(wanted),
                                     .from = replicas_of(*present),
                                     .to = to,
                                     .while_paused = paused_});
  }

  const Observation& seen_;
  Plan& plan_;
  api::ObjectMeta& own_;
  const Choice choice_;
  const rollout::SetIntent intent_;
  const bool paused_;
  const bool held_;  // by a brake
  Revision revision_ = {};
  rollout::Arrivals arrivals_ = {};
  inplace::Plan updates_ = {};
};

// A set it may not adopt does not count, and it goes on with those it has. Without any, the Machines it wants
// may well be in that set: made once more, half of them would go again as soon as it may adopt.
bool waits_for_adoption(const Observation& seen) { return seen.sets.empty() && !seen.unadopted.empty(); }

void wait_for_times(const Observation& seen, Plan& plan) {
  const auto begin = rollout::begin_of_rollout_after(seen.deployment);
  if (begin && *begin > seen.now) recheck_within(plan.recheck, *begin - seen.now);
  recheck_within(plan.recheck, next_stale_deletion(seen.machines, seen.now));
}

Plan decide_sets(const Observation& seen, api::ObjectMeta& own) {
  Plan plan{.faults = faults_of(seen)};
  wait_for_times(seen, plan);
  plan.stuck = !plan.faults.empty();
  const auto missing = missing_templates(seen);
  plan.faults.insert(plan.faults.end(), missing.begin(), missing.end());
  if (has_unlisted_template(seen)) recheck_within(plan.recheck, kListRecheck);
  if (!seen.unreadable.empty()) recheck_within(plan.recheck, kTemplateRecheck);
  if (!missing.empty() || awaits_release(seen)) recheck_within(plan.recheck, kTemplateRecheck);
  if (plan.stuck || !seen.complete) {
    plan.newest = rollout::choose_sets(seen.deployment, seen.sets, seen.now).newest;
    plan.stuck = true;
    return plan;
  }
  release(seen, plan);
  plan.stuck = !plan.actions.empty();
  if (plan.stuck) return plan;
  adopt(seen, plan);
  try_again_to_adopt(seen, plan);
  // What is written now brings the next turn.
  plan.stuck = !seen.orphans.empty() || waits_for_adoption(seen);
  if (plan.stuck) return plan;
  own_templates(seen, plan);
  for (const auto& set : seen.unmanaged) plan.actions.push_back(RepairManagers{.set = set});
  plan.stuck = !seen.unmanaged.empty();
  if (!plan.stuck) Rollout(seen, plan, own).step();
  return plan;
}

// Where a step can't be decided nothing is written, this neither.
void write_metadata(const Observation& seen, api::ObjectMeta own, Plan& plan) {
  const api::ObjectMeta& stored = seen.stored->metadata;
  if (own == stored) return;
  const bool releases = !sets_to_release(seen).empty();
  const bool first = releases || !stored.has_finalizer(api::finalizer::kMachineDeployment);
  plan.actions.insert(first ? plan.actions.begin() : plan.actions.end(),
                      WriteMetadata{.from = stored, .to = std::move(own)});
}

}  // namespace

Plan decide(const Observation& seen) {
  if (seen.stored->metadata.deleting()) return decide_deletion(seen);
  if (auto rollback = plan_rollback(seen)) return std::move(*rollback);
  api::ObjectMeta own = own_metadata(seen);
  Plan plan = decide_sets(seen, own);
  recheck_within(plan.recheck, seen.census.frozen.recheck);
  write_metadata(seen, std::move(own), plan);
  grant_replacements(seen, plan);
  settle_victims(seen, plan);
  return plan;
}

}  // namespace capstan::controllers::machinedeployment
