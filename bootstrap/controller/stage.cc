#include "bootstrap/controller/stage.h"

#include <fmt/format.h>

#include "api/v1beta2/cluster_state.h"
#include "kube/kinds.h"

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

// The Secret of a NodeConfig needs a control plane that runs: the first machine of one can't wait for it.
std::string missing_of_node_config(const Observation& seen) {
  if (!seen.node_config) return "to be made";
  if (data_created(seen)) return {};
  if (seen.node_config->metadata.deleting()) return "to be made again: it is being deleted";
  if (seen.node_config->spec.cluster_name != seen.cluster->metadata.name)
    return "to be for this Cluster: it is for " + seen.node_config->spec.cluster_name.str();
  if (!seen.owner->control_plane && seen.node_config->status.checksum.empty())
    return "to be in its Secret in the workload cluster";
  return {};
}

std::optional<Waiting> node_config_obstacle(const Observation& seen) {
  if (!seen.object->spec.node_config_ref) return std::nullopt;
  const std::string missing = missing_of_node_config(seen);
  if (missing.empty()) return std::nullopt;
  return Waiting{
      .code = NoteCode::WaitingForNodeConfig,
      .message = "waiting for NodeConfig " + seen.object->spec.node_config_ref->name.str() + " " + missing};
}

// Of a Cluster whose infrastructure is there.
std::optional<Waiting> join_obstacle(const Observation& seen) {
  if (!seen.cluster->spec.control_plane_endpoint.valid())
    return Waiting{
        .code = NoteCode::WaitingForClusterInfrastructure,
        .message = "waiting for " + cluster_name(seen) +
                   " to have spec.controlPlaneEndpoint: its infrastructure provider sets it, or you "
                   "do"};
  if (seen.owner->control_plane || api::control_plane_initialized(*seen.cluster))
    return node_config_obstacle(seen);
  const std::string_view who = seen.cluster->spec.control_plane_ref
                                   ? "its control plane provider says so in status.initialization"
                                   : "none of its control plane Machines has a Node yet";
  return Waiting{.code = NoteCode::ControlPlaneUnavailable,
                 .message = fmt::format("waiting for {} to have its control plane initialized: {}",
                                        cluster_name(seen), who)};
}

}  // namespace

Stage stage_of(const Observation& seen) {
  const bool joins = seen.object->spec.join.has_value();
  if (may_have_token(*seen.object) && (!joins || leaves(seen) || has_joined(seen))) return Stage::Leaving;
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

bool may_have_token(const api::CloudConfig& config) {
  return config.status.bootstrap_token == api::bootstrap_token::kIssued ||
         config.metadata.has_finalizer(api::bootstrap::finalizer::kToken);
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
