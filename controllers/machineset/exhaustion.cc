#include "controllers/machineset/exhaustion.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/exhaustion.h"

namespace capstan::controllers::machineset {

std::optional<Time> exhausted_until(const Observation& seen) {
  if (!seen.policy || !seen.policy->spec.creation || is_off(Safeguard::Exhaustion)) return std::nullopt;
  Time until = lifecycle::exhausted_until(seen.stored->metadata).value_or(seen.now);
  for (const auto& machine : seen.machines)
    until = std::max(until, lifecycle::exhausted_until(machine->metadata).value_or(seen.now));
  return until > seen.now ? std::optional(until) : std::nullopt;
}

std::string exhaustion_text(Time until) {
  return fmt::format(
      "the provider has no quota or no capacity for another VM (ResourceExhausted): no Machine is "
      "made until {}; to have it tried before, set the annotation {} of the MachineSet and its Machines to a "
      "time that is over",
      until.to_string(), api::policy::annotation::kResourceExhaustedUntil);
}

}  // namespace capstan::controllers::machineset
