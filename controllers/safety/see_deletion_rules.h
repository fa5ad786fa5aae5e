// Gathers deletion_rules.h by caches. Safe from any thread.
#pragma once

#include "controllers/safety/deletion_rules.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::safety {

// Without the number of Machines: most turns delete one at most, which no guard holds.
DeletionRules see_deletion_rules(const Caches& caches, const PolicyChoice& choice);

// Fills that number in. Visits the MachineSets of the namespace and the Machines of the policy.
void count_governed(const Caches& caches, std::string_view namespace_, DeletionRules& rules);

}  // namespace capstan::controllers::safety
