#include "controllers/lifecyclepolicy/decide.h"

#include "api/policy/names.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

std::string mark_of(const api::Machine& machine) {
  return std::string(machine.metadata.annotations.value_or_empty(api::policy::annotation::kAutoPreserved));
}

}  // namespace

Plan decide(const Observation& seen) {
  const auto wanted = lifecycle::auto_preservation(seen.most_preserved, seen.members);
  Plan plan;
  for (const auto& machine : wanted.release)
    plan.actions.emplace_back(ReleasePreserved{.machine = machine, .from = mark_of(*machine)});
  for (const auto& machine : wanted.mark)
    plan.actions.emplace_back(
        MarkPreserved{.machine = machine, .from = mark_of(*machine), .to = seen.policy->metadata.name.str()});
  return plan;
}

}  // namespace capstan::controllers::lifecyclepolicy
