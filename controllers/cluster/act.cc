#include "controllers/cluster/act.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <ranges>

#include "api/contract/plural.h"
#include "api/schema/decode.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/recheck.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

namespace json = boost::json;

// What the caches don't know yet they will soon, and their news wakes the Cluster; this is for the day they
// don't.
constexpr Seconds kCachesCatchUp{15};
constexpr Seconds kTryAgain{1};
constexpr Seconds kAskAgain{30};
// As many as fit on a page; more than that are surely not all strays.
constexpr std::int64_t kLookedAt = 500;
constexpr std::size_t kStraysNamed = 5;

class Turn {
 public:
  Turn(const ActContext& with, Memory& memory, const Observation& seen)
      : deps_(with.deps),
        host_(with.host),
        kubeconfigs_(memory.kubeconfigs),
        live_looks_(memory.live_looks),
        contests_(with.contests),
        context_(with.context),
        seen_(seen),
        key_(runtime::key_of(*seen.cluster)) {
    effects_.cluster = *seen.cluster;
  }

  Effects take(const Plan& plan);

 private:
  Result<void> perform(const AddFinalizer& action);
  Result<void> perform(const WriteEndpoint& action);
  Result<void> perform(const OwnProvider& action);
  Result<void> perform(const KeepKubeconfig& action);
  Result<void> perform(const DeleteChild& action);
  Result<void> perform(const DeleteProvider& action);
  Result<void> perform(const DropFinalizer& action);

  claims::Deleting deleting() const;

  // Live reads, before something is destroyed because something else is gone.
  template <typename T>
  Result<bool> any_left(std::string_view selector);
  Result<bool> is_gone(const Referred& referred);
  // Before something is taken because nothing in our caches stands against it.
  Result<bool> is_unclaimed(const Referred& referred);

  const Referred& provider(Role role) const {
    return role == Role::Infrastructure ? seen_.infrastructure : seen_.control_plane;
  }
  const std::optional<api::ContractRef>& reference_for(Role role) const {
    const auto& spec = seen_.cluster->spec;
    return role == Role::Infrastructure ? spec.infrastructure_ref : spec.control_plane_ref;
  }

  const Deps& deps_;
  const Host& host_;
  KubeconfigKeeper& kubeconfigs_;
  LiveLooks& live_looks_;
  Contests& contests_;
  const runtime::Context& context_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  Effects effects_ = {};
};

std::string named_strays(const Strays& strays) {
  std::string names;
  for (const std::string& each : strays | std::views::take(kStraysNamed))
    names.append(names.empty() ? "" : "; ").append(each);
  if (strays.size() > kStraysNamed) names += fmt::format("; and {} more", strays.size() - kStraysNamed);
  return names;
}

// The label each time, for it changes nothing where it is there; the owners only where they differ.
json::value ownership_patch(const OwnProvider& action) {
  json::value body = {{"metadata", json::object()}};
  if (action.from.owner_references != action.to.owner_references)
    body = runtime::owners_patch(action.to.owner_references, action.from.resource_version);
  body.at("metadata").as_object()["labels"] = {
      {api::label::kClusterName, action.to.labels.value_or_empty(api::label::kClusterName)}};
  return body;
}

bool is_deletion(const Action& action) {
  return std::holds_alternative<DeleteChild>(action) || std::holds_alternative<DeleteProvider>(action) ||
         std::holds_alternative<DropFinalizer>(action);
}

Effects Turn::take(const Plan& plan) {
  for (const Action& action : plan.actions) {
    const auto done = std::visit([&](const auto& one) { return perform(one); }, action);
    if (done) continue;
    effects_.errors.push_back(done.error());
    effects_.deletion_failed = effects_.deletion_failed || is_deletion(action);
    effects_.lacks_finalizer = std::holds_alternative<AddFinalizer>(action);
    if (effects_.lacks_finalizer) break;
  }
  return std::move(effects_);
}

Result<void> Turn::perform(const AddFinalizer&) {
  const auto added = TRY(kube::add_finalizer<api::Cluster>(deps_.client, effects_.cluster,
                                                           api::finalizer::kCluster, context_.deadline));
  if (!added) return {};
  host_.consistency.wrote(key_, deps_.caches.clusters, added->metadata.resource_version);
  effects_.cluster = *added;
  return {};
}

Result<void> Turn::perform(const WriteEndpoint& action) {
  api::Cluster with_endpoint = effects_.cluster;
  with_endpoint.spec.control_plane_endpoint = action.to;
  const auto written = TRY(kube::patch_part(deps_.client, effects_.cluster, with_endpoint, kube::Part::Main,
                                            kube::Lock::Always, context_.deadline));
  if (!written) return {};
  host_.consistency.wrote(key_, deps_.caches.clusters, written->metadata.resource_version);
  effects_.cluster = *written;
  return {};
}

Result<bool> Turn::is_unclaimed(const Referred& referred) {
  for (const std::string& name : referred.claim.unseen) {
    const auto answer = deps_.client.get(kube::resource_of<api::Cluster>(),
                                         {.namespace_ = key_.namespace_, .name = name}, context_.deadline);
    if (answer) {
      recheck_within(effects_.recheck, kAskAgain);
      return false;
    }
    if (answer.error().code != Code::NotFound)
      return fail(answer.error().context(fmt::format("make sure that Cluster {}, an owner of {} {}, is gone",
                                                     name, referred.kind, referred.key.describe())));
  }
  return true;
}

Result<void> Turn::perform(const OwnProvider& action) {
  const Referred& referred = provider(action.role);
  if (!TRY(is_unclaimed(referred))) return {};
  const auto fields = disputed_fields(action.from, action.to);
  const Contests::Target target{.client = deps_.client, .resource = referred.resource, .key = referred.key};
  if (!contests_.may_write(key_, target, fields, deps_.clock, context_.deadline)) return {};
  const auto written =
      kube::patch_briefly(deps_.client, referred.resource, referred.key, ownership_patch(action),
                          {.field_manager = std::string(api::field_manager::kManager)}, context_.deadline);
  if (!written && written.error().code == Code::Conflict) {
    // It has changed since, perhaps its owners: the next turn sees what it is now.
    recheck_within(effects_.recheck, kTryAgain);
    return {};
  }
  if (!written) return fail(written.error().context("own " + referred.kind + " " + referred.key.describe()));
  host_.consistency.wrote(key_, *referred.cache, written->metadata.resource_version);
  contests_.wrote(key_, target, fields, deps_.clock);
  return {};
}

Result<void> Turn::perform(const KeepKubeconfig&) {
  if (!effects_.cluster.spec.control_plane_endpoint.valid()) return {};  // it could not be written
  const auto kept = TRY(kubeconfigs_.keep(effects_.cluster, seen_.reach.connected, context_.deadline));
  recheck_within(effects_.recheck, kept.look_again);
  if (kept.made) context_.log.info("kubeconfig issued", {{"secret", key_.name + "-kubeconfig"}});
  if (kept.warning) effects_.notes.push_back(*kept.warning);
  return {};
}

Result<void> Turn::perform(const DeleteChild& action) {
  const auto remove = [&](const auto& cache, const kube::Resource& resource) -> Result<void> {
    const auto child = cache.get(action.key);
    if (!child || child->metadata.uid != action.uid) return {};  // gone meanwhile
    const auto clearance =
        TRY(child->metadata.owner_references->empty()
                ? claims::Clearance::of_unowned(child->metadata, child->spec.cluster_name,
                                                seen_.cluster->metadata)
                : claims::Clearance::of_child_of_cluster(child->metadata, seen_.cluster->metadata));
    return claims::remove(deleting(), {.cache = cache, .resource = resource, .key = action.key}, clearance);
  };
  switch (action.kind) {
    case ChildKind::MachinePool:
      return remove(deps_.caches.machine_pools, kube::resource_of<api::MachinePool>());
    case ChildKind::MachineDeployment:
      return remove(deps_.caches.machine_deployments, kube::resource_of<api::MachineDeployment>());
    case ChildKind::MachineSet:
      return remove(deps_.caches.machine_sets, kube::resource_of<api::MachineSet>());
    case ChildKind::Machine: return remove(deps_.caches.machines, kube::resource_of<api::Machine>());
  }
  return {};
}

// A label alone makes nothing belong to this Cluster; an object that can't be read counts as there.
template <typename T>
Result<bool> Turn::any_left(std::string_view selector) {
  const auto resource = kube::resource_of<T>();
  const auto answer = deps_.client.list(
      resource, {.namespace_ = key_.namespace_, .label_selector = std::string(selector), .limit = kLookedAt},
      context_.deadline);
  if (!answer && answer.error().code == Code::NotFound) return false;  // the kind is not installed
  if (!answer) return fail(answer.error().context("look for a " + resource.kind + " that is left"));
  const auto* items = answer->is_object() ? answer->as_object().if_contains("items") : nullptr;
  if (items == nullptr || !items->is_array()) return true;
  if (items->as_array().size() >= static_cast<std::size_t>(kLookedAt)) return true;
  return std::ranges::any_of(items->as_array(), [&](const json::value& item) {
    const auto object = api::from_json<T>(item);
    return !object || belonging_of(deps_.caches, *object).cluster == key_.name;
  });
}

Result<void> Turn::perform(const DeleteProvider& action) {
  const Referred& referred = provider(action.role);
  if (!TRY(is_unclaimed(referred))) return {};
  std::string selector = fmt::format("{}={}", api::label::kClusterName, key_.name);
  const bool pools = TRY(any_left<api::MachinePool>(selector));
  const bool theirs = seen_.control_plane.wanted && seen_.control_plane.claim.other.empty();
  if (theirs) selector += fmt::format(",!{}", api::label::kControlPlane);
  const bool machines = TRY(any_left<api::Machine>(selector));
  if (pools || machines) {
    recheck_within(effects_.recheck, kCachesCatchUp);
    return {};
  }
  context_.log.info("deleting provider object", {{"kind", referred.kind}, {"name", referred.key}});
  const auto clearance = TRY(claims::clear_referred(
      {.caches = deps_.caches, .client = deps_.client, .deadline = context_.deadline}, referred.resource,
      *referred.metadata(), {.kind = api::kind::kCluster, .metadata = seen_.cluster->metadata}));
  if (referred.cache != nullptr)
    return claims::remove(deleting(),
                          {.cache = *referred.cache, .resource = referred.resource, .key = referred.key},
                          clearance);
  const auto removed =
      claims::remove({.client = deps_.client, .resource = referred.resource, .key = referred.key}, clearance,
                     context_.deadline);
  if (!removed && removed.error().code != Code::NotFound) return fail(removed.error());
  live_looks_.told_to_go(key_, *reference_for(action.role), seen_.now);
  return {};
}

claims::Deleting Turn::deleting() const {
  return {
      .client = deps_.client, .consistency = host_.consistency, .key = key_, .deadline = context_.deadline};
}

Result<bool> Turn::is_gone(const Referred& referred) {
  if (!referred.wanted || !referred.claim.other.empty()) return true;
  if (referred.asked_live) return !referred.live;
  const auto& reference = &referred == &seen_.infrastructure ? seen_.cluster->spec.infrastructure_ref
                                                             : seen_.cluster->spec.control_plane_ref;
  const auto answer =
      referred.definition_gone
          ? deps_.client.get(
                kube::resources::custom_resource_definitions(),
                {.namespace_ = {}, .name = api::contract::crd_name(reference->api_group, reference->kind)},
                context_.deadline)
          : deps_.client.get(referred.resource, referred.key, context_.deadline);
  if (answer) return false;
  if (answer.error().code == Code::NotFound) return true;
  return fail(
      answer.error().context("make sure that " + referred.kind + " " + referred.key.describe() + " is gone"));
}

Result<void> Turn::perform(const DropFinalizer&) {
  const bool control_plane = TRY(is_gone(seen_.control_plane));
  const bool infrastructure = TRY(is_gone(seen_.infrastructure));
  if (!control_plane || !infrastructure) {
    recheck_within(effects_.recheck, kCachesCatchUp);
    return {};
  }
  const auto dropped = kube::remove_finalizer<api::Cluster>(deps_.client, effects_.cluster,
                                                            api::finalizer::kCluster, context_.deadline);
  if (!dropped && dropped.error().code != Code::NotFound) return fail(dropped.error());
  effects_.gone = !dropped || !*dropped || (*dropped)->metadata.finalizers->empty();
  if (!effects_.gone) {
    effects_.cluster = **dropped;
    host_.consistency.wrote(key_, deps_.caches.clusters, effects_.cluster.metadata.resource_version);
  }
  if (!seen_.descendants.strays.empty()) {
    effects_.notes.push_back(
        {.code = api::NoteCode::StrayMachines,
         .text = fmt::format(
             "{}; left alone when Cluster {} was deleted: correct spec.clusterName or the label, or "
             "delete what is not needed",
             named_strays(seen_.descendants.strays), key_.name)});
  }
  effects_.notes.push_back(
      {.code = api::NoteCode::ClusterDeleted, .text = fmt::format("Cluster {} has been deleted", key_.name)});
  return {};
}

}  // namespace

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan) {
  return Turn(with, memory, seen).take(plan);
}

}  // namespace capstan::controllers::cluster
