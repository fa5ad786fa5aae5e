#include "bootstrap/controller/decide.h"

#include "bootstrap/cloud_config.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::bootstrap::controller {
namespace {

using api::NoteCode;
using runtime::Waiting;

void provide(const Observation& seen, Plan& plan);
std::optional<Waiting> obstacle(const Observation& seen);
void wait(const Observation& seen, Waiting waiting, Plan& plan);
void create(const Observation& seen, Plan& plan);
MachineFacts facts_of(const Owner& owner, const api::Cluster& cluster);

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::bootstrap_kind::kCloudConfig);
  if (plan.paused.paused || !seen.fresh || seen.object->metadata.deleting()) return plan;
  if (!seen.object->status.initialization.data_secret_created.value_or(false)) provide(seen, plan);
  return plan;
}

namespace {

void provide(const Observation& seen, Plan& plan) {
  if (seen.owner && !seen.owner->data_secret.empty()) {
    plan.actions.emplace_back(RestoreStatus{.secret_name = seen.owner->data_secret});
    return;
  }
  const bool owner_leaves = seen.owner && seen.owner->deleting;
  const bool cluster_leaves = seen.cluster && seen.cluster->metadata.deleting();
  if (owner_leaves || cluster_leaves) return;
  if (auto waiting = obstacle(seen))
    wait(seen, std::move(*waiting), plan);
  else
    create(seen, plan);
}

std::optional<Waiting> obstacle(const Observation& seen) {
  if (!seen.owner)
    return Waiting{.code = NoteCode::WaitingForOwner,
                   .message = "waiting for a Machine or MachinePool to own this object"};
  if (!seen.cluster)
    return Waiting{.code = NoteCode::WaitingForCluster,
                   .message = "waiting for Cluster " + seen.owner->cluster};
  if (seen.cluster->status.initialization.infrastructure_provisioned.value_or(false)) return std::nullopt;
  return Waiting{.code = NoteCode::WaitingForClusterInfrastructure,
                 .message = "waiting for Cluster " + seen.cluster->metadata.name.str() +
                            " to have its infrastructure provisioned"};
}

void wait(const Observation& seen, Waiting waiting, Plan& plan) {
  plan.recheck = runtime::until_shown(seen.object->metadata, seen.now);
  waiting.shown = !plan.recheck;
  plan.waiting = std::move(waiting);
}

void create(const Observation& seen, Plan& plan) {
  const api::ObjectMeta& metadata = seen.object->metadata;
  auto text = render(seen.object->spec, facts_of(*seen.owner, *seen.cluster));
  if (!text) {
    plan.waiting = Waiting{.code = NoteCode::ConfigInvalid, .message = text.error().message};
    return;
  }
  plan.actions.emplace_back(
      CreateSecret{.key = {.namespace_ = metadata.namespace_.str(), .name = metadata.name.str()},
                   .cluster = seen.owner->cluster,
                   .owner = runtime::controller_reference(kube::resource_of<api::CloudConfig>(), metadata),
                   .for_kind = seen.owner->kind,
                   .value = Secret(std::move(*text))});
}

MachineFacts facts_of(const Owner& owner, const api::Cluster& cluster) {
  const auto& endpoint = cluster.spec.control_plane_endpoint;
  return {.cluster = cluster.metadata.name.str(),
          .namespace_ = cluster.metadata.namespace_.str(),
          .machine = owner.is_pool() ? std::string() : owner.name,
          .machine_pool = owner.is_pool() ? owner.name : std::string(),
          .kubernetes_version = owner.version,
          .endpoint =
              endpoint.valid() ? endpoint.host.str() + ":" + std::to_string(*endpoint.port) : std::string(),
          .control_plane = owner.control_plane};
}

}  // namespace
}  // namespace capstan::bootstrap::controller
