#include "controllers/fleetpolicy/report.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/fleet_policy_rules.h"
#include "controllers/safety/fleet_freeze.h"
#include "controllers/safety/windows_condition.h"

namespace capstan::controllers::fleetpolicy {
namespace {

namespace conditions = api::conditions;
namespace condition = api::policy::condition;
namespace reason = api::policy::reason;
namespace status = api::status;

api::Condition applied(const Observation& seen) {
  if (seen.applied) return conditions::make(condition::kApplied, status::kTrue, reason::kApplied);
  return conditions::make(
      condition::kApplied, status::kFalse, reason::kIgnored,
      fmt::format("the FleetPolicy of a management cluster is called {}, this one is ignored: write what it "
                  "says into that one, and delete this one",
                  api::policy::kFleetPolicyName));
}

std::string waiting_message(const Waiting& waiting) {
  return fmt::format(
      "{}, the longest {} ({}, since {}): {}",
      waiting.count == 1 ? "1 deletion waits" : fmt::format("{} deletions wait", waiting.count),
      waiting.longest.called, waiting.longest.request.reason, waiting.longest.request.since.to_string(),
      waiting.why);
}

api::Condition limiting(const Observation& seen, const Plan& plan) {
  auto causes = api::validate(*seen.policy, nullptr);
  std::erase_if(causes, [](const auto& cause) { return !cause.field.starts_with("spec.limits"); });
  if (!causes.empty())
    return conditions::make(condition::kLimiting, status::kTrue, reason::kLimitReadsNothing,
                            fmt::format("{}: {}; no deletion that it counts begins until then",
                                        causes.front().field, causes.front().message));
  if (plan.waiting.count == 0)
    return conditions::make(condition::kLimiting, status::kFalse, reason::kNoneWaits);
  return conditions::make(condition::kLimiting, status::kTrue, reason::kLimitReached,
                          waiting_message(plan.waiting));
}

api::Condition frozen(const Observation& seen) {
  if (!seen.frozen) return conditions::make(condition::kSomeFrozen, status::kFalse, reason::kNotFrozen);
  return conditions::make(
      condition::kSomeFrozen, status::kTrue, reason::kFrozenByAnnotation,
      fmt::format("no Machine of any Cluster is made or deleted, but by a user{}; take annotation {} off",
                  safety::freeze_in_words(*seen.frozen), api::policy::annotation::kFreeze));
}

}  // namespace

api::FleetPolicy report(const Observation& seen, const Plan& plan) {
  api::FleetPolicy after = *seen.policy;
  after.status.grants = plan.grants;
  after.status.buckets = plan.buckets;
  after.status.waiting = plan.waiting.count;
  after.status.in_flight = static_cast<std::int32_t>(plan.grants.size());
  after.status.observed_generation = after.metadata.generation;
  std::vector<api::Condition> all = {applied(seen)};
  if (seen.applied) {
    all.push_back(limiting(seen, plan));
    all.push_back(frozen(seen));
  }
  for (api::Condition& each : all)
    conditions::set(after.status.conditions, std::move(each), after.metadata.generation, seen.now);
  safety::show_windows(
      {.any = seen.applied && !seen.windows.list.empty(), .problems = safety::problems_of(seen.windows)},
      after.status.conditions, after.metadata.generation, seen.now);
  conditions::sort(after.status.conditions);
  return after;
}

}  // namespace capstan::controllers::fleetpolicy
