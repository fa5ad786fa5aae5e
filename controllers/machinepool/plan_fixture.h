// What a plan of the MachinePool controller holds, by type of action: for tests and for worlds that carry a
// plan out themselves.
#pragma once

#include <vector>

#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

// The actions of one type, in the order of the plan.
template <typename Wanted>
std::vector<Wanted> actions_of(const Plan& plan) {
  std::vector<Wanted> all;
  for (const Action& action : plan.actions) {
    if (const auto* wanted = std::get_if<Wanted>(&action)) all.push_back(*wanted);
  }
  return all;
}

}  // namespace capstan::controllers::machinepool
