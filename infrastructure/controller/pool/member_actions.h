// What a pool with Machines does to have as many instances as it wants: the part of decide.h that is about
// them. Pure.
#pragma once

#include <string>
#include <vector>

#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/pool/plan.h"

namespace capstan::infrastructure::pool {

// Behind the other actions of the plan, which says how many are wanted.
void size_members(const Observation& seen, Plan& plan);

// Where the next instance goes: to the domain with the fewest, the first of them in the list's order.
std::string emptiest(const api::List<Text>& domains, const std::vector<std::string>& used);

}  // namespace capstan::infrastructure::pool
