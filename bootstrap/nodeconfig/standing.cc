#include "bootstrap/nodeconfig/standing.h"

#include <fmt/format.h>

#include "api/bootstrap/names.h"
#include "api/v1beta2/cluster_state.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

using api::NoteCode;
using runtime::Waiting;

bool cluster_goes(const Observation& seen) { return !seen.cluster || seen.cluster->metadata.deleting(); }

bool has_control_plane(const Observation& seen) {
  return seen.cluster && api::control_plane_initialized(*seen.cluster);
}

bool has_finalizer(const Observation& seen) {
  return seen.object->metadata.has_finalizer(api::bootstrap::finalizer::kNodeConfig);
}

Standing standing_at_the_end(const Observation& seen) {
  if (cluster_goes(seen) || !has_finalizer(seen)) return Standing::Ends;
  return seen.users.empty() ? Standing::Leaves : Standing::Used;
}

}  // namespace

Standing standing_of(const Observation& seen) {
  if (seen.object->metadata.deleting()) return standing_at_the_end(seen);
  if (cluster_goes(seen) || !has_control_plane(seen) || seen.content.text.size() > kLargestContent)
    return Standing::Waits;
  return has_finalizer(seen) ? Standing::Stands : Standing::Begins;
}

runtime::Paused paused_by(const Observation& seen) {
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  return runtime::paused(cluster_paused, seen.object->metadata, api::bootstrap_kind::kNodeConfig);
}

Waiting obstacle(const Observation& seen) {
  const std::string cluster = seen.object->spec.cluster_name.str();
  if (seen.content.text.size() > kLargestContent)
    return {.code = NoteCode::ConfigInvalid,
            .message = fmt::format("the Nodes' part of spec has {} bytes, and a Secret takes {}",
                                   seen.content.text.size(), kLargestContent)};
  if (cluster_goes(seen))
    return {.code = NoteCode::WaitingForCluster, .message = "waiting for Cluster " + cluster};
  return {.code = NoteCode::ControlPlaneUnavailable,
          .message = "waiting for Cluster " + cluster + " to have its control plane initialized"};
}

}  // namespace capstan::bootstrap::nodeconfig
