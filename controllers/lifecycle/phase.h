// Where a Machine is in its life: the reasons of its condition capstan.dev/Lifecycle. Written by the Machine
// controller, read by the owners of Machines and by the policy's own controller. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "api/v1beta2/machine.h"

namespace capstan::controllers::lifecycle {

enum class Phase {
  Creating,             // no VM yet
  CreateRetrying,       // the provider could not make it, and tries again
  Joining,              // a VM, and no Node yet that is well
  Running,              // the Node is well
  Unhealthy,            // it was Running, and its Node is not well or not there
  InPlaceUpdating,      // not judged meanwhile
  InPlaceUpdateFailed,  // waits for a person, and is not judged either
  Failed,               // given up: its owner replaces it
  Terminating,          // being deleted
};
inline constexpr std::array kPhases = {
    Phase::Creating,        Phase::CreateRetrying,      Phase::Joining, Phase::Running,    Phase::Unhealthy,
    Phase::InPlaceUpdating, Phase::InPlaceUpdateFailed, Phase::Failed,  Phase::Terminating};
std::string_view to_string(Phase phase);
std::optional<Phase> parse_phase(std::string_view reason);
// Status of the condition.
std::string_view status_of(Phase phase);

// What a Machine says of itself.
struct Standing {
  Phase phase = Phase::Creating;
  Time since = {};  // the status of the condition turned: of an Unhealthy or Failed one when it left Running
  std::string message = {};
};
// Nothing: no policy has governed it yet.
std::optional<Standing> standing_of(const api::Machine& machine);
bool is_in(const api::Machine& machine, Phase phase);

}  // namespace capstan::controllers::lifecycle
