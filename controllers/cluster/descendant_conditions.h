// What Machines, sets and deployments make of their Cluster's conditions: one line out of many. Pure; visits
// each of them once per condition.
#pragma once

#include <optional>
#include <vector>

#include "api/meta/condition.h"
#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

std::vector<api::Condition> descendant_conditions(const Observation& seen);

// When a Machine that is too young to be judged is no more: nothing else tells of it. Nothing: there is none.
std::optional<Seconds> until_all_are_judged(const Observation& seen);

}  // namespace capstan::controllers::cluster
