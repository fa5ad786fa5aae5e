#include "controllers/lifecycle/phase.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::controllers::lifecycle {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::Creating: return "Creating";
    case Phase::CreateRetrying: return "CreateRetrying";
    case Phase::Joining: return "Joining";
    case Phase::Running: return "Running";
    case Phase::Unhealthy: return "Unhealthy";
    case Phase::InPlaceUpdating: return "InPlaceUpdating";
    case Phase::InPlaceUpdateFailed: return "InPlaceUpdateFailed";
    case Phase::Failed: return "Failed";
    case Phase::Terminating: return "Terminating";
  }
  return {};
}

std::optional<Phase> parse_phase(std::string_view reason) {
  const auto found = std::ranges::find(kPhases, reason, [](Phase phase) { return to_string(phase); });
  return found == kPhases.end() ? std::nullopt : std::optional(*found);
}

// What is being updated in place may come back well or not: its time as Unhealthy begins after that.
std::string_view status_of(Phase phase) {
  switch (phase) {
    case Phase::Running: return api::status::kTrue;
    case Phase::Creating:
    case Phase::Joining:
    case Phase::InPlaceUpdating:
    case Phase::InPlaceUpdateFailed: return api::status::kUnknown;
    case Phase::CreateRetrying:
    case Phase::Unhealthy:
    case Phase::Failed:
    case Phase::Terminating: break;
  }
  return api::status::kFalse;
}

std::optional<Standing> standing_of(const api::Machine& machine) {
  const auto found = api::conditions::find(machine.status.conditions, api::policy::condition::kLifecycle);
  if (found == nullptr) return std::nullopt;
  const auto phase = parse_phase(found->reason.view());
  if (!phase) return std::nullopt;
  return Standing{.phase = *phase, .since = found->last_transition_time, .message = found->message.str()};
}

bool is_in(const api::Machine& machine, Phase phase) {
  const auto found = api::conditions::find(machine.status.conditions, api::policy::condition::kLifecycle);
  return found != nullptr && found->reason == to_string(phase);
}

}  // namespace capstan::controllers::lifecycle
