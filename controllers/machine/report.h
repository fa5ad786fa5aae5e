// The status a Machine deserves after a turn: conditions of both generations, phase, and the values of the
// plan. Pure functions; nothing new is read here.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "controllers/machine/effects.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

struct Report {
  api::Machine machine = {};
  std::optional<Seconds> recheck = {};  // when time alone changes what is said
};
Report report(const Observation& seen, const Plan& plan, const Effects& effects);

// The condition types this controller answers for.
std::span<const std::string_view> owned_conditions();
std::span<const std::string_view> owned_v1beta1_conditions();

}  // namespace capstan::controllers::machine
