#include "infrastructure/controller/cluster/report.h"

#include <algorithm>

#include "infrastructure/controller/cluster/orphans.h"

namespace capstan::infrastructure::cluster {
namespace {

using runtime::Readiness;

void hand_on_failure_domains(api::DriverCluster& object);
std::optional<Readiness> readiness(const Plan& plan, const Effects& effects);

}  // namespace

Reported report(const Observation& seen, const Plan& plan, const Effects& effects) {
  Reported reported{.after = effects.object ? *effects.object : *seen.object};
  api::DriverCluster& after = reported.after;
  const api::DriverClusterStatus before = after.status;
  if (effects.provided) after.status.initialization.provisioned = true;
  if (after.status.initialization.provisioned.value_or(false)) hand_on_failure_domains(after);
  if (seen.orphans && !plan.paused.paused) list_orphans(seen, effects, after.status);
  reported.notes = runtime::conclude(
      after, before, {.readiness = readiness(plan, effects), .paused = plan.paused, .now = seen.now});
  add_notes_of_orphans(before, after.status, effects, reported.notes);
  return reported;
}

namespace {

void hand_on_failure_domains(api::DriverCluster& object) {
  object.status.failure_domains = object.spec.failure_domains;
  std::ranges::sort(object.status.failure_domains, {}, &api::FailureDomain::name);
}

// What a cluster waits for is no trouble, and no Event.
std::optional<Readiness> readiness(const Plan& plan, const Effects& effects) {
  if (effects.trouble)
    return Readiness{.obstacle = effects.trouble->code, .message = effects.trouble->message};
  if (effects.provided && !plan.waiting) return Readiness();
  if (!plan.waiting || !plan.waiting->shown) return std::nullopt;
  return Readiness{.obstacle = plan.waiting->code, .message = plan.waiting->message, .silent = true};
}

}  // namespace
}  // namespace capstan::infrastructure::cluster
