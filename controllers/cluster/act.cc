#include "controllers/cluster/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/contract/plural.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/cluster/ownership.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

namespace json = boost::json;

// What the caches don't know yet they will soon.
constexpr Seconds kCachesCatchUp{1};

class Turn {
 public:
  Turn(const Hands& hands, const runtime::Context& context, const Observation& seen)
      : deps_(hands.deps),
        host_(hands.host),
        kubeconfigs_(hands.kubeconfigs),
        context_(context),
        seen_(seen),
        key_(runtime::key_of(*seen.cluster)) {
    effects_.cluster = *seen.cluster;
  }

  Effects take(const Plan& plan);

 private:
  Result<void> perform(const OwnProvider& action);
  Result<void> perform(const KeepKubeconfig& action);
  Result<void> perform(const DeleteChild& action);
  Result<void> perform(const DeleteProvider& action);
  Result<void> perform(const DropFinalizer& action);
  Result<void> add_finalizer();
  Result<void> write_endpoint(const api::ApiEndpoint& endpoint);

  claims::Deleting deleting() const;

  // Live reads, before something is destroyed because something else is gone.
  Result<bool> any_left(const kube::Resource& resource, std::string_view selector);
  Result<bool> is_gone(const Referred& referred);

  const Referred& provider(Role role) const {
    return role == Role::Infrastructure ? seen_.infrastructure : seen_.control_plane;
  }
  void look_again(Seconds span) { effects_.recheck = std::min(effects_.recheck.value_or(span), span); }

  const Deps& deps_;
  const Host& host_;
  KubeconfigKeeper& kubeconfigs_;
  const runtime::Context& context_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  Effects effects_ = {};
};

bool is_deletion(const Action& action) {
  return !std::holds_alternative<OwnProvider>(action) && !std::holds_alternative<KeepKubeconfig>(action);
}

Effects Turn::take(const Plan& plan) {
  if (plan.add_finalizer) {
    const auto added = add_finalizer();
    if (!added) {
      effects_.errors.push_back(added.error());
      return std::move(effects_);
    }
  }
  if (plan.endpoint) {
    const auto written = write_endpoint(*plan.endpoint);
    if (!written) effects_.errors.push_back(written.error());
  }
  for (const Action& action : plan.actions) {
    const auto done = std::visit([&](const auto& one) { return perform(one); }, action);
    if (done) continue;
    effects_.errors.push_back(done.error());
    effects_.deletion_failed = effects_.deletion_failed || is_deletion(action);
  }
  return std::move(effects_);
}

Result<void> Turn::add_finalizer() {
  const auto added = TRY(kube::add_finalizer<api::Cluster>(deps_.client, effects_.cluster,
                                                           api::finalizer::kCluster, context_.deadline));
  if (!added) return {};
  host_.consistency.wrote(key_, deps_.caches.clusters, added->metadata.resource_version);
  effects_.cluster = *added;
  return {};
}

Result<void> Turn::write_endpoint(const api::ApiEndpoint& endpoint) {
  api::Cluster with_endpoint = effects_.cluster;
  with_endpoint.spec.control_plane_endpoint = endpoint;
  // A user who sets it at this moment wins.
  const auto written = TRY(kube::patch_part(deps_.client, effects_.cluster, with_endpoint, kube::Part::Main,
                                            kube::Lock::Always, context_.deadline));
  if (!written) return {};
  host_.consistency.wrote(key_, deps_.caches.clusters, written->metadata.resource_version);
  effects_.cluster = *written;
  return {};
}

Result<void> Turn::perform(const OwnProvider& action) {
  const Referred& referred = provider(action.role);
  const auto& metadata = referred.object->metadata;
  json::value body;
  const auto owners = runtime::with_owner(metadata.owner_references, reference_of(*seen_.cluster));
  if (owners == metadata.owner_references) {
    body = json::object{{"metadata", json::object()}};
  } else {
    body = runtime::owners_patch(owners, metadata.resource_version);
  }
  auto& part = body.as_object()["metadata"].as_object();
  part["labels"] = json::object{{api::label::kClusterName, key_.name}};
  const auto written =
      kube::patch_briefly(deps_.client, referred.resource, referred.key, body,
                          {.field_manager = std::string(api::field_manager::kManager)}, context_.deadline);
  if (!written) return fail(written.error().context("own " + referred.kind + " " + referred.key.describe()));
  host_.consistency.wrote(key_, *referred.cache, written->metadata.resource_version);
  return {};
}

Result<void> Turn::perform(const KeepKubeconfig&) {
  if (!effects_.cluster.spec.control_plane_endpoint.valid()) return {};  // it could not be written
  const auto kept = TRY(kubeconfigs_.keep(effects_.cluster, seen_.reach.connected, context_.deadline));
  if (kept.look_again) look_again(*kept.look_again);
  if (kept.made) context_.log.info("kubeconfig issued", {{"secret", key_.name + "-kubeconfig"}});
  if (kept.warning) effects_.notes.push_back(*kept.warning);
  return {};
}

Result<void> Turn::perform(const DeleteChild& action) {
  const auto remove = [&](const auto& cache, const kube::Resource& resource) -> Result<void> {
    const auto child = cache.get(action.key);
    if (!child || child->metadata.uid != action.uid) return {};  // gone meanwhile
    const auto clearance =
        TRY(claims::Clearance::of_child_of_cluster(child->metadata, seen_.cluster->metadata));
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

Result<bool> Turn::any_left(const kube::Resource& resource, std::string_view selector) {
  const auto answer = deps_.client.list(
      resource, {.namespace_ = key_.namespace_, .label_selector = std::string(selector), .limit = 1},
      context_.deadline);
  if (!answer && answer.error().code == Code::NotFound) return false;  // the kind is not installed
  if (!answer) return fail(answer.error().context("look for a " + resource.kind + " that is left"));
  const auto* items = answer->is_object() ? answer->as_object().if_contains("items") : nullptr;
  return items == nullptr || !items->is_array() || !items->as_array().empty();
}

Result<void> Turn::perform(const DeleteProvider& action) {
  const Referred& referred = provider(action.role);
  std::string selector = fmt::format("{}={}", api::label::kClusterName, key_.name);
  const bool pools = TRY(any_left(kube::resource_of<api::MachinePool>(), selector));
  if (seen_.control_plane.wanted) selector += fmt::format(",!{}", api::label::kControlPlane);
  const bool machines = TRY(any_left(kube::resource_of<api::Machine>(), selector));
  if (pools || machines) {
    look_again(kCachesCatchUp);
    return {};
  }
  context_.log.info("deleting provider object", {{"kind", referred.kind}, {"name", referred.key}});
  const auto clearance =
      TRY(claims::clear_referred({.caches = deps_.caches, .client = deps_.client, .deadline = context_.deadline},
                                 referred.resource, referred.object->metadata,
                                 {.kind = api::kind::kCluster, .metadata = seen_.cluster->metadata}));
  return claims::remove(deleting(),
                        {.cache = *referred.cache, .resource = referred.resource, .key = referred.key},
                        clearance);
}

claims::Deleting Turn::deleting() const {
  return {.client = deps_.client,
          .consistency = host_.consistency,
          .key = key_,
          .deadline = context_.deadline};
}

Result<bool> Turn::is_gone(const Referred& referred) {
  if (!referred.wanted) return true;
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
    look_again(kCachesCatchUp);
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
  effects_.notes.push_back({.reason = std::string(api::event::kDeleted),
                            .message = fmt::format("Cluster {} has been deleted", key_.name)});
  return {};
}

}  // namespace

Effects act(const Hands& hands, const runtime::Context& context, const Observation& seen, const Plan& plan) {
  return Turn(hands, context, seen).take(plan);
}

}  // namespace capstan::controllers::cluster
