// How a deletion gets a place in the limits of the FleetPolicy: an annotation asks for it, on the Machine
// that is to be deleted, or on the Cluster of a VM that is no object's; another one grants it. Written and
// read by the owners of Machines, by the infrastructure provider and by the controller of the FleetPolicy.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "api/meta/object_meta.h"

namespace capstan::api::policy {

// A grant that is not used by then is none any more.
inline constexpr Seconds kFleetGrantExpires{600};

struct FleetRequest {
  std::string reason = {};  // of api::policy::deletion
  Time since = {};
  // What a person has confirmed it as, where a deletion guard held it: the generation of its MachineSet, or
  // the time at which its MachinePool names it. Empty: that was not so.
  std::string confirmed = {};
  bool operator==(const FleetRequest&) const = default;
};
// "Rollout~2026-01-01T12:00:00Z", or that and "~confirmed:7"
std::string to_text(const FleetRequest& request);

// Nothing: it asks for nothing, or in words that mean nothing.
std::optional<FleetRequest> fleet_request_in(const ObjectMeta& object);
bool has_fleet_grant(const ObjectMeta& object);
// For how long it may be used; nothing: there is none, or its time is over.
std::optional<Seconds> fleet_grant_left(const ObjectMeta& object, Time now);
// It has one of the two annotations, whatever they say.
bool concerns_fleet(const ObjectMeta& object);

}  // namespace capstan::api::policy
