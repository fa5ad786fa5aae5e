#include "controllers/topology/act.h"

#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/shared/live_object.h"
#include "controllers/topology/kinds.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"

namespace capstan::controllers::topology {
namespace {

// What one object leaves behind. `cluster` is null where the Cluster is gone: then the garbage collector
// takes what the Cluster owned.
struct Leaving {
  const ActContext& with;
  const kube::ObjectKey& object;
  Snapshot<api::Cluster> cluster = {};

  // Only what the topology made, for this Cluster; what a user has put there stays.
  Result<void> remove(const kube::Resource& resource, const api::ObjectMeta& left) const {
    if (!left.labels.contains(api::label::kTopologyOwned) || left.deleting()) return {};
    const auto clearance = claims::Clearance::of_child_of_cluster(left, cluster->metadata);
    if (!clearance) return {};
    const kube::ObjectKey key{.namespace_ = object.namespace_, .name = left.name.str()};
    const auto removed = claims::remove({with.deps.client, resource, key}, *clearance, with.context.deadline);
    if (!removed && removed.error().code == Code::NotFound) return {};
    return removed;
  }

  Result<void> remove_template(const api::ContractRef& ref) const {
    const auto found = TRY(look_live(with.deps.client, ref, object.namespace_, with.context.deadline));
    if (found.state != LiveObject::State::Present) return {};
    return remove(found.resource, found.metadata);
  }

  // It has the name of its MachineDeployment.
  Result<void> remove_health_check() const {
    const auto check = kube::get<api::MachineHealthCheck>(with.deps.client, object, with.context.deadline);
    if (!check && check.error().code == Code::NotFound) return {};
    if (!check) return fail(check.error());
    return remove(kube::resource_of<api::MachineHealthCheck>(), check->metadata);
  }

  Result<void> clean_up(const Plan& plan) const {
    if (!cluster) return {};
    for (const api::ContractRef& ref : plan.templates) TRY(remove_template(ref));
    if (plan.health_check) TRY(remove_health_check());
    return {};
  }
};

template <typename T>
Result<void> carry_out(const ActContext& with, const T& object, const Plan& plan) {
  using Kind = OwnedKind<T>;
  const Deps& deps = with.deps;
  auto& cache = Kind::cache(deps.caches);
  const auto& deadline = with.context.deadline;
  if (plan.put_finalizer)
    TRY(runtime::ensure_finalizer(deps.client, with.host.consistency, cache, object, Kind::kFinalizer,
                                  deadline));
  if (!plan.clean_up) return {};
  const kube::ObjectKey key = kube::key_of(object);
  const Leaving leaving{.with = with,
                        .object = key,
                        .cluster = deps.caches.cluster_of(key.namespace_, object.spec.cluster_name)};
  TRY(leaving.clean_up(plan));
  return runtime::drop_finalizer(deps.client, with.host.consistency, cache, object, Kind::kFinalizer,
                                 deadline);
}

}  // namespace

Result<void> act(const ActContext& with, const api::MachineDeployment& deployment, const Plan& plan) {
  return carry_out(with, deployment, plan);
}

Result<void> act(const ActContext& with, const api::MachineSet& set, const Plan& plan) {
  return carry_out(with, set, plan);
}

}  // namespace capstan::controllers::topology
