// The condition capstan.dev/Lifecycle of a Machine that a policy governs. Pure functions.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/lifecycle/judge.h"
#include "controllers/machine/observation.h"

namespace capstan::controllers::machine {

struct LifecycleReport {
  bool keep = false;                             // what was said before still holds
  std::optional<api::Condition> condition = {};  // nothing, unless kept: no policy governs it
  std::optional<Seconds> recheck = {};           // when time alone may change it
};
// What the rules of its life are asked about.
lifecycle::Facts lifecycle_facts(const Observation& seen, const api::Machine& machine);
// Which Node it is, or that there is none, and how that one is by now.
bool is_node_known(const Observation& seen);

// `after`: the Machine with the values and the other conditions of this turn.
LifecycleReport lifecycle_report(const Observation& seen, const api::Machine& after);

}  // namespace capstan::controllers::machine
