#include "bootstrap/access/decide.h"

namespace capstan::bootstrap::access {
namespace {

// The role of a binding can't be changed: another object takes its place.
void keep(const Binding& binding, BindingState state, Plan& plan) {
  switch (state) {
    case BindingState::Right: return;
    case BindingState::Altered: plan.actions.emplace_back(RestoreSubjects{.binding = binding}); return;
    case BindingState::Foreign:
      plan.actions.emplace_back(RemoveBinding{.name = std::string(binding.name)});
      plan.actions.emplace_back(CreateBinding{.binding = binding});
      return;
    case BindingState::Missing: plan.actions.emplace_back(CreateBinding{.binding = binding}); return;
  }
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  for (std::size_t i = 0; i < seen.states.size(); ++i) {
    const Binding& binding = bindings()[i];
    if (seen.wanted)
      keep(binding, seen.states[i], plan);
    else if (seen.states[i] != BindingState::Missing)
      plan.actions.emplace_back(RemoveBinding{.name = std::string(binding.name)});
  }
  for (const std::string& id : seen.orphans) plan.actions.emplace_back(RemoveOrphan{.token_id = id});
  return plan;
}

}  // namespace capstan::bootstrap::access
