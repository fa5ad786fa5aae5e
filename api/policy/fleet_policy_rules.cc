#include "api/policy/fleet_policy_rules.h"

#include <fmt/format.h>

#include "api/policy/window_rules.h"
#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kAllOfThem = 100;

// The schema says the same; a server with an earlier one may have stored what it refuses.
bool makes_sense(const IntOrString& max) {
  const auto share = scaled_value(max, kAllOfThem, Rounding::Up);
  return share && *share >= 0 && (!max.is_string() || *share <= kAllOfThem);
}

}  // namespace

bool is_the_fleet_policy(const FleetPolicy& policy) {
  return policy.metadata.name == policy::kFleetPolicyName;
}

Causes validate(const FleetPolicy& now, const FleetPolicy* /*before*/, const Gates& /*gates*/) {
  Causes causes;
  for (std::size_t i = 0; i < now.spec.limits.size(); ++i) {
    const IntOrString& max = now.spec.limits[i].max;
    if (makes_sense(max)) continue;
    causes.push_back(field_invalid(fmt::format("spec.limits[{}].max", i),
                                   fmt::format("\"{}\"", max.to_string()),
                                   "must be a number from 0 on, or a percentage from 0% to 100%"));
  }
  check_windows(now.spec.windows, causes);
  return causes;
}

}  // namespace capstan::api
