#include "controllers/machinedeployment/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <optional>

#include "api/notes.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/inplace/act.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/shared/grant.h"
#include "controllers/shared/recheck.h"
#include "controllers/shared/repair_managers.h"
#include "controllers/shared/turn_steps.h"
#include "kube/typed.h"
#include "runtime/note.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinedeployment {
namespace {

using api::NoteCode;

template <typename... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

kube::Resource sets() { return kube::resource_of<api::MachineSet>(); }

// The server has looked at it and said no: an admission policy, a webhook, a rule.
bool is_refusal(const Error& error) {
  return !error.outcome_unknown && (error.code == Code::Forbidden || error.code == Code::Invalid);
}

// The words of a server that is out of order may change with every try, and each change would be a write.
std::string steady_words(const Error& error) {
  return is_refusal(error)
             ? error.message
             : fmt::format("{}, see Event {}", to_string(error.code), api::reason_of(NoteCode::AdoptFailed));
}

// One pass over a plan. What belongs together stops together: after a MachineSet could not be written, later
// ones are left as they are.
class Act {
 public:
  Act(const ActContext& with, inplace::Updates& updates, const Observation& seen)
      : with_(with), updates_(updates), seen_(seen), key_(kube::key_of(*seen.stored)) {
    effects_.deployment = seen.stored;
  }

  Effects run(const Plan& plan) {
    for (const Action& action : plan.actions) {
      if (effects_.failed()) break;
      std::visit(
          overloaded{
              [&](const WriteMetadata& each) { write(each); }, [&](const OwnTemplate& each) { own(each); },
              [&](const AdoptSet& each) { adopt(each); }, [&](const ReleaseSet& each) { release(each); },
              [&](const RepairManagers& each) { repair(each); }, [&](const CreateSet& each) { create(each); },
              [&](const ApplySet& each) { apply(each); }, [&](const DeleteSet& each) { remove(each); },
              [&](const ConfirmMachine& each) { confirm(each); },
              [&](const UpdateInPlace& each) { update(each); },
              [&](const GrantReplacement& each) { grant(each); },
              [&](const WriteVictims& each) { write_victims(each); },
              [&](const RollBack& each) { roll_back(each); },
              [&](const RefuseRollback& each) { refuse_rollback(each); },
              [&](const DropFinalizer&) { drop_finalizer(); }},
          action);
    }
    return std::move(effects_);
  }

 private:
  void failed(Error error) { effects_.errors.push_back(std::move(error)); }

  void record(NoteCode code, std::string text) {
    record_note(with_.deps.events,
                runtime::reference_to(kube::resource_of<api::MachineDeployment>(), seen_.stored->metadata),
                {.code = code, .text = std::move(text)});
  }

  void wrote(api::ResourceVersion version) {
    with_.host.consistency.wrote(key_, with_.deps.caches.machine_sets, version);
  }

  runtime::Child child(const api::ObjectMeta& set) const {
    return {.cache = with_.deps.caches.machine_sets,
            .resource = sets(),
            .key = {.namespace_ = set.namespace_.str(), .name = set.name.str()}};
  }

  void write(const WriteMetadata& wanted) {
    api::MachineDeployment after = *effects_.deployment;
    after.metadata.labels = wanted.to.labels;
    after.metadata.annotations = wanted.to.annotations;
    after.metadata.owner_references = wanted.to.owner_references;
    after.metadata.finalizers = wanted.to.finalizers;
    auto written = kube::patch(with_.deps.client, *effects_.deployment, after, with_.context.deadline);
    if (!written) return failed(written.error());
    if (!*written) return;
    with_.host.consistency.wrote(key_, with_.deps.caches.machine_deployments,
                                 (*written)->metadata.resource_version);
    effects_.deployment = std::make_shared<const api::MachineDeployment>(std::move(**written));
  }

  void own(const OwnTemplate& wanted) {
    const TemplateSeen& which = wanted.which;
    const auto patched = kube::patch_briefly(
        with_.deps.client, which.resource, {.namespace_ = key_.namespace_, .name = which.name},
        runtime::owners_patch(wanted.to, which.version), {}, with_.context.deadline);
    // Gone since, or another writer (the MachineSet controller does the same) was faster: see the next turn.
    if (patched || patched.error().code == Code::NotFound || patched.error().code == Code::Conflict) return;
    failed(
        patched.error().context(fmt::format("make the Cluster an owner of {} {}", which.kind, which.name)));
  }

  // One look a turn.
  bool may_adopt() {
    if (may_adopt_) return *may_adopt_;
    const auto stays = is_to_stay(with_, *seen_.stored);
    if (!stays) {
      failed(stays.error());
      return false;
    }
    may_adopt_ = *stays;
    return *may_adopt_;
  }

  void adopt(const AdoptSet& wanted) {
    if (!may_adopt()) return;
    const api::MachineSet& before = *wanted.set;
    const std::string name = before.metadata.name.str();
    api::MachineSet after = before;
    after.metadata.owner_references = wanted.to;
    const auto adopted = kube::patch(with_.deps.client, before, after, with_.context.deadline);
    if (!adopted) {
      // It has changed or gone since: the next turn looks again, and nothing is wrong.
      if (adopted.error().code == Code::NotFound) return;
      if (adopted.error().code == Code::Conflict) return failed(adopted.error());
      record(NoteCode::AdoptFailed,
             fmt::format("Failed to adopt MachineSet {:?}: {}", name, adopted.error().message));
      return could_not_adopt(*wanted.set, adopted.error());
    }
    if (!*adopted) return;
    wrote((*adopted)->metadata.resource_version);
    record(NoteCode::Adopted, fmt::format("Adopted MachineSet {:?}", name));
  }

  void could_not_adopt(const api::MachineSet& set, const Error& error) {
    if (!is_transient(error.code)) {
      effects_.unadopted.push_back({.set = set.metadata.name.str(),
                                    .why = steady_words(error),
                                    .uid = set.metadata.uid,
                                    .refused = is_refusal(error)});
    }
    if (!is_refusal(error)) failed(error);
  }

  void release(const ReleaseSet& wanted) {
    const api::MachineSet& before = *wanted.set;
    const std::string name = before.metadata.name.str();
    api::MachineSet after = before;
    after.metadata.owner_references = wanted.to;
    const auto released = kube::patch_part(with_.deps.client, before, after, kube::Part::Main,
                                           kube::Lock::Always, with_.context.deadline);
    if (!released) {
      if (released.error().code == Code::NotFound) return;
      return failed(released.error().context("release MachineSet " + name));
    }
    if (!*released) return;
    wrote((*released)->metadata.resource_version);
    record(
        NoteCode::Released,
        fmt::format("Released MachineSet {:?}: spec.selector does not match it any more; it runs on and goes "
                    "with Cluster {}",
                    name, seen_.cluster->metadata.name.view()));
  }

  void repair(const RepairManagers& wanted) {
    const auto repaired =
        repair_managers(with_.deps.client, kube::resource_of<api::MachineSet>(), kube::key_of(*wanted.set),
                        api::field_manager::kMachineDeployment, with_.context.deadline);
    if (!repaired) return failed(repaired.error());
    wrote(*repaired);
  }

  void create(const CreateSet& wanted) {
    const auto& meta = wanted.set.metadata;
    const auto created = with_.host.consistency.create_by_apply(
        with_.deps.client, key_, child(meta), seen_.stored->metadata.uid, api::to_json(wanted.set),
        api::field_manager::kMachineDeployment, with_.context.deadline);
    if (!created) {
      record(NoteCode::CreateFailed, fmt::format("Failed to create MachineSet: {}", created.error().message));
      return failed(created.error().context("create a MachineSet"));
    }
    const auto replicas = wanted.set.spec.replicas.value_or(0);
    with_.context.log.info("machineset created", {{"machineSet", meta.name.view()}, {"replicas", replicas}});
    record(NoteCode::Created,
           fmt::format("Created MachineSet {} with {} replicas", child(meta).key.describe(), replicas));
  }

  void apply(const ApplySet& wanted) {
    const auto key = child(wanted.present->metadata).key;
    const Contests::Target target{
        .client = with_.deps.client, .resource = kube::resource_of<api::MachineSet>(), .key = key};
    const auto fields = disputed(wanted);
    if (!with_.contests.may_write(key_, target, fields, with_.deps.clock, with_.context.deadline)) return;
    const auto applied = kube::apply(with_.deps.client, wanted.wanted, wanted.present.get(),
                                     api::field_manager::kMachineDeployment, with_.context.deadline);
    if (!applied) {
      // It has changed since: the next turn looks again, and nothing is wrong.
      if (applied.error().code == Code::Conflict) return failed(applied.error());
      const bool scaled = wanted.while_paused && wanted.from != wanted.to;
      record(scaled ? NoteCode::ScaleFailed : NoteCode::UpdateFailed,
             fmt::format("Failed to {} MachineSet {}: {}", scaled ? "scale" : "update", key.describe(),
                         applied.error().message));
      return failed(applied.error());
    }
    if (*applied) {
      wrote((*applied)->metadata.resource_version);
      with_.contests.wrote(key_, target, fields, with_.deps.clock);
    }
    if (wanted.from != wanted.to) record_scaled(wanted, key);
  }

  // Only what nothing but labels and annotations asks for can wait: a size or a template never does.
  static DisputedFields disputed(const ApplySet& wanted) {
    const bool labels_only = wanted.wanted.spec == wanted.present->spec;
    return labels_only ? disputed_fields(wanted.present->metadata, wanted.wanted.metadata) : DisputedFields();
  }

  void record_scaled(const ApplySet& done, const kube::ObjectKey& key) {
    with_.context.log.info("machineset scaled",
                           {{"machineSet", key.name}, {"from", done.from}, {"to", done.to}});
    record(NoteCode::Scaled,
           done.while_paused
               ? fmt::format("Scaled MachineSet {}: {} -> {}", key.describe(), done.from, done.to)
               : fmt::format("Scaled {} MachineSet {}: {} -> {}", done.from < done.to ? "up" : "down",
                             key.name, done.from, done.to));
  }

  void remove(const DeleteSet& wanted) {
    const auto& meta = wanted.set->metadata;
    auto removed = remove_as_seen(meta);
    const bool changed = !removed && removed.error().code == Code::Conflict;
    if (changed && seen_.stored->metadata.deleting()) {
      const auto now = still_controlled(with_, *wanted.set, seen_.stored->metadata.uid);
      if (!now) return failed(now.error());
      if (!*now) return;
      removed = remove_as_seen((*now)->metadata);
    }
    if (!removed) {
      // Another write came at the same moment: the next turn looks again.
      if (removed.error().code != Code::Conflict)
        record(NoteCode::DeleteFailed, fmt::format("Failed to delete MachineSet {:?}: {}", meta.name.view(),
                                                   removed.error().message));
      return failed(removed.error().context("delete MachineSet " + meta.name.str()));
    }
    record(NoteCode::Deleted, fmt::format("Deleted MachineSet {:?}", meta.name.view()));
  }

  // In the version that was looked at, which has no Machines or names the MachineDeployment as its
  // controller.
  Result<void> remove_as_seen(const api::ObjectMeta& meta) {
    kube::DeleteOptions options;
    if (!seen_.stored->metadata.deleting() || !is_off(Safeguard::ChildVersion))
      options.resource_version = meta.resource_version.str();
    const auto clearance = TRY(claims::Clearance::of_child(meta, seen_.stored->metadata.uid));
    return claims::remove({.client = with_.deps.client,
                           .consistency = with_.host.consistency,
                           .key = key_,
                           .deadline = with_.context.deadline},
                          child(meta), clearance, options);
  }

  void confirm(const ConfirmMachine& wanted) {
    const auto same = inplace::confirm(with_, *wanted.machine);
    if (!same) failed(same.error());
  }

  void update(const UpdateInPlace& wanted) {
    const auto done = inplace::act(
        {.with = with_,
         .updates = updates_,
         .deployment = *seen_.stored,
         .drain = {.cluster = *seen_.cluster,
                   .policy = seen_.governed_by ? &seen_.governed_by->spec : nullptr,
                   .reached_since = seen_.updates.contact.holds() ? seen_.updates.contact.since : Time()}},
        wanted.action);
    if (!done) return failed(done.error());
    recheck_within(effects_.recheck, done->recheck);
    if (!done->held.empty()) effects_.held.push_back(done->held);
  }

  void grant(const GrantReplacement& wanted) {
    const auto granted = grant_replacement(with_.deps.client, *wanted.machine, with_.context.deadline);
    if (!granted) return failed(granted.error());
    if (*granted) with_.host.consistency.wrote(key_, with_.deps.caches.machines, **granted);
  }

  // Bound to the version that was seen: a user may have asked for something else meanwhile. False: that is
  // so, and the next turn looks again.
  Result<bool> write_as_seen(const api::MachineDeployment& after) {
    auto written = kube::patch_part(with_.deps.client, *effects_.deployment, after, kube::Part::Main,
                                    kube::Lock::Always, with_.context.deadline);
    const bool overtaken = !written && written.error().code == Code::Conflict;
    if (overtaken) return false;
    if (!written) return fail(written.error());
    if (!*written) return false;
    with_.host.consistency.wrote(key_, with_.deps.caches.machine_deployments,
                                 (*written)->metadata.resource_version);
    effects_.deployment = std::make_shared<const api::MachineDeployment>(std::move(**written));
    return true;
  }

  void write_victims(const WriteVictims& wanted) {
    api::MachineDeployment after = *effects_.deployment;
    auto& annotations = after.metadata.annotations;
    if (lifecycle::victims_said(annotations) != wanted.from) return;
    lifecycle::rewrite_victims(annotations, wanted.to);
    const auto written = write_as_seen(after);
    if (!written) return failed(written.error());
    if (!*written) return;
    for (const std::string& line : wanted.dropped) record(NoteCode::VictimDropped, line);
    if (!wanted.overruled.empty()) record(NoteCode::AliasOverruled, wanted.overruled);
  }

  api::MachineDeployment without_rollback() const {
    api::MachineDeployment after = *effects_.deployment;
    after.metadata.annotations.erase(api::policy::annotation::kRollbackTo);
    return after;
  }

  void roll_back(const RollBack& wanted) {
    api::MachineDeployment after = without_rollback();
    after.spec.machine_template = wanted.to;
    const auto written = write_as_seen(after);
    if (!written && is_refusal(written.error())) {
      return refuse_rollback({.code = NoteCode::RollbackRefused, .why = written.error().message});
    }
    if (!written) return failed(written.error());
    if (*written)
      record(NoteCode::RolledBack,
             fmt::format("Rolled back to the template of revision {}", wanted.revision));
  }

  void refuse_rollback(const RefuseRollback& wanted) {
    const auto written = write_as_seen(without_rollback());
    if (!written) return failed(written.error());
    if (*written) record(wanted.code, wanted.why);
  }

  void drop_finalizer() {
    const auto dropped = end_deletion(with_, with_.deps.caches.machine_deployments, *seen_.stored,
                                      api::finalizer::kMachineDeployment);
    if (!dropped) return failed(dropped.error());
    effects_.gone = true;
  }

  const ActContext& with_;
  inplace::Updates& updates_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  Effects effects_ = {};
  std::optional<bool> may_adopt_ = {};
};

}  // namespace

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan) {
  Effects effects = Act(with, memory.updates, seen).run(plan);
  memory.refused(kube::key_of(*seen.stored), effects);
  return effects;
}

}  // namespace capstan::controllers::machinedeployment
