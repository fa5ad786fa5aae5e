#include "controllers/topology/observe.h"

#include <type_traits>

#include "base/try.h"
#include "controllers/shared/pause.h"
#include "controllers/topology/kinds.h"
#include "kube/typed.h"

namespace capstan::controllers::topology {
namespace {

void add_templates(Templates& templates, const api::MachineSpec& machine) {
  if (machine.bootstrap.config_ref) templates.push_back(*machine.bootstrap.config_ref);
  templates.push_back(machine.infrastructure_ref);
}

// Of the MachineSets that stay, and of their MachineDeployment where it stays.
Result<Templates> templates_in_use(const ObserveContext& with, const kube::ObjectKey& deployment,
                                   bool deployment_goes) {
  Templates used;
  kube::Client& client = with.deps.client;
  const auto sets = TRY(kube::list<api::MachineSet>(
      client,
      {.namespace_ = deployment.namespace_,
       .label_selector = std::string(api::label::kDeploymentName) + "=" + deployment.name},
      with.context.deadline));
  for (const api::MachineSet& set : sets.items) {
    if (!set.metadata.deleting()) add_templates(used, set.spec.machine_template.spec);
  }
  if (deployment_goes) return used;
  const auto owner = kube::get<api::MachineDeployment>(client, deployment, with.context.deadline);
  if (!owner && owner.error().code == Code::NotFound) return used;
  if (!owner) return fail(owner.error());
  if (!owner->metadata.deleting()) add_templates(used, owner->spec.machine_template.spec);
  return used;
}

template <typename T>
Result<Observation> look_at(const ObserveContext& with, const T& object) {
  using Kind = OwnedKind<T>;
  const auto& metadata = object.metadata;
  const auto cluster = with.deps.caches.cluster_of(metadata.namespace_, object.spec.cluster_name);
  Observation seen{.deleting = metadata.deleting(),
                   .has_finalizer = metadata.has_finalizer(Kind::kFinalizer),
                   .paused = pause_of(cluster.get(), metadata, api::resource<T>.kind).paused,
                   .may_have_health_check = Kind::kHasHealthCheck};
  add_templates(seen.templates, object.spec.machine_template.spec);
  const auto deployment = deployment_of(object);
  if (!seen.deleting || !seen.has_finalizer || seen.paused || !deployment) return seen;
  constexpr bool kIsDeployment = std::is_same_v<T, api::MachineDeployment>;
  seen.in_use = TRY(templates_in_use(with, {metadata.namespace_.str(), *deployment}, kIsDeployment));
  return seen;
}

}  // namespace

bool is_concerned(const api::ObjectMeta& object, const Deps& deps) {
  return object.labels.contains(api::label::kTopologyOwned) && in_scope(object, deps.watch_filter);
}

Result<Observation> observe(const ObserveContext& with, const api::MachineDeployment& deployment) {
  return look_at(with, deployment);
}

Result<Observation> observe(const ObserveContext& with, const api::MachineSet& set) {
  return look_at(with, set);
}

}  // namespace capstan::controllers::topology
