// Gathers deletion_rules.h by caches. With a guard it visits the MachineSets of one namespace. Safe from any
// thread.
#pragma once

#include "controllers/safety/deletion_rules.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::safety {

DeletionRules see_deletion_rules(const Caches& caches, const PolicyChoice& choice);

}  // namespace capstan::controllers::safety
