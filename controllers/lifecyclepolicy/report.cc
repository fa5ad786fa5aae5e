#include "controllers/lifecyclepolicy/report.h"

#include <fmt/format.h>

#include <set>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "api/names.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

namespace conditions = api::conditions;
namespace condition = api::policy::condition;
namespace reason = api::policy::reason;
namespace status = api::status;

constexpr std::size_t kNames = 3;

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

}  // namespace

api::MachineLifecyclePolicy report(const Observation& seen) {
  api::MachineLifecyclePolicy after = *seen.policy;
  after.status.selected = count(seen);
  for (api::Condition wanted : {selecting(seen), conflicting(seen)})
    conditions::set(after.status.conditions, std::move(wanted), after.metadata.generation, seen.now);
  after.status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::controllers::lifecyclepolicy
