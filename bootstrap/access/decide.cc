#include "bootstrap/access/decide.h"

namespace capstan::bootstrap::access {
namespace {

// The role of a binding can't be changed: another object takes its place.
void keep(const Binding& binding, BindingState state, Plan& plan) {
  switch (state) {
    case BindingState::Right:
    case BindingState::OfAnother: return;
    case BindingState::Altered: plan.actions.emplace_back(RepairBinding{.binding = binding}); return;
    case BindingState::Foreign:
      plan.actions.emplace_back(RemoveBinding{.name = std::string(binding.name)});
      plan.actions.emplace_back(CreateBinding{.binding = binding});
      return;
    case BindingState::Missing: plan.actions.emplace_back(CreateBinding{.binding = binding}); return;
  }
}

void take_back(const Binding& binding, BindingState state, Plan& plan) {
  if (state == BindingState::Missing || state == BindingState::OfAnother) return;
  plan.actions.emplace_back(RemoveBinding{.name = std::string(binding.name)});
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  for (std::size_t i = 0; i < seen.states.size(); ++i) {
    const Binding& binding = bindings()[i];
    if (seen.wanted)
      keep(binding, seen.states[i], plan);
    else
      take_back(binding, seen.states[i], plan);
  }
  for (const std::string& id : seen.orphans) plan.actions.emplace_back(RemoveOrphan{.token_id = id});
  return plan;
}

}  // namespace capstan::bootstrap::access
