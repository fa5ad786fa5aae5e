#include "api/v1beta2/cluster_state.h"

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::api {

bool control_plane_initialized(const Cluster& cluster) {
  return cluster.status.initialization.control_plane_initialized.value_or(false) ||
         conditions::is_true(cluster.status.conditions, condition::kControlPlaneInitialized);
}

}  // namespace capstan::api
