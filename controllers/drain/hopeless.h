// Budgets that never allow an eviction, whatever becomes of their Pods, and what to change about them. Pure;
// for the message of a drain that they hold up.
#pragma once

#include <string>

#include "api/core/pod_disruption_budget.h"

namespace capstan::controllers::drain {

// A line for users; empty: it may allow one some day.
std::string why_never(const api::PodDisruptionBudget& budget);

}  // namespace capstan::controllers::drain
