// What the disruption controller does: keeps the status of every PodDisruptionBudget in line with the pods it
// covers. A status that a harness wrote by hand stays until the budget or its pods change. Called by the
// controllers' round.
#pragma once

#include <string_view>

#include "apiserver/core.h"

namespace capstan::apiserver {

inline constexpr std::string_view kBudgetCollection = "poddisruptionbudgets.policy";

// The condition that says whether the budget has something left.
void set_disruption_allowed(json::object& status, std::int64_t generation, WallTime now);

// True when it wrote something.
bool update_budgets(Core& core);

}  // namespace capstan::apiserver
