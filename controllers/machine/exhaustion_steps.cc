#include "controllers/machine/exhaustion_steps.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/exhaustion.h"
#include "controllers/machine/external_conditions.h"

namespace capstan::controllers::machine {
namespace {

bool counts(const Observation& seen, const Plan& plan) {
  return seen.policy && seen.policy->spec.creation &&
         !plan.wanted.status.initialization.infrastructure_provisioned.value_or(false);
}

bool is_without_room(const Observation& seen, const Plan& plan) {
  if (const auto ready = infrastructure_ready(seen, plan, plan.wanted))
    return lifecycle::tells_of_exhaustion(*ready);
  const auto before =
      api::conditions::find(seen.machine->status.conditions, api::condition::kInfrastructureReady);
  return before != nullptr && lifecycle::tells_of_exhaustion(api::Condition(*before));
}

}  // namespace

void note_exhaustion(const Observation& seen, Plan& plan) {
  constexpr std::string_view kUntil = api::policy::annotation::kResourceExhaustedUntil;
  if (seen.deleting() || !seen.policy_known) return;
  auto& metadata = plan.wanted.metadata;
  const auto noted = lifecycle::exhausted_until(metadata);
  if (!counts(seen, plan)) return metadata.annotations.erase(kUntil);
  if (!is_without_room(seen, plan)) {
    // Another error says nothing about room: with a cloud that gives both by turns it would come and go.
    if (!noted || *noted <= seen.now) metadata.annotations.erase(kUntil);
    return;
  }
  if (noted) return;
  const Time until = seen.now + lifecycle::exhausted_retry(*seen.policy->spec.creation);
  metadata.annotations.set(kUntil, until.to_string());
}

}  // namespace capstan::controllers::machine
