#include "controllers/safety/fleet_freeze.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/policy/freeze.h"
#include "base/safeguards.h"
#include "controllers/safety/fleet_request.h"

namespace capstan::controllers::safety {
namespace {

// Since its controller has seen it; empty: it has not yet.
std::string fleet_frozen_since(const api::FleetPolicy& policy) {
  const auto frozen = api::conditions::find(policy.status.conditions, api::policy::condition::kSomeFrozen);
  if (frozen == nullptr || frozen->status != api::status::kTrue) return {};
  return " since " + frozen->last_transition_time.to_string();
}

std::string in_words(const api::FleetPolicy& policy, std::string_view why) {
  return fmt::format("FleetPolicy {} is frozen{}{}; take annotation {} off it", policy.metadata.name.view(),
                     fleet_frozen_since(policy), freeze_in_words(why), api::policy::annotation::kFreeze);
}

}  // namespace

std::string freeze_in_words(std::string_view why) {
  return why.empty() ? std::string() : fmt::format(": {:?}", why);
}

std::optional<std::string> fleet_freeze(const api::FleetPolicy& policy) {
  const auto why = api::policy::freeze_said_on(policy.metadata);
  if (!why || is_off(Safeguard::Freeze)) return std::nullopt;
  return std::string(*why);
}

runtime::Verdict FleetFreezeBrake::ask(runtime::Intent intent, const runtime::Asker&) const {
  if (intent == runtime::Intent::Evict) return {};
  const auto policy = fleet_policy_of(caches_);
  const auto why = policy ? fleet_freeze(*policy) : std::nullopt;
  if (!why) return {};
  return {.open = false, .why = in_words(*policy, *why)};
}

Frozen frozen_by_the_fleet(const Caches& caches) {
  const auto policy = fleet_policy_of(caches);
  const auto why = policy ? fleet_freeze(*policy) : std::nullopt;
  if (!why) return {};
  return {.reason = api::policy::reason::kFrozenByFleet, .why = in_words(*policy, *why)};
}

}  // namespace capstan::controllers::safety
