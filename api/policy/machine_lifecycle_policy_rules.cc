#include "api/policy/machine_lifecycle_policy_rules.h"

#include <fmt/format.h>

#include <string>

#include "api/policy/window_rules.h"
#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kWhole = 100;

// The schema of the field says the same where its rules are evaluated.
void check_max_in_flight(const IntOrString& limit, Causes& causes) {
  const auto share = scaled_value(limit, kWhole, Rounding::Up);
  const bool sensible = share && *share >= 1 && (!limit.is_string() || *share <= kWhole);
  if (sensible) return;
  causes.push_back(field_invalid("spec.replacement.maxInFlight", fmt::format("\"{}\"", limit.to_string()),
                                 "must be a number from 1 on, or a percentage from 1% to 100%"));
}

void check_rollout(const PolicyRollout& rollout, Causes& causes) {
  if (!rollout.recreate) return;
  if (rollout.slow_start) {
    causes.push_back(field_invalid(
        "spec.rollout.slowStart", std::to_string(*rollout.slow_start),
        "is for rolling updates, and spec.rollout.recreate is given: leave out one of the two"));
  }
  if (rollout.in_place) {
    causes.push_back(
        field_invalid("spec.rollout.inPlace", rollout.in_place->mode.view(),
                      "keeps Machines, and spec.rollout.recreate replaces them: leave out one of the two"));
  }
}

}  // namespace

Causes validate(const MachineLifecyclePolicy& now, const MachineLifecyclePolicy* /*before*/,
                const Gates& /*gates*/) {
  Causes causes;
  (void)rules::check_selector("spec.selector", now.spec.selector, causes);
  const auto& replacement = now.spec.replacement;
  if (replacement && replacement->max_in_flight) check_max_in_flight(*replacement->max_in_flight, causes);
  if (now.spec.rollout) check_rollout(*now.spec.rollout, causes);
  check_windows(now.spec.windows, causes);
  return causes;
}

}  // namespace capstan::api
