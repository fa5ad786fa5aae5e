// The place that the deletion of an orphan takes in the limits of the FleetPolicy, and the windows it keeps
// to. An annotation of the Cluster asks for it, and the controller of the FleetPolicy answers with another
// one (api/policy/fleet_request.h): one VM at a time. Private to act.cc; blocks as the client does.
#pragma once

#include "api/v1beta2/cluster.h"
#include "infrastructure/controller/orphans/settings.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::cluster {

// True: it was granted, and the grant is used up, by a write that takes the request off a version of the
// Cluster that holds nothing up. Otherwise the Cluster asks from now on, unless it is held; its change wakes
// the turn. A grant that is used up goes by the controller of the FleetPolicy.
Result<bool> take_place(const ActContext& with, const ObjectKey& cluster, const OrphanSettings& settings,
                        Time now);

// Nothing of the Cluster is to be deleted any more. Bound to the version that was seen.
Result<void> give_up_place(const ActContext& with, const api::Cluster& cluster);

}  // namespace capstan::infrastructure::cluster
