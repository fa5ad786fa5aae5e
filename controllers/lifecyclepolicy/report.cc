#include "controllers/lifecyclepolicy/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "api/names.h"
#include "controllers/lifecycle/node_template_rules.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/replacements.h"
#include "controllers/safety/windows_condition.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

namespace conditions = api::conditions;
namespace condition = api::policy::condition;
namespace reason = api::policy::reason;
namespace status = api::status;

constexpr std::size_t kNames = 3;
constexpr std::size_t kFrozenNames = 20;

api::SelectedCounts count(const Observation& seen) {
  api::SelectedCounts counts;
  for (const Selected& each : seen.selected) {
    if (each.kind == api::kind::kMachineDeployment) ++counts.machine_deployments;
    if (each.kind == api::kind::kMachineSet) ++counts.machine_sets;
    if (each.kind == api::kind::kMachinePool) ++counts.machine_pools;
  }
  return counts;
}

api::Condition selecting(const Observation& seen) {
  if (!seen.selector_problem.empty())
    return conditions::make(condition::kSelecting, status::kFalse, reason::kInvalidSelector,
                            seen.selector_problem);
  if (seen.selected.empty())
    return conditions::make(
        condition::kSelecting, status::kFalse, reason::kNothingSelected,
        fmt::format("spec.selector matches no MachineDeployment, MachineSet or MachinePool of namespace {}",
                    seen.policy->metadata.namespace_.view()));
  return conditions::make(condition::kSelecting, status::kTrue, reason::kSelected);
}

api::Condition conflicting(const Observation& seen) {
  std::vector<std::string> objects;
  std::set<std::string> rivals;
  for (const Selected& each : seen.selected) {
    if (each.rivals.empty()) continue;
    objects.push_back(fmt::format("{} {}", each.kind, each.name));
    rivals.insert(each.rivals.begin(), each.rivals.end());
  }
  if (objects.empty())
    return conditions::make(condition::kConflicting, status::kFalse, reason::kNotConflicting);
  rivals.erase(seen.policy->metadata.name.str());
  const std::vector<std::string> others(rivals.begin(), rivals.end());
  return conditions::make(
      condition::kConflicting, status::kTrue, reason::kConflicting,
      fmt::format("{} also selected by MachineLifecyclePolicy {}: no policy applies there; narrow "
                  "spec.selector until each object is selected once",
                  conditions::name_list(objects, kNames), conditions::name_list(others, kNames)));
}

// Of a policy that looks at Nodes.
api::Condition overlap(const Observation& seen) {
  if (seen.overlapping_checks.empty())
    return conditions::make(condition::kHealthCheckOverlap, status::kFalse, reason::kNotOverlapping);
  return conditions::make(
      condition::kHealthCheckOverlap, status::kTrue, reason::kOverlapping,
      fmt::format("MachineHealthCheck {} looks at Nodes of the same Machines: each has them replaced by its "
                  "own times; take unhealthyNodeConditions out of it, or spec.health.nodeChecks out of here",
                  conditions::name_list(seen.overlapping_checks, kNames)));
}

// Of a policy that gives Nodes something.
api::Condition node_template(const api::MachineLifecyclePolicySpec& policy) {
  const auto faults = lifecycle::faults_of(*policy.node_template, lifecycle::taints_to_lose(policy));
  if (faults.empty())
    return conditions::make(lifecycle::kNodeTemplateAccepted, status::kTrue, lifecycle::kAccepted);
  return conditions::make(lifecycle::kNodeTemplateAccepted, status::kFalse, lifecycle::kKeysRefused,
                          fmt::format("spec.nodeTemplate: {}; the rest is given to Nodes",
                                      conditions::name_list(faults, kNames)));
}

std::int32_t& counter_of(lifecycle::Phase phase, api::LifecycleCounts& counts) {
  using lifecycle::Phase;
  switch (phase) {
    case Phase::Creating: return counts.creating;
    case Phase::CreateRetrying: return counts.create_retrying;
    case Phase::Joining: return counts.joining;
    case Phase::Running: return counts.running;
    case Phase::Unhealthy: return counts.unhealthy;
    case Phase::InPlaceUpdating: return counts.in_place_updating;
    case Phase::InPlaceUpdateFailed: return counts.in_place_update_failed;
    case Phase::Failed: return counts.failed;
    case Phase::Terminating: break;
  }
  return counts.terminating;
}

api::List<Text> first_of(std::vector<Text> names) {
  std::ranges::sort(names);
  names.resize(std::min(names.size(), api::LifecycleStatus::kNames));
  return names;
}

std::vector<Text> preserved(const Observation& seen) {
  std::vector<Text> names;
  for (const auto& machine : seen.machines) {
    if (!machine->metadata.deleting() && lifecycle::preserved_until(*machine))
      names.push_back(machine->metadata.name);
  }
  return names;
}

api::LifecycleStatus lifecycle_status(const Observation& seen) {
  api::LifecycleStatus made{.in_flight = seen.missing};
  const auto counted = lifecycle::counted_phases(seen.policy->spec);
  std::vector<Text> failed;
  for (const auto& machine : seen.machines) {
    if (lifecycle::takes_a_place(*machine, counted)) ++made.in_flight;
    const auto standing = lifecycle::standing_of(*machine);
    if (!standing) continue;
    ++counter_of(standing->phase, made.machines);
    if (standing->phase == lifecycle::Phase::Failed) failed.push_back(machine->metadata.name);
  }
  made.failed_machines = first_of(std::move(failed));
  made.preserved_machines = first_of(preserved(seen));
  return made;
}

void show_lifecycle(const Observation& seen, api::MachineLifecyclePolicy& after) {
  after.status.lifecycle.reset();
  if (seen.policy->spec.reports_lifecycle()) after.status.lifecycle = lifecycle_status(seen);
  auto& list = after.status.conditions;
  if (seen.policy->spec.health.node_checks) {
    conditions::set(list, overlap(seen), after.metadata.generation, seen.now);
  } else {
    conditions::remove(list, condition::kHealthCheckOverlap);
  }
}

// Of a policy that freezes by number, and of one that has ever governed a frozen object.
void show_frozen_objects(const Observation& seen, api::MachineLifecyclePolicy& after) {
  auto& list = after.status.conditions;
  const bool is_shown =
      seen.policy->spec.overshoot || conditions::find(list, condition::kSomeFrozen) != nullptr;
  if (seen.frozen.empty() && !is_shown) return;
  auto wanted = conditions::make(condition::kSomeFrozen, status::kFalse, reason::kNotFrozen);
  if (!seen.frozen.empty())
    wanted = conditions::make(
        condition::kSomeFrozen, status::kTrue, condition::kSomeFrozen,
        conditions::name_list(seen.frozen, kFrozenNames) + ": see the condition capstan.dev/Frozen there");
  conditions::set(list, std::move(wanted), after.metadata.generation, seen.now);
}

void show_node_template(const Observation& seen, api::MachineLifecyclePolicy& after) {
  auto& list = after.status.conditions;
  if (seen.policy->spec.node_template) {
    conditions::set(list, node_template(seen.policy->spec), after.metadata.generation, seen.now);
  } else {
    conditions::remove(list, lifecycle::kNodeTemplateAccepted);
  }
}

}  // namespace

api::MachineLifecyclePolicy report(const Observation& seen) {
  api::MachineLifecyclePolicy after = *seen.policy;
  after.status.selected = count(seen);
  for (api::Condition wanted : {selecting(seen), conflicting(seen)})
    conditions::set(after.status.conditions, std::move(wanted), after.metadata.generation, seen.now);
  show_frozen_objects(seen, after);
  show_lifecycle(seen, after);
  show_node_template(seen, after);
  safety::show_windows({.any = !seen.policy->spec.windows.empty(), .problems = seen.window_problems},
                       after.status.conditions, after.metadata.generation, seen.now);
  after.status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::controllers::lifecyclepolicy
