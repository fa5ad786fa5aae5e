#include "bootstrap/controller/stage.h"

#include "kube/typed.h"

namespace capstan::bootstrap::controller {
namespace {

using api::NoteCode;
using runtime::Waiting;

bool has_joined(const Observation& seen) {
  return seen.owner && !seen.owner->is_pool() && !seen.owner->nodes_missing;
}

bool leaves(const Observation& seen) {
  return seen.object->metadata.deleting() || (seen.owner && seen.owner->deleting);
}

std::string cluster_name(const Observation& seen) { return "Cluster " + seen.cluster->metadata.name.str(); }

// Of a Cluster whose infrastructure is there.
std::optional<Waiting> join_obstacle(const Observation& seen) {
  if (!seen.cluster->spec.control_plane_endpoint.valid())
    return Waiting{
        .code = NoteCode::WaitingForClusterInfrastructure,
        .message = "waiting for " + cluster_name(seen) +
                   " to have spec.controlPlaneEndpoint: its infrastructure provider sets it, or you "
                   "do"};
  if (seen.owner->control_plane ||
      seen.cluster->status.initialization.control_plane_initialized.value_or(false))
    return std::nullopt;
  return Waiting{.code = NoteCode::ControlPlaneUnavailable,
                 .message = "waiting for " + cluster_name(seen) +
                            " to have its control plane initialized: its control plane provider says so in "
                            "status.initialization"};
}

}  // namespace

Stage stage_of(const Observation& seen) {
  const bool may_have_token = seen.object->metadata.has_finalizer(api::bootstrap::finalizer::kToken);
  const bool joins = seen.object->spec.join.has_value();
  if (may_have_token && (!joins || leaves(seen) || has_joined(seen))) return Stage::Leaving;
  if (!joins) return Stage::Plain;
  if (seen.owner && seen.owner->control_plane) return Stage::ControlPlane;
  return leaves(seen) || has_joined(seen) ? Stage::Settled : Stage::Joining;
}

runtime::Paused paused_by(const Observation& seen) {
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  return runtime::paused(cluster_paused, seen.object->metadata, api::bootstrap_kind::kCloudConfig);
}

bool data_created(const Observation& seen) {
  return seen.object->status.initialization.data_secret_created.value_or(false);
}

std::optional<Waiting> obstacle(const Observation& seen) {
  if (!seen.owner)
    return Waiting{.code = NoteCode::WaitingForOwner,
                   .message = "waiting for a Machine or MachinePool to own this object"};
  if (!seen.cluster)
    return Waiting{.code = NoteCode::WaitingForCluster,
                   .message = "waiting for Cluster " + seen.owner->cluster};
  if (!seen.cluster->status.initialization.infrastructure_provisioned.value_or(false))
    return Waiting{
        .code = NoteCode::WaitingForClusterInfrastructure,
        .message = "waiting for " + cluster_name(seen) + " to have its infrastructure provisioned"};
  return seen.object->spec.join ? join_obstacle(seen) : std::nullopt;
}

api::ObjectKey data_key(const Observation& seen) {
  const Text& known = seen.object->status.data_secret_name;
  return {.namespace_ = seen.object->metadata.namespace_.str(),
          .name = known.empty() ? seen.object->metadata.name.str() : known.str()};
}

}  // namespace capstan::bootstrap::controller
