// How the deletion of a Machine gets a place in the limits of the FleetPolicy, as its annotations tell: its
// MachineSet asks for one, and the controller of the FleetPolicy grants it. Used by both. Pure, but for what
// is looked up in caches; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/policy/fleet_policy.h"
#include "api/v1beta2/machine.h"
#include "runtime/snapshot.h"

namespace capstan::controllers {
class Caches;
}  // namespace capstan::controllers

namespace capstan::controllers::safety {

struct FleetRequest {
  std::string reason = {};  // of api::policy::deletion
  Time since = {};
  bool operator==(const FleetRequest&) const = default;
};
std::string to_text(const FleetRequest& request);  // "Rollout~2026-01-01T12:00:00Z"
// Nothing: it asks for nothing, or in words that mean nothing.
std::optional<FleetRequest> fleet_request_of(const api::Machine& machine);

bool has_fleet_grant(const api::Machine& machine);
// It has one of the two annotations, whatever they say.
bool concerns_fleet(const api::Machine& machine);

// Machines of a control plane neither ask nor count.
bool is_worker(const api::Machine& machine);

// The FleetPolicy that counts; null: there is none, or it is on its way out.
runtime::Snapshot<api::FleetPolicy> fleet_policy_of(const Caches& caches);
// Whether deletions wait for grants.
bool limits_fleet(const Caches& caches);
// Whether a manager grants them: false before the first look of one that owns the FleetPolicy.
bool has_granter(const Caches& caches);

}  // namespace capstan::controllers::safety
