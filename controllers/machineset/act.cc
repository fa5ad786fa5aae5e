#include "controllers/machineset/act.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "api/notes.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/claims/removal.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/machineset/clone_metadata.h"
#include "controllers/machineset/confirm_count.h"
#include "controllers/machineset/creation.h"
#include "controllers/safety/deleted_for.h"
#include "controllers/safety/fleet_annotations.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/shared/grant.h"
#include "controllers/shared/repair_managers.h"
#include "controllers/shared/status_patch.h"
#include "controllers/shared/turn_steps.h"
#include "kube/apply.h"
#include "runtime/note.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

using api::Machine;
using api::MachineSet;
using api::NoteCode;

constexpr std::array kOwnedOfMachine = {api::condition::kOwnerRemediated};
constexpr std::array kOwnedOfMachineV1Beta1 = {api::v1beta1_condition::kOwnerRemediated};

class Turn {
 public:
  Turn(const ActContext& with, const Settings& settings, const Observation& seen)
      : with_(with), settings_(settings), seen_(seen), key_(runtime::key_of(*seen.stored)) {}

  Effects run(const Plan& plan) {
    for (const Action& action : plan.actions) {
      const Result<void> done = std::visit([&](const auto& each) { return perform(each); }, action);
      if (!done) effects_.errors.push_back(done.error());
    }
    settle(plan);
    return std::move(effects_);
  }

 private:
  kube::Client& client() const { return with_.deps.client; }
  const Deadline& deadline() const { return with_.context.deadline; }

  void record(NoteCode code, std::string text) {
    record_note(with_.deps.events,
                runtime::reference_to(kube::resource_of<MachineSet>(), seen_.stored->metadata),
                {.code = code, .text = std::move(text)});
  }

  void wrote(api::ResourceVersion version) {
    with_.host.consistency.wrote(key_, with_.deps.caches.machines, version);
  }

  // --- templates, and the end ---

  Result<void> perform(const OwnTemplate& action) {
    const TemplateSeen& seen = action.seen;
    const auto& metadata = seen.object->metadata;
    const auto written =
        kube::patch_briefly(client(), seen.resource, {key_.namespace_, metadata.name.str()},
                            runtime::owners_patch(action.to, metadata.resource_version), {}, deadline());
    // Another write was faster: the next turn looks again.
    if (!written && written.error().code != Code::NotFound && written.error().code != Code::Conflict) {
      return fail(written.error().context(
          fmt::format("own template {} {}/{}", seen.ref.kind.view(), key_.namespace_, seen.ref.name.view())));
    }
    if (written) with_.host.consistency.wrote(key_, *seen.cache, written->metadata.resource_version);
    return {};
  }

  Result<void> perform(const DropFinalizer&) {
    TRY(end_deletion(with_, with_.deps.caches.machine_sets, *seen_.stored, api::finalizer::kMachineSet));
    effects_.gone = true;
    return {};
  }

  // --- whose Machines ---

  Result<void> perform(const AdoptMachine& action) {
    if (!TRY(may_adopt())) return {};
    const auto adopted = replace_owners(*action.machine, action.to);
    const auto& name = action.machine->metadata.name;
    if (!adopted && adopted.error().code == Code::NotFound) return {};
    if (!adopted) {
      // Another write came at the same moment: nothing is wrong, and the next turn tries again.
      if (adopted.error().code != Code::Conflict) {
        record(NoteCode::AdoptFailed,
               fmt::format("Failed to adopt Machine \"{}\": {}", name.view(), adopted.error().message));
      }
      stays("adopt", *action.machine, adopted.error());
      return fail(adopted.error());
    }
    record(NoteCode::Adopted, fmt::format("Adopted Machine \"{}\"", name.view()));
    return {};
  }

  // One look a turn.
  Result<bool> may_adopt() {
    if (!may_adopt_) may_adopt_ = TRY(is_to_stay(with_, *seen_.stored));
    return *may_adopt_;
  }

  Result<void> perform(const ReleaseMachine& action) {
    if (unnoted_) return {};
    const api::ObjectMeta& metadata = action.machine->metadata;
    const auto released = replace_owners(*action.machine, action.to);
    if (!released && released.error().code == Code::NotFound) return {};
    if (!released) {
      stays("release", *action.machine, released.error());
      return fail(released.error().context("release Machine " + metadata.name.str()));
    }
    const std::string message = release_message(action);
    record(NoteCode::Released, message);
    record_note(with_.deps.events, runtime::reference_to(kube::resource_of<Machine>(), metadata),
                {.code = NoteCode::Released, .text = message});
    return {};
  }

  std::string release_message(const ReleaseMachine& action) const {
    const std::string_view why = action.why == ReleaseMachine::Why::LabelsChanged
                                     ? "its labels do not match spec.selector any more"
                                     : "the MachineSet is being deleted and does not control it";
    return fmt::format("Released Machine \"{}\" from MachineSet {}: {}; it runs on, and goes with Cluster {}",
                       action.machine->metadata.name.view(), key_.name, why,
                       seen_.set.spec.cluster_name.view());
  }

  // It counts until that is done. Shown only when a user has to do something about it.
  void stays(std::string_view what, const Machine& machine, const Error& error) {
    if (error.outcome_unknown || (error.code != Code::Forbidden && error.code != Code::Invalid)) return;
    effects_.in_the_way.push_back(fmt::format("may not {} Machine {}, which counts until then: {}", what,
                                              machine.metadata.name.view(), error.message));
  }

  Result<void> replace_owners(const Machine& machine, const api::OwnerReferences& owners) {
    Machine after = machine;
    after.metadata.owner_references = owners;
    const auto written =
        TRY(kube::patch_part(client(), machine, after, kube::Part::Main, kube::Lock::Always, deadline()));
    if (written) wrote(written->metadata.resource_version);
    return {};
  }

  // --- the Machines ---

  Result<void> perform(const MarkMachine& action) {
    TRY(write_mark(action.mark));
    return {};
  }

  // The Machine as it is with the mark.
  Result<Machine> write_mark(const Mark& mark) {
    const auto written = TRY(patch_status_and_read(
        client(), *mark.before, mark.after,
        {.types = kOwnedOfMachine, .v1beta1_types = kOwnedOfMachineV1Beta1}, seen_.now, deadline()));
    if (!written) return mark.after;
    wrote(written->metadata.resource_version);
    return *written;
  }

  Result<void> perform(const GrantReplacement& action) {
    const auto version = TRY(grant_replacement(client(), *action.machine, deadline()));
    if (version) wrote(*version);
    return {};
  }

  Result<void> perform(const AskFleet& action) {
    const auto written = safety::write_fleet_request(client(), action, deadline());
    failed_to_ask_ = failed_to_ask_ || !written;
    const auto version = TRY(written);
    if (!version) return {};
    wrote(*version);
    asked_fleet_ = asked_fleet_ || !action.request.empty();
    return {};
  }

  Result<void> perform(const NoteExhaustion& action) {
    constexpr std::string_view kUntil = api::policy::annotation::kResourceExhaustedUntil;
    MachineSet after = *seen_.stored;
    auto& annotations = after.metadata.annotations;
    action.until ? annotations.set(kUntil, action.until->to_string()) : annotations.erase(kUntil);
    const auto written = TRY(kube::patch_briefly(client(), *seen_.stored, after, deadline()));
    if (written)
      with_.host.consistency.wrote(key_, with_.deps.caches.machine_sets, written->metadata.resource_version);
    return {};
  }

  // One that says something else by now confirms something else, and stays. One of which nothing came is good
  // for the next turn, and one that a Machine does not show that waits.
  Result<void> perform(const UseConfirmation& action) {
    const bool came_of_it = action.shown || asked_fleet_ || !effects_.deleted.empty();
    if (!came_of_it || failed_to_ask_) return {};
    MachineSet after = *seen_.stored;
    after.metadata.annotations.erase(api::policy::annotation::kConfirmDeletion);
    const auto written =
        kube::patch_part(client(), *seen_.stored, after, kube::Part::Main, kube::Lock::Always, deadline());
    if (!written) return is_overtaken(written.error()) ? Result<void>() : fail(written.error());
    if (*written)
      with_.host.consistency.wrote(key_, with_.deps.caches.machine_sets,
                                   (*written)->metadata.resource_version);
    return {};
  }

  // Bound to the version that was seen: more may have been named meanwhile.
  Result<void> perform(const WriteVictims& action) {
    MachineSet after = *seen_.stored;
    lifecycle::rewrite_victims(after.metadata.annotations, action.to);
    const auto written =
        kube::patch_part(client(), *seen_.stored, after, kube::Part::Main, kube::Lock::Always, deadline());
    if (!written) return is_overtaken(written.error()) ? Result<void>() : fail(written.error());
    if (!*written) return {};
    with_.host.consistency.wrote(key_, with_.deps.caches.machine_sets, (*written)->metadata.resource_version);
    for (const std::string& line : action.dropped) record(NoteCode::VictimDropped, line);
    if (!action.overruled.empty()) record(NoteCode::AliasOverruled, action.overruled);
    return {};
  }

  // Bound to the version that was seen, as the victims are.
  Result<void> perform(const WriteAnnotations& action) {
    MachineSet after = *seen_.stored;
    after.metadata.annotations = action.to;
    const auto written =
        kube::patch_part(client(), *seen_.stored, after, kube::Part::Main, kube::Lock::Always, deadline());
    unnoted_ = !written;
    if (!written) return is_overtaken(written.error()) ? Result<void>() : fail(written.error());
    if (!*written) return {};
    with_.host.consistency.wrote(key_, with_.deps.caches.machine_sets, (*written)->metadata.resource_version);
    return {};
  }

  // --- what the template changes ---

  Result<void> perform(const RepairCloneManagers& action) {
    return write_object_of(*action.machine, [&] { return repair_clone(*action.machine, action.clone); });
  }
  Result<void> perform(const UpdateClone& action) {
    return write_object_of(*action.machine, [&] { return update_clone(action); });
  }
  Result<void> perform(const RepairManagers& action) {
    return write_machine(*action.machine, [&] { return repair(*action.machine); });
  }
  Result<void> perform(const UpdateMachine& action) {
    return write_machine(*action.machine, [&] {
      return action.machine->metadata.deleting() ? patch_deleting(action) : apply_wanted(action);
    });
  }

  // Of the writes for one Machine the first that fails is the last that is tried.
  template <typename Write>
  Result<void> write_object_of(const Machine& machine, Write&& write) {
    if (unsettled_.contains(machine.metadata.uid)) return {};
    auto done = write();
    if (!done) unsettled_.insert(machine.metadata.uid);
    return done;
  }

  template <typename Write>
  Result<void> write_machine(const Machine& machine, Write&& write) {
    if (unsettled_.contains(machine.metadata.uid)) return {};
    const Result<std::optional<api::ResourceVersion>> version = write();
    if (!version) {
      unsettled_.insert(machine.metadata.uid);
      return is_overtaken(version.error()) ? Result<void>() : fail(version.error());
    }
    if (!*version) return {};
    written_[machine.metadata.uid] = **version;
    wrote(**version);
    return {};
  }

  // The Machine is another one by now: its news brings the next turn.
  static bool is_overtaken(const Error& error) {
    return error.code == Code::NotFound || error.code == Code::Conflict;
  }

  void settle(const Plan& plan) {
    for (const SettledMachine& machine : plan.settled) {
      if (unsettled_.contains(machine.uid)) continue;
      const auto written = written_.find(machine.uid);
      effects_.settled.emplace_back(machine.uid,
                                    written == written_.end() ? machine.version : written->second);
    }
  }

  // Bound to the version that was seen: the set is named as owner, and that must not come back to a Machine
  // that was released meanwhile.
  Result<std::optional<api::ResourceVersion>> apply_wanted(const UpdateMachine& action) {
    const Machine& machine = *action.machine;
    auto intent = kube::needed_intent(api::type_of<Machine>, &action.to,
                                      {.object = &machine,
                                       .uid = machine.metadata.uid.str(),
                                       .version = machine.metadata.resource_version.str(),
                                       .managed = machine.metadata.managed_fields},
                                      api::field_manager::kMachineSet);
    if (!intent) return std::optional<api::ResourceVersion>();
    // Only what nothing but labels and annotations asks for can wait.
    const auto key = runtime::key_of(machine);
    const Contests::Target target{.client = client(), .resource = kube::resource_of<Machine>(), .key = key};
    const auto fields = has_spec(machine, action.to) ? disputed_fields(machine.metadata, action.to.metadata)
                                                     : DisputedFields();
    if (!may_write(target, fields)) return std::optional<api::ResourceVersion>();
    const auto applied = kube::patch_briefly(client(), kube::resource_of<Machine>(), key, *intent,
                                             apply_options(api::field_manager::kMachineSet), deadline());
    if (!applied) return fail(applied.error().context("apply Machine " + machine.metadata.name.str()));
    with_.contests.wrote(key_, target, fields, with_.deps.clock);
    return std::optional(applied->metadata.resource_version);
  }

  static kube::PatchOptions apply_options(std::string_view manager) {
    return {.type = kube::PatchType::Apply, .field_manager = std::string(manager), .force = true};
  }

  // What the Machine controller fills in is no part of what a set wants.
  static bool has_spec(const Machine& present, const Machine& wanted) {
    api::MachineSpec spec = wanted.spec;
    spec.provider_id = present.spec.provider_id;
    spec.bootstrap.data_secret_name = present.spec.bootstrap.data_secret_name;
    return spec == present.spec;
  }

  bool may_write(const Contests::Target& target, const DisputedFields& fields) {
    return with_.contests.may_write(key_, target, fields, with_.deps.clock, deadline());
  }

  // What the Machine is after that brings the next turn: an intent made from what was seen before could give
  // it back a finalizer that went meanwhile.
  Result<std::optional<api::ResourceVersion>> repair(const Machine& machine) {
    const auto repaired =
        TRY(repair_managers(client(), kube::resource_of<Machine>(), runtime::key_of(machine),
                            api::field_manager::kMachineSet, deadline()));
    wrote(repaired);
    return std::optional<api::ResourceVersion>();
  }

  Result<std::optional<api::ResourceVersion>> patch_deleting(const UpdateMachine& action) {
    const auto written = TRY(kube::patch_briefly(client(), *action.machine, action.to, deadline()));
    return written ? std::optional(written->metadata.resource_version) : std::nullopt;
  }

  ObjectKey key_of(const CloneSeen& clone) const {
    return {.namespace_ = key_.namespace_, .name = clone.object->metadata.name.str()};
  }

  Result<void> update_clone(const UpdateClone& action) {
    const CloneSeen& clone = action.clone;
    const ObjectKey name = key_of(clone);
    if (action.hand_over) TRY(hand_over(*action.machine, clone.resource, name));
    const auto intent = metadata_intent(*clone.object, action.to);
    const Contests::Target target{.client = client(), .resource = clone.resource, .key = name};
    const auto fields = disputed_by_intent(clone.object->metadata, intent);
    if (!may_write(target, fields)) return {};
    const auto applied =
        kube::patch_briefly(client(), clone.resource, name, intent,
                            apply_options(api::field_manager::kMachineSetMetadata), deadline());
    if (applied) {
      with_.host.consistency.wrote(key_, *clone.cache, applied->metadata.resource_version);
      with_.contests.wrote(key_, target, fields, with_.deps.clock);
      return {};
    }
    return applied.error().code == Code::NotFound
               ? Result<void>()
               : fail(applied.error().context("label " + clone.resource.kind));
  }

  Result<void> repair_clone(const Machine& machine, const CloneSeen& clone) {
    const ObjectKey name = key_of(clone);
    const auto live = client().get(clone.resource, name, deadline());
    if (!live) return live.error().code == Code::NotFound ? Result<void>() : fail(live.error());
    const auto patch = keeper_patch(seen_.set, machine, *live);
    if (!patch) return {};  // it has one by now
    const auto written = TRY(kube::patch_briefly(client(), clone.resource, name, *patch, {}, deadline()));
    with_.host.consistency.wrote(key_, *clone.cache, written.metadata.resource_version);
    return {};
  }

  Result<void> hand_over(const Machine& machine, const kube::Resource& resource, const ObjectKey& name) {
    const auto live = TRY(client().get(resource, name, deadline()));
    const auto patch = hand_over_patch(seen_.set, machine, live);
    if (!patch) return {};  // it is done already
    TRY(kube::patch_briefly(client(), resource, name, *patch, {}, deadline()));
    return {};
  }

  // --- creation and deletion ---

  Creation creation() { return {.with = with_, .settings = settings_, .seen = seen_, .effects = effects_}; }

  Result<void> perform(const FinishMachines& action) {
    finish_machines(creation(), action.machines);
    return {};
  }

  Result<void> perform(const CreateMachines& action) {
    // What refuses an object of one Machine will refuse the next one's.
    if (effects_.creation) return {};
    create_machines(creation(), action.count);
    return {};
  }

  Result<void> perform(const DeleteMachine& action) {
    if (action.why == DeleteMachine::Why::ScaleDown && seen_.exchanges) TRY(surplus_is_real());
    const auto to_delete = TRY(prepared(action));
    if (!to_delete) return {};
    const Machine& machine = *to_delete;
    const bool as_judged = action.why == DeleteMachine::Why::Failed && !is_off(Safeguard::AsJudged);
    const bool own_only = action.why == DeleteMachine::Why::SetDeleted && !is_off(Safeguard::ChildVersion);
    const bool as_prepared = action.first || safety::has_fleet_grant(machine);
    kube::DeleteOptions options{.propagation = kube::Propagation::Background};
    if (as_judged || own_only || as_prepared)
      options.resource_version = machine.metadata.resource_version.str();
    auto removed = remove_machine(machine, options);
    if (!removed && own_only && removed.error().code == Code::Conflict) {
      const auto now = TRY(still_controlled(with_, machine, seen_.stored->metadata.uid));
      if (!now) return {};
      options.resource_version = now->metadata.resource_version.str();
      removed = remove_machine(machine, options);
    }
    // What it has become brings the next turn, which asks again.
    if (!removed && (as_judged || as_prepared) && removed.error().code == Code::Conflict) return {};
    if (removed || removed.error().outcome_unknown) effects_.deleted.push_back(machine.metadata.name.str());
    TRY(removed);
    with_.context.log.info("machine deleted", {{"machine", machine.metadata.name.view()}});
    if (action.why == DeleteMachine::Why::ScaleDown || action.why == DeleteMachine::Why::Failed) {
      record(NoteCode::Deleted,
             fmt::format("Deleted Machine \"{}\"{}", machine.metadata.name.view(),
                         action.why == DeleteMachine::Why::Failed ? ", which has failed" : ""));
    }
    return {};
  }

  // One look a turn.
  Result<void> surplus_is_real() {
    if (!surplus_is_real_) surplus_is_real_ = confirm_count(with_, seen_);
    return *surplus_is_real_;
  }

  // The Machine with its mark and its cause; nothing: it is another one by now, or gone.
  Result<std::optional<Machine>> prepared(const DeleteMachine& action) {
    if (!action.first) return named(*action.machine, action.deleted_for);
    // A mark is written into the newest version: a Machine that is healthy in it has recovered meanwhile,
    // or is preserved by now, and one that has changed since is looked at again.
    const Machine marked = TRY(write_mark(*action.first));
    const bool has_lost_its_place =
        safety::has_fleet_grant(*action.machine) && !safety::has_fleet_grant(marked);
    if (has_lost_its_place || !awaits_remediation(marked) || lifecycle::is_kept(marked, {}, seen_.now))
      return std::nullopt;
    return named(marked, action.deleted_for);
  }

  // The same with the cause of its deletion; an empty one takes nothing off.
  Result<std::optional<Machine>> named(const Machine& machine, std::string_view cause) {
    return cause.empty() ? std::optional(machine) : TRY(write_cause(machine, cause));
  }

  // Bound to the version that was seen: nothing is said of another Machine of that name.
  Result<std::optional<Machine>> write_cause(const Machine& machine, std::string_view cause) {
    Machine after = machine;
    auto& annotations = after.metadata.annotations;
    cause.empty() ? annotations.erase(safety::kDeletedFor)
                  : annotations.set(Text(safety::kDeletedFor), Text(cause));
    auto written =
        kube::patch_part(client(), machine, after, kube::Part::Main, kube::Lock::Always, deadline());
    if (!written)
      return is_overtaken(written.error()) ? Result<std::optional<Machine>>(std::nullopt)
                                           : fail(written.error());
    if (!*written) return machine;
    wrote((*written)->metadata.resource_version);
    return std::move(**written);
  }

  Result<void> perform(const TakeCauseOff& action) {
    TRY(write_cause(*action.machine, {}));
    return {};
  }

  Result<void> remove_machine(const Machine& machine, kube::DeleteOptions options) {
    const auto clearance = TRY(claims::Clearance::of_child(machine.metadata, seen_.stored->metadata.uid));
    return claims::remove(deleting(),
                          {.cache = with_.deps.caches.machines,
                           .resource = kube::resource_of<Machine>(),
                           .key = runtime::key_of(machine)},
                          clearance, std::move(options));
  }

  // --- clones of no Machine ---

  // Caches of several kinds don't move together: only a live look tells that no Machine of that name exists.
  Result<void> perform(const RemoveClones& action) {
    for (const CloneSeen& clone : action.clones) TRY(remove_clone(clone));
    return {};
  }

  Result<void> remove_clone(const CloneSeen& clone) {
    const auto& metadata = clone.object->metadata;
    const ObjectKey name{.namespace_ = key_.namespace_, .name = metadata.name.str()};
    const auto machine = client().get(kube::resource_of<Machine>(), name, deadline());
    if (machine) return {};  // it lives, the cache will learn of it
    if (machine.error().code != Code::NotFound) return fail(machine.error().context("look for a Machine"));
    const auto live = client().get(clone.resource, name, deadline());
    if (!live) return live.error().code == Code::NotFound ? Result<void>() : fail(live.error());
    const auto object = TRY(api::from_json<api::contract::ContractObject>(*live));
    const bool ours = object.metadata.uid == metadata.uid && object.metadata.controller() == nullptr &&
                      runtime::is_owned_by(object.metadata, seen_.stored->metadata.uid);
    if (!ours) return {};
    with_.context.log.info("object of no machine removed",
                           {{"kind", clone.resource.kind}, {"name", metadata.name.view()}});
    const auto clearance = TRY(claims::Clearance::of_child(object.metadata, seen_.stored->metadata.uid));
    return claims::remove(deleting(), {.cache = *clone.cache, .resource = clone.resource, .key = name},
                          clearance, {.resource_version = object.metadata.resource_version.str()});
  }

  claims::Deleting deleting() const {
    return {.client = client(),
            .consistency = with_.host.consistency,
            .key = key_,
            .deadline = with_.context.deadline};
  }

  const ActContext& with_;
  const Settings& settings_;
  const Observation& seen_;
  const ObjectKey key_;
  Effects effects_ = {};
  std::unordered_set<api::Uid> unsettled_ = {};  // Machines for which a write failed
  std::unordered_map<api::Uid, api::ResourceVersion> written_ = {};
  std::optional<bool> may_adopt_ = {};
  std::optional<Result<void>> surplus_is_real_ = {};
  bool asked_fleet_ = false;
  bool failed_to_ask_ = false;
  bool unnoted_ = false;  // what is about to be released could not be noted
};

}  // namespace

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan) {
  return Turn(with, memory.settings, seen).run(plan);
}

}  // namespace capstan::controllers::machineset
