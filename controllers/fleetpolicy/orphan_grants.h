// How a grant stands that was given for a VM which no object has, by the annotations of its Cluster: the
// provider takes the request off when it makes use of the grant, and both when it wants the VM no more gone.
// Used by decide.h. Pure.
#pragma once

#include "controllers/fleetpolicy/observation.h"

namespace capstan::controllers::fleetpolicy {

enum class OrphanGrant {
  Open,       // it may be used
  Unwritten,  // the Cluster asks, and does not show it: the write was lost
  Used,       // the VM is being deleted; the Cluster shows it still
  Expired,    // it was not used in time; the Cluster shows it still
  Over,       // its deletion has begun, and the Cluster shows it no more, or is gone
  GivenBack,  // neither used nor shown
};

OrphanGrant standing_of(const OpenGrant& open, Time now);

bool is_for_orphan(const api::FleetGrant& grant);
// The Cluster asks for a place for one.
bool asks_for_orphan(const api::Cluster& cluster);

}  // namespace capstan::controllers::fleetpolicy
