// What a Cluster says of itself, in one answer where it says it in two places. Pure.
#pragma once

#include "api/v1beta2/cluster.h"

namespace capstan::api {

// A control plane provider says so in the status. Of a Cluster without controlPlaneRef the condition alone
// does: once a control plane Machine has had its Node.
bool control_plane_initialized(const Cluster& cluster);

}  // namespace capstan::api
