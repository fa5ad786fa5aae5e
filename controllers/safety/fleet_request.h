// How the deletion of a Machine gets a place in the limits of the FleetPolicy, as its annotations tell
// (api/policy/fleet_request.h): its MachineSet or MachinePool asks for one, and the controller of the
// FleetPolicy grants it. Used by both. Pure, but for what is looked up in caches; safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <unordered_set>

#include "api/policy/fleet_policy.h"
#include "api/policy/fleet_request.h"
#include "api/v1beta2/machine.h"
#include "runtime/snapshot.h"

namespace capstan::controllers {
class Caches;
}  // namespace capstan::controllers

namespace capstan::controllers::safety {

using api::policy::FleetRequest;
using api::policy::to_text;

inline std::optional<FleetRequest> fleet_request_of(const api::Machine& machine) {
  return api::policy::fleet_request_in(machine.metadata);
}
inline bool has_fleet_grant(const api::Machine& machine) {
  return api::policy::has_fleet_grant(machine.metadata);
}
inline bool concerns_fleet(const api::Machine& machine) {
  return api::policy::concerns_fleet(machine.metadata);
}

// Whether two states of one Machine differ by what it asks of the FleetPolicy and is granted, and by nothing
// else.
bool differ_by_fleet_words_alone(const api::Machine& before, const api::Machine& after);

// Machines of a control plane neither ask nor count.
bool is_worker(const api::Machine& machine);

// The FleetPolicy that counts; null: there is none, or it is on its way out.
runtime::Snapshot<api::FleetPolicy> fleet_policy_of(const Caches& caches);

// What the owner of Machines reads of it.
struct FleetSeen {
  bool limited = false;     // a deletion needs a place in its limits
  bool has_granter = true;  // a manager gives such places: false before the first look of one that owns it
  // Those of its Machines that have a place by the status of the FleetPolicy, and say so themselves.
  std::unordered_set<api::Uid> granted = {};
};
FleetSeen see_fleet(const Caches& caches, std::span<const runtime::Snapshot<api::Machine>> machines);

}  // namespace capstan::controllers::safety
