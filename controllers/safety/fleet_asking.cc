#include "controllers/safety/fleet_asking.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/message.h"

namespace capstan::controllers::safety {
namespace {

constexpr std::size_t kNamesShown = 3;
// Saying so at once would cost two writes of a set's status, and two of its MachineDeployment's.
constexpr Seconds kShownAfter{5};
constexpr std::string_view kNoGranter =
    "; no manager has looked at that policy yet: one has to run with --owns-fleet-policy=true";

}  // namespace

std::string describe(const AskFleet& action) {
  return fmt::format("ask the FleetPolicy for Machine {}: {:?}", action.machine->metadata.name,
                     action.request);
}

bool lacks_fleet_grant(const api::Machine& machine, const FleetSeen& fleet) {
  return fleet.limited && is_worker(machine) && !fleet.granted.contains(machine.metadata.uid);
}

FleetRequest request_for(const api::Machine& machine, Cause cause, std::string_view confirmed, Time now) {
  const auto before = fleet_request_of(machine);
  return {.reason = std::string(to_string(cause)),
          .since = before ? before->since : now,
          .confirmed = std::string(confirmed)};
}

bool is_confirmed(const api::Machine& machine, const FleetSeen& fleet, std::string_view as) {
  const auto request = fleet_request_of(machine);
  return fleet.limited && request && !as.empty() && request->confirmed == as;
}

std::optional<AskFleet> ask_fleet(const runtime::Snapshot<api::Machine>& machine,
                                  const FleetRequest& request) {
  if (fleet_request_of(*machine) == request) return {};
  return AskFleet{.machine = machine, .request = to_text(request)};
}

void AwaitingFleet::add(const api::Machine& machine, const FleetRequest& request) {
  since = names.empty() ? request.since : std::min(since, request.since);
  names.push_back(machine.metadata.name.str());
}

Seconds AwaitingFleet::silent_for(Time now) const { return std::max(Seconds(0), since + kShownAfter - now); }

bool AwaitingFleet::is_new(Time now) const {
  const Seconds left = silent_for(now);
  return left > Seconds(0) && left <= kShownAfter;
}

std::string AwaitingFleet::text(bool granted) const {
  return fmt::format("Machines that wait for a place in the limits of FleetPolicy {}, since {}: {}{}",
                     api::policy::kFleetPolicyName, since.to_string(),
                     api::conditions::name_list(names, kNamesShown), granted ? "" : kNoGranter);
}

}  // namespace capstan::controllers::safety
