#include "controllers/machinedeployment/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "controllers/claims/removal.h"
#include "controllers/machinedeployment/repair_managers.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace event = api::event;
using runtime::EventType;

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
  return is_refusal(error) ? error.message
                           : fmt::format("{}, see Event {}", to_string(error.code), event::kFailedAdopt);
}

// One pass over a plan. What belongs together stops together: after a MachineSet could not be written, later
// ones are left as they are.
class Act {
 public:
  Act(const Deps& deps, const Host& host, const runtime::Context& context, const Observation& seen)
      : deps_(deps), host_(host), context_(context), seen_(seen), key_(kube::key_of(*seen.stored)) {
    effects_.deployment = seen.stored;
  }

  Effects run(const Plan& plan) {
    // Before anything is made that would have to be cleaned up.
    if (!seen_.stored->metadata.has_finalizer(api::finalizer::kMachineDeployment))
      write_metadata(plan.metadata);
    for (const Action& action : plan.actions) {
      if (effects_.failed()) break;
      std::visit(
          overloaded{[&](const OwnTemplate& each) { own(each); }, [&](const AdoptSet& each) { adopt(each); },
                     [&](const RepairManagers& each) { repair(each); },
                     [&](const CreateSet& each) { create(each); }, [&](const ApplySet& each) { apply(each); },
                     [&](const DeleteSet& each) { remove(each); },
                     [&](const DropFinalizer&) { drop_finalizer(); }},
          action);
    }
    if (!effects_.failed()) write_metadata(plan.metadata);
    return std::move(effects_);
  }

 private:
  void failed(Error error) { effects_.errors.push_back(std::move(error)); }

  void tell(EventType type, std::string_view reason, const std::string& message) {
    deps_.events.record(
        runtime::reference_to(kube::resource_of<api::MachineDeployment>(), seen_.stored->metadata), type,
        reason, message);
  }

  void wrote(api::ResourceVersion version) {
    host_.consistency.wrote(key_, deps_.caches.machine_sets, version);
  }

  runtime::Child child(const api::ObjectMeta& set) const {
    return {.cache = deps_.caches.machine_sets,
            .resource = sets(),
            .key = {.namespace_ = set.namespace_.str(), .name = set.name.str()}};
  }

  // Labels, annotations, owners and finalizers of the deployment, in one patch.
  void write_metadata(const api::ObjectMeta& wanted) {
    if (seen_.stored->metadata.deleting()) return;
    api::MachineDeployment after = *effects_.deployment;
    after.metadata.labels = wanted.labels;
    after.metadata.annotations = wanted.annotations;
    after.metadata.owner_references = wanted.owner_references;
    after.metadata.finalizers = wanted.finalizers;
    auto written = kube::patch(deps_.client, *effects_.deployment, after, context_.deadline);
    if (!written) return failed(written.error());
    if (!*written) return;
    host_.consistency.wrote(key_, deps_.caches.machine_deployments, (*written)->metadata.resource_version);
    effects_.deployment = std::make_shared<const api::MachineDeployment>(std::move(**written));
  }

  void own(const OwnTemplate& wanted) {
    const TemplateSeen& which = wanted.which;
    const auto owner = runtime::owner_reference(kube::resource_of<api::Cluster>(), seen_.cluster->metadata);
    const auto patched =
        kube::patch_briefly(deps_.client, which.resource, {.namespace_ = key_.namespace_, .name = which.name},
                            runtime::owners_patch(runtime::with_owner(which.owners, owner), which.version),
                            {}, context_.deadline);
    // Gone since, or somebody else (the MachineSet controller does the same) was faster: the next turn looks.
    if (patched || patched.error().code == Code::NotFound || patched.error().code == Code::Conflict) return;
    failed(
        patched.error().context(fmt::format("make the Cluster an owner of {} {}", which.kind, which.name)));
  }

  void adopt(const AdoptSet& wanted) {
    const api::MachineSet& before = *wanted.set;
    const std::string name = before.metadata.name.str();
    api::MachineSet after = before;
    after.metadata.owner_references = runtime::with_owner(
        before.metadata.owner_references,
        runtime::controller_reference(kube::resource_of<api::MachineDeployment>(), seen_.stored->metadata));
    const auto adopted = kube::patch(deps_.client, before, after, context_.deadline);
    if (!adopted) {
      tell(EventType::Warning, event::kFailedAdopt,
           fmt::format("Failed to adopt MachineSet {:?}: {}", name, adopted.error().message));
      return could_not_adopt(*wanted.set, adopted.error());
    }
    if (!*adopted) return;
    wrote((*adopted)->metadata.resource_version);
    tell(EventType::Normal, event::kSuccessfulAdopt, fmt::format("Adopted MachineSet {:?}", name));
  }

  void could_not_adopt(const api::MachineSet& set, const Error& error) {
    if (!is_transient(error.code) && error.code != Code::NotFound) {
      effects_.unadopted.push_back({.set = set.metadata.name.str(),
                                    .why = steady_words(error),
                                    .uid = set.metadata.uid,
                                    .refused = is_refusal(error)});
    }
    if (!is_refusal(error)) failed(error);
  }

  void repair(const RepairManagers& wanted) {
    const auto repaired = repair_managers(deps_.client, *wanted.set, context_.deadline);
    if (!repaired) return failed(repaired.error());
    wrote(*repaired);
  }

  void create(const CreateSet& wanted) {
    const auto& meta = wanted.set.metadata;
    const auto created = host_.consistency.create_by_apply(
        deps_.client, key_, child(meta), seen_.stored->metadata.uid, api::to_json(wanted.set),
        api::field_manager::kMachineDeployment, context_.deadline);
    if (!created) {
      tell(EventType::Warning, event::kFailedCreate,
           fmt::format("Failed to create MachineSet: {}", created.error().message));
      return failed(created.error().context("create a MachineSet"));
    }
    const auto replicas = wanted.set.spec.replicas.value_or(0);
    context_.log.info("machineset created", {{"machineSet", meta.name.view()}, {"replicas", replicas}});
    tell(EventType::Normal, event::kSuccessfulCreate,
         fmt::format("Created MachineSet {} with {} replicas", child(meta).key.describe(), replicas));
  }

  void apply(const ApplySet& wanted) {
    const auto key = child(wanted.present->metadata).key;
    const auto applied = kube::apply(deps_.client, wanted.wanted, wanted.present.get(),
                                     api::field_manager::kMachineDeployment, context_.deadline);
    if (!applied) {
      const bool scaled = wanted.while_paused && wanted.from != wanted.to;
      tell(EventType::Warning, scaled ? event::kFailedScale : event::kFailedUpdate,
           fmt::format("Failed to {} MachineSet {}: {}", scaled ? "scale" : "update", key.describe(),
                       applied.error().message));
      return failed(applied.error());
    }
    if (*applied) wrote((*applied)->metadata.resource_version);
    if (wanted.from != wanted.to) tell_scaled(wanted, key);
  }

  void tell_scaled(const ApplySet& done, const kube::ObjectKey& key) {
    context_.log.info("machineset scaled", {{"machineSet", key.name}, {"from", done.from}, {"to", done.to}});
    tell(EventType::Normal, event::kSuccessfulScale,
         done.while_paused ? fmt::format("Scaled MachineSet {}: {} -> {}", key.describe(), done.from, done.to)
                           : fmt::format("Scaled {} MachineSet {}: {} -> {}",
                                         done.from < done.to ? "up" : "down", key.name, done.from, done.to));
  }

  void remove(const DeleteSet& wanted) {
    const auto& meta = wanted.set->metadata;
    kube::DeleteOptions options;
    // As it was looked at: nobody has given it Machines since.
    if (!seen_.stored->metadata.deleting()) options.resource_version = meta.resource_version.str();
    const auto clearance = claims::Clearance::of_child(meta, seen_.stored->metadata.uid);
    const auto removed =
        clearance ? claims::remove({.client = deps_.client,
                                    .consistency = host_.consistency,
                                    .key = key_,
                                    .deadline = context_.deadline},
                                   child(meta), *clearance, options)
                  : Result<void>(fail(clearance.error()));
    if (!removed) {
      // Somebody wrote to it at the same moment: the next turn looks again.
      const bool changed = removed.error().code == Code::Conflict;
      if (!changed)
        tell(EventType::Warning, event::kFailedDelete,
             fmt::format("Failed to delete MachineSet {:?}: {}", meta.name.view(), removed.error().message));
      return failed(removed.error().context("delete MachineSet " + meta.name.str()));
    }
    tell(EventType::Normal, event::kSuccessfulDelete,
         fmt::format("Deleted MachineSet {:?}", meta.name.view()));
  }

  void drop_finalizer() {
    const auto dropped =
        runtime::drop_finalizer(deps_.client, host_.consistency, deps_.caches.machine_deployments,
                                *seen_.stored, api::finalizer::kMachineDeployment, context_.deadline);
    if (!dropped) return failed(dropped.error());
    effects_.gone = true;
  }

  const Deps& deps_;
  const Host& host_;
  const runtime::Context& context_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  Effects effects_ = {};
};

}  // namespace

Effects act(const Deps& deps, const Host& host, const runtime::Context& context, const Observation& seen,
            const Plan& plan) {
  return Act(deps, host, context, seen).run(plan);
}

}  // namespace capstan::controllers::machinedeployment
