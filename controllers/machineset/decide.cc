#include "controllers/machineset/decide.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "api/names.h"
#include "api/v1beta2/common.h"
#include "base/safeguards.h"
#include "controllers/inplace/hand_over.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/exhaustion.h"
#include "controllers/lifecycle/replacements.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/machineset/exhaustion.h"
#include "controllers/machineset/fleet_requests.h"
#include "controllers/machineset/held_deletions.h"
#include "controllers/machineset/kept_machines.h"
#include "controllers/machineset/named_victims.h"
#include "controllers/machineset/own_annotations.h"
#include "controllers/machineset/propagation.h"
#include "controllers/shared/recheck.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using api::Machine;
using api::NoteCode;

constexpr Seconds kPreflightRecheck = 15s;  // of what no watch of ours would tell
constexpr Seconds kBrakeRecheck = 15s;
constexpr Seconds kAbandoned = 90s;          // longer than any request of ours can be under way
constexpr Seconds kUnlistedRecheck = 1s;     // a first list comes soon, and wakes no set
constexpr Seconds kUnreadableRecheck = 30s;  // a user has to do something first

class Decider {
 public:
  explicit Decider(const Observation& seen) : seen_(seen) {}

  Plan run() {
    if (seen_.orphaning()) return std::move(plan_);
    if (!seen_.cluster && !seen_.deleting()) return without_cluster();
    own_template(seen_.bootstrap);
    own_template(seen_.infrastructure);
    if (seen_.deleting()) {
      delete_all();
      return std::move(plan_);
    }
    if (auto annotations = annotations_to_write(seen_)) act(std::move(*annotations));
    recheck_within(plan_.recheck, seen_.census.frozen.recheck);
    adopt_and_release();
    if (seen_.deployment_missing) {
      note(
          NoteCode::CreateHeldUp,
          fmt::format("MachineDeployment {} of label {} does not exist: create it again, or remove the label",
                      seen_.set.metadata.labels.value_or_empty(api::label::kDeploymentName),
                      api::label::kDeploymentName));
      return std::move(plan_);
    }
    grant_replacements();
    remediate_machines();
    hold_for_windows(seen_, plan_);
    update_machines();
    remove_clones();
    finish_machines();
    note_exhaustion();
    scale();
    hold_for_windows(seen_, plan_);
    hold_for_confirmation(seen_, plan_);
    return std::move(plan_);
  }

 private:
  template <typename Kind>
  void act(Kind action) {
    plan_.actions.push_back(std::move(action));
  }
  void note(NoteCode code, std::string text) {
    plan_.notes.push_back({.code = code, .text = std::move(text)});
  }
  void recheck(Seconds span) { recheck_within(plan_.recheck, span); }

  Plan without_cluster() {
    note(NoteCode::CreateHeldUp,
         fmt::format("Cluster {} does not exist: create it, or correct spec.clusterName",
                     seen_.set.spec.cluster_name.view()));
    return std::move(plan_);
  }

  // Kinds that don't call themselves templates stay as they are.
  void own_template(const TemplateSeen& seen) {
    if (seen.state != TemplateSeen::State::Found || !seen_.cluster) return;
    if (!seen.ref.kind.view().ends_with(api::kind::kTemplateSuffix)) return;
    const auto& metadata = seen.object->metadata;
    if (metadata.deleting()) return;
    if (owned_by_cluster(metadata)) return;
    act(OwnTemplate{.seen = seen,
                    .from = metadata.owner_references,
                    .to = runtime::with_owner(metadata.owner_references, cluster_reference())});
  }

  // What nothing controls may have been released by --cascade=orphan just now: a set on its way out does not
  // adopt.
  void delete_all() {
    if (!seen_.fresh) return;
    const bool released = release_orphans();
    const bool none_left = seen_.machines.empty() && seen_.strays.empty() && !released;
    for (const Machines* group : {&seen_.machines, &seen_.strays}) {
      for (const auto& machine : *group) remove(machine, DeleteMachine::Why::SetDeleted);
    }
    if (!none_left) return;
    // Counted as there, as any of its Machines would be.
    if (!unreadable_of(seen_).empty()) return recheck(kUnreadableRecheck);
    remove_clones();
    act(DropFinalizer{});
  }

  // True when there is one that goes with nothing yet.
  bool release_orphans() {
    bool released = false;
    for (const auto& orphan : seen_.orphans) {
      const auto& metadata = orphan->metadata;
      if (!seen_.cluster || metadata.deleting() || owned_by_cluster(metadata)) continue;
      release(orphan, ReleaseMachine::Why::Orphaned);
      released = true;
    }
    return released;
  }

  bool owned_by_cluster(const api::ObjectMeta& metadata) const {
    return std::ranges::any_of(*metadata.owner_references, [&](const auto& owner) {
      return owner.kind == api::kind::kCluster && owner.group() == api::group::kCluster &&
             owner.uid == seen_.cluster->metadata.uid;
    });
  }

  void remove(const Snapshot<Machine>& machine, DeleteMachine::Why why) {
    if (machine->metadata.deleting()) return;
    act(DeleteMachine{.machine = machine, .why = why});
  }

  void adopt_and_release() {
    for (const auto& orphan : seen_.orphans) adopt(orphan);
    const bool is_noted = seen_.census.ceiling.is_on;
    const safety::Released noted = is_noted ? to_be_noted(seen_) : safety::Released();
    for (const auto& stray : seen_.strays) {
      if (stray->metadata.deleting() || (is_noted && !noted.has(stray->metadata.name.view()))) continue;
      release(stray, ReleaseMachine::Why::LabelsChanged);
    }
  }

  void adopt(const Snapshot<Machine>& machine) {
    const api::OwnerReferences& owners = machine->metadata.owner_references;
    auto after = runtime::with_controller(owners, set_reference());
    if (after) act(AdoptMachine{.machine = machine, .from = owners, .to = std::move(*after)});
  }

  void release(const Snapshot<Machine>& machine, ReleaseMachine::Why why) {
    const api::OwnerReferences& owners = machine->metadata.owner_references;
    auto after = runtime::without_owner(owners, set_reference());
    if (seen_.cluster) after = runtime::with_owner(after, cluster_reference());
    act(ReleaseMachine{.machine = machine, .why = why, .from = owners, .to = std::move(after)});
  }

  api::OwnerReference set_reference() const {
    return runtime::controller_reference(kube::resource_of<api::MachineSet>(), seen_.stored->metadata);
  }
  api::OwnerReference cluster_reference() const {
    return runtime::owner_reference(kube::resource_of<api::Cluster>(), seen_.cluster->metadata);
  }

  // --- remediation ---

  // With a MachineDeployment that one decides, for all its sets.
  void grant_replacements() {
    if (!seen_.policy || seen_.deployment || !seen_.fresh || !seen_.problem.empty()) return;
    const auto decided =
        lifecycle::replacements({.now = seen_.now,
                                 .contact = seen_.contact,
                                 .policy = seen_.policy->spec,
                                 .machines = seen_.machines,
                                 .missing = std::max(0, seen_.desired() - number(seen_.machines.size())),
                                 .limit = lifecycle::max_in_flight(seen_.policy->spec, seen_.desired()),
                                 .may_be_replaced = [](const Machine&) { return true; }});
    recheck_within(plan_.recheck, decided.recheck);
    if (!seen_.may_remediate.open) {
      plan_.replacements_wait = lifecycle::words_for_held(decided, seen_.may_remediate.why);
      if (!plan_.replacements_wait.empty()) recheck(kPreflightRecheck);
      return;
    }
    for (const auto& machine : decided.granted) act(GrantReplacement{.machine = machine});
    plan_.replacements_wait = lifecycle::words_for_waiting(
        decided, lifecycle::in_words_max_in_flight(seen_.policy->spec, seen_.desired()));
  }

  void remediate_machines() {
    if (!seen_.problem.empty())
      return note(NoteCode::RemediationHeldUp, "nobody is remediated: " + seen_.problem);
    const bool outdated = seen_.outdated();
    const KeptMachines kept = kept_machines(seen_);
    recheck_within(plan_.recheck, kept.recheck);
    const auto ask = [&](std::vector<std::string> held) {
      return remediate({.machines = seen_.machines,
                        .now = seen_.now,
                        .deployment = seen_.deployment.get(),
                        .outdated = outdated,
                        .fresh = seen_.fresh,
                        .held = std::move(held),
                        .policy = seen_.policy ? &seen_.policy->spec : nullptr,
                        .contact = seen_.contact,
                        .desired = seen_.desired(),
                        .siblings = seen_.siblings,
                        .siblings_missing = seen_.siblings_missing,
                        .kept = [&](const Machine& each) { return kept.has(each); }});
    };
    Remediation remediation = ask({});
    if (!remediation.remove.empty() || !remediation.replace.empty()) {
      // Only who would remediate asks whether it may.
      if (auto held = against_remediation(); !held.empty()) {
        // A health check's mark says on its Machine what stands against it.
        for (const std::string& line : held)
          if (!remediation.replace.empty()) note(NoteCode::RemediationHeldUp, line);
        remediation = ask(std::move(held));
      }
    }
    if (remediation.held) recheck(kPreflightRecheck);
    if (!remediation.problem.empty()) note(NoteCode::RemediationHeldUp, remediation.problem);
    for (Mark& mark : remediation.marks) act(MarkMachine{.mark = std::move(mark)});
    for (Mark& mark : remediation.remove) {
      act(DeleteMachine{
          .machine = mark.before, .why = DeleteMachine::Why::Remediation, .first = std::move(mark)});
    }
    for (const auto& machine : remediation.replace) remove(machine, DeleteMachine::Why::Failed);
  }

  std::vector<std::string> against_remediation() {
    std::vector<std::string> lines = preflight_lines();
    if (!seen_.may_remediate.open) lines.push_back(seen_.may_remediate.why);
    return lines;
  }

  // --- preflight ---

  const Preflight& checked() {
    if (!preflight_) preflight_ = preflight(question());
    return *preflight_;
  }

  PreflightQuestion question() const {
    const api::MachineSpec& machine = seen_.set.spec.machine_template.spec;
    const auto& config = machine.bootstrap.config_ref;
    return {.control_plane = seen_.control_plane,
            .machine_version = machine.version.view(),
            .kubeadm = config && config->kind == api::kind::kKubeadmConfigTemplate &&
                       config->api_group == api::group::kBootstrap,
            .topology_version = seen_.topology_version,
            .upgrade_step = seen_.cluster == nullptr ? std::string_view()
                                                     : seen_.cluster->metadata.annotations.value_or_empty(
                                                           api::annotation::kTopologyUpgradeStep),
            .enabled = seen_.preflight_checks,
            .skipped = skipped_checks()};
  }

  // On the set, or else on its bootstrap template.
  std::string_view skipped_checks() const {
    const auto own = seen_.set.metadata.annotations.value_or_empty(api::annotation::kSkipPreflightChecks);
    if (!own.empty() || !seen_.bootstrap.object) return own;
    return seen_.bootstrap.object->metadata.annotations.value_or_empty(api::annotation::kSkipPreflightChecks);
  }

  std::vector<std::string> preflight_lines() {
    const Preflight& result = checked();
    std::vector<std::string> lines = result.failed;
    if (!result.error.empty()) {
      lines.push_back("failed to perform preflight checks: " + result.error);
    }
    return lines;
  }

  // --- propagation ---

  void update_machines() {
    if (!seen_.problem.empty()) return;  // what the spec means is in doubt
    for (const UnsettledMachine& machine : seen_.unsettled) {
      // What it owns tells which labels of its objects are ours, until these have been seen to, too.
      if (machine.complete || !machine.listed_soon) update_machine(seen_.set, machine, plan_);
      if (!machine.complete) recheck(machine.listed_soon ? kUnlistedRecheck : kUnreadableRecheck);
    }
  }

  // --- Machines without their objects ---

  // Not asked: whether the control plane is ready for another Machine. This one is there already.
  void finish_machines() {
    if (is_off(Safeguard::Finishing)) return;
    if (!seen_.problem.empty() || creates_nothing()) return;
    if (staying() > seen_.desired()) return;  // they may be the ones to go
    FinishMachines action;
    for (const UnsettledMachine& machine : seen_.unsettled) {
      if (!machine.unfinished() || is_held(*machine.machine)) continue;
      machine.as_made_now ? action.machines.push_back(machine) : note_leftover(machine);
    }
    if (action.machines.empty()) return;
    if (has(seen_.bootstrap) && has(seen_.infrastructure) && seen_.may_create.open && seen_.fresh) {
      return act(std::move(action));
    }
    recheck(is_unlisted() ? kUnlistedRecheck : kPreflightRecheck);
    if (present() < seen_.desired()) return;  // scale_up() says why
    note_templates();
    note_brakes();
  }

  // Made under another naming or from another template, or a user's own: its objects are not the set's to
  // make, and their maker may need a moment.
  void note_leftover(const UnsettledMachine& leftover) {
    const Machine& machine = *leftover.machine;
    const Seconds age = seen_.now - machine.metadata.creation_timestamp;
    if (age < kAbandoned) return recheck(kAbandoned - age);
    const auto& config = machine.spec.bootstrap.config_ref;
    const std::string bootstrap = leftover.lacks_bootstrap ? "no " + config->kind.str() : "";
    const std::string infrastructure =
        leftover.lacks_infrastructure ? "no " + machine.spec.infrastructure_ref.kind.str() : "";
    note(NoteCode::LeftoverObject,
         fmt::format("Machine {} has {}{}{}, and is not what spec.machineNaming and spec.template make now: "
                     "give it what it lacks, or delete it, another one will be made",
                     machine.metadata.name.view(), bootstrap,
                     bootstrap.empty() || infrastructure.empty() ? "" : " and ", infrastructure));
  }

  std::int32_t staying() const {
    return number(static_cast<std::size_t>(std::ranges::count_if(
        seen_.machines, [](const auto& machine) { return !machine->metadata.deleting(); })));
  }

  static bool is_held(const Machine& machine) {
    return machine.metadata.annotations.contains(api::annotation::kPaused);
  }
  static bool has(const TemplateSeen& seen) {
    return seen.state == TemplateSeen::State::Found || seen.state == TemplateSeen::State::Unused;
  }
  bool creates_nothing() const { return annotation(api::annotation::kDisableMachineCreate) == "true"; }

  // --- clones of no Machine ---

  void remove_clones() {
    if (!seen_.fresh || seen_.clones.empty()) return;
    const auto used = used_names();
    RemoveClones action;
    for (const CloneSeen& clone : seen_.clones) {
      const auto& metadata = clone.object->metadata;
      if (metadata.deleting() || used.contains(metadata.name.str())) continue;
      // Its Machine may be about to be made: by a request of ours that is still under way, or was when the
      // process before this one died.
      const Seconds age = seen_.now - metadata.creation_timestamp;
      if (age >= kAbandoned || seen_.deleting()) {
        action.clones.push_back(clone);
      } else {
        recheck(kAbandoned - age);
      }
    }
    if (!action.clones.empty()) act(std::move(action));
  }

  // Names of what Machines refer to: of all Machines that were seen, whatever owns them by now.
  std::unordered_set<std::string> used_names() const {
    std::unordered_set<std::string> names;
    for (const Machines* group : {&seen_.machines, &seen_.strays, &seen_.orphans}) {
      for (const auto& machine : *group) {
        names.insert(machine->spec.infrastructure_ref.name.str());
        if (const auto& config = machine->spec.bootstrap.config_ref) names.insert(config->name.str());
      }
    }
    return names;
  }

  // --- replicas ---

  // Its Machines may go before that time is over.
  void note_exhaustion() {
    const auto until = exhausted_until(seen_);
    if (until) recheck(*until - seen_.now);
    const bool noted =
        seen_.stored->metadata.annotations.contains(api::policy::annotation::kResourceExhaustedUntil);
    const bool same = until ? lifecycle::exhausted_until(seen_.stored->metadata) == until : !noted;
    if (seen_.fresh && !same) act(NoteExhaustion{.until = until});
  }

  static std::int32_t number(std::size_t size) { return static_cast<std::int32_t>(size); }

  // Everything that is ours or about to be, deleting or not: while it is there, nothing takes its place.
  std::int32_t present() const {
    return number(seen_.machines.size() + seen_.strays.size() + seen_.orphans.size()) + coming();
  }

  // On a set without a MachineDeployment the names mean nothing: they came with a copied manifest.
  bool hands_over() const { return seen_.deployment && !is_off(Safeguard::HandOver); }

  // From another set of the MachineDeployment, which moves them.
  std::int32_t coming() const {
    if (!hands_over()) return 0;
    const auto names = inplace::taken_over_by(seen_.set.metadata);
    return number(static_cast<std::size_t>(std::ranges::count_if(names, [&](const std::string& name) {
      return std::ranges::find(seen_.machines, name, [](const auto& each) {
               return each->metadata.name.view();
             }) == seen_.machines.end();
    })));
  }

  void scale() {
    if (!seen_.problem.empty()) {
      note(NoteCode::CreateHeldUp, seen_.problem);
      return note(NoteCode::ScaleDownHeldUp, "nothing is scaled: " + seen_.problem);
    }
    const NamedVictims victims = named_victims(seen_);
    const std::int32_t surplus = number(seen_.machines.size()) - not_yet_ours() - seen_.desired();
    if (present() < seen_.desired()) {
      scale_up(seen_.desired() - present());
      scale_down(0, victims);
    } else {
      scale_down(std::max(0, surplus), victims);
    }
    write_victims(victims);
  }

  void scale_up(std::int32_t missing) {
    if (creates_nothing()) return;
    if (is_unlisted()) return recheck(kUnlistedRecheck);
    note_unreadable();
    note_templates();
    if (seen_.bootstrap.missing() || seen_.infrastructure.missing()) return recheck(kPreflightRecheck);
    if (checked().made_soon) return recheck(kUnlistedRecheck);
    auto lines = preflight_lines();
    plan_.preflight_failed = !lines.empty();
    for (std::string& line : lines) note(NoteCode::CreateHeldUp, std::move(line));
    note_brakes();
    if (const auto until = exhausted_until(seen_)) note(NoteCode::CreateHeldUp, exhaustion_text(*until));
    const auto allowed = static_cast<std::int32_t>(safety::allowed_by(seen_.census.ceiling, missing));
    if (allowed == 0) note(NoteCode::CreateHeldUp, safety::ceiling_in_words(seen_.census.ceiling));
    if (!plan_.notes_about(NoteCode::CreateHeldUp).empty()) return recheck(kPreflightRecheck);
    act(CreateMachines{.count = allowed});
  }

  void note_unreadable() {
    for (const auto& machine : seen_.unreadable) {
      note(NoteCode::CreateHeldUp,
           machine.problem + ": no Machine is made in its place; mend it, or delete it");
    }
  }
  bool is_unlisted() const {
    constexpr auto kUnlisted = TemplateSeen::State::Unlisted;
    return seen_.bootstrap.state == kUnlisted || seen_.infrastructure.state == kUnlisted;
  }
  void note_templates() {
    for (const TemplateSeen* seen : {&seen_.bootstrap, &seen_.infrastructure}) {
      if (seen->state == TemplateSeen::State::Unknown) note(NoteCode::CreateHeldUp, template_problem(*seen));
    }
  }
  void note_brakes() {
    if (!seen_.may_create.open) note(NoteCode::CreateHeldUp, seen_.may_create.why);
    if (!seen_.fresh) note(NoteCode::CreateHeldUp, staleness());
  }

  std::string template_problem(const TemplateSeen& seen) const {
    const bool bootstrap = &seen == &seen_.bootstrap;
    return fmt::format("spec.template.spec.{} ({} {}): {}",
                       bootstrap ? "bootstrap.configRef" : "infrastructureRef", seen.ref.kind.view(),
                       seen.ref.name.view(), seen.problem);
  }

  std::string staleness() const {
    return seen_.stale.empty() ? std::string("the caches are not up to date") : seen_.stale;
  }

  // Named Machines go whatever the replicas are; what is still too many is chosen among the others.
  void scale_down(std::int32_t surplus, const NamedVictims& victims) {
    if (surplus == 0 && victims.none()) return;
    if (!annotation(api::annotation::kMoveMachinesTo).empty()) return;  // another core moves them in place
    if (!seen_.fresh) return note(NoteCode::ScaleDownHeldUp, staleness());
    if (!seen_.may_scale_down.open) {
      note(NoteCode::ScaleDownHeldUp, seen_.may_scale_down.why);
      return recheck(kBrakeRecheck);
    }
    const auto order = parse_deletion_order(seen_.set.spec.deletion.order.view());
    if (!order) return;  // seen_.problem has said it
    // Who goes already uses up the surplus first, so that no turn deletes twice for one wish.
    Machines ordered =
        in_deletion_order(counted(), {.order = *order,
                                      .now = seen_.now,
                                      .by_lifecycle = seen_.policy && seen_.policy->spec.scale_in,
                                      .named = [&](const Machine& each) { return victims.goes_first(each); },
                                      .preserved_last = !seen_.is_rolled_away()});
    const auto going = being_remediated();
    surplus -=
        number(std::erase_if(ordered, [&](const auto& each) { return going.contains(each->metadata.uid); }));
    for (const auto& machine : ordered) {
      if (surplus-- > 0 || victims.has(*machine)) remove(machine, DeleteMachine::Why::ScaleDown);
    }
  }

  void write_victims(const NamedVictims& victims) {
    recheck_within(plan_.recheck, victims.own.recheck);
    const auto& annotations = seen_.stored->metadata.annotations;
    std::string from = lifecycle::victims_said(annotations);
    if (!seen_.fresh || from == victims.own.value()) return;
    act(WriteVictims{
        .from = std::move(from),
        .to = victims.own.value(),
        .dropped = lifecycle::reasons(victims.own),
        .overruled = lifecycle::overruled_alias(annotations, api::policy::annotation::kVictims)});
  }

  std::unordered_set<api::Uid> being_remediated() const {
    std::unordered_set<api::Uid> going;
    for (const Action& action : plan_.actions) {
      const auto* removal = std::get_if<DeleteMachine>(&action);
      if (removal != nullptr) going.insert(removal->machine->metadata.uid);
    }
    return going;
  }

  std::string_view annotation(std::string_view key) const {
    return seen_.set.metadata.annotations.value_or_empty(key);
  }

  bool is_counted(const Machine& machine) const {
    const auto leaving = inplace::handed_over_by(seen_.set.metadata);
    if (hands_over() && inplace::has_name(leaving, machine.metadata.name.view())) return false;
    return annotation(api::annotation::kReceiveMachinesFrom).empty() ||
           !machine.metadata.annotations.contains(api::annotation::kPendingAcknowledgeMove);
  }
  std::int32_t not_yet_ours() const { return number(seen_.machines.size() - counted().size()); }
  Machines counted() const {
    Machines list;
    std::ranges::copy_if(seen_.machines, std::back_inserter(list),
                         [&](const auto& machine) { return is_counted(*machine); });
    return list;
  }

  const Observation& seen_;
  Plan plan_ = {};
  std::optional<Preflight> preflight_ = {};
};

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan = Decider(seen).run();
  await_fleet_grants(seen, plan);
  if (seen.fresh) name_causes(seen, plan);
  return plan;
}

std::vector<std::string> unreadable_of(const Observation& seen) {
  std::vector<std::string> problems;
  for (const auto& machine : seen.unreadable) {
    if (machine.may_be_owned_by(seen.stored->metadata.uid)) problems.push_back(machine.problem);
  }
  return problems;
}

std::vector<std::string> Plan::notes_about(api::NoteCode code) const {
  std::vector<std::string> lines;
  for (const Note& each : notes) {
    if (each.code == code) lines.push_back(each.text);
  }
  return lines;
}

}  // namespace capstan::controllers::machineset
