// What the owner of Machines writes to get their deletions a place in the limits of the FleetPolicy, and what
// it says of those that wait. Used by MachineSets and MachinePools. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/safety/fleet_request.h"
#include "controllers/safety/windows.h"

namespace capstan::controllers::safety {

// The Machine asks for a place, or does not any more.
struct AskFleet {
  runtime::Snapshot<api::Machine> machine = {};
  std::string request = {};  // what its annotation becomes; empty: it goes, and a grant with it
  bool operator==(const AskFleet&) const = default;
};
std::string describe(const AskFleet& action);

// Its deletion needs a place that it has not got: where there are limits, those of workers do.
// An annotation alone is no grant: a copied manifest brings one, too.
bool lacks_fleet_grant(const api::Machine& machine, const FleetSeen& fleet);
// Its place among those that wait is the one it had, also when the reason has become another. `confirmed`: as
// what a person has confirmed it (api/policy/fleet_request.h); empty: that is not so.
FleetRequest request_for(const api::Machine& machine, Cause cause, std::string_view confirmed, Time now);
// It waits for a place, and a person has confirmed as that that it goes. Without limits nothing waits.
bool is_confirmed(const api::Machine& machine, const FleetSeen& fleet, std::string_view as);
// Nothing: it asks so already.
std::optional<AskFleet> ask_fleet(const runtime::Snapshot<api::Machine>& machine,
                                  const FleetRequest& request);

// Machines of one owner that wait.
struct AwaitingFleet {
  std::vector<std::string> names = {};
  Time since = {};  // the oldest request

  void add(const api::Machine& machine, const FleetRequest& request);
  // For how long nothing is said of them: most requests are granted within a moment.
  Seconds silent_for(Time now) const;
  bool is_new(Time now) const;  // not by the clock of an asker that is ahead of ours
  // Where no manager grants, that is said, too.
  std::string text(bool granted) const;
};

}  // namespace capstan::controllers::safety
