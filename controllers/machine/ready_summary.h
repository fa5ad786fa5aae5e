// Ready, Available and UpToDate of a Machine: what follows from its other conditions, its owners and time
//. Pure functions.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/machine/observation.h"

namespace capstan::controllers::machine {

api::Condition ready(const api::Machine& machine, Time now);

struct Availability {
  api::Condition condition = {};
  std::optional<Seconds> recheck = {};  // when minReadySeconds are over
};
Availability available(const api::Machine& machine, Time now);

// When rollout.after makes the Machine outdated; nothing: never, by what is known.
std::optional<Seconds> rollout_due_in(const Observation& seen);

// No template judges the Machine any more: its MachineSet has released it, or belongs to no
// MachineDeployment. What was said before is void then.
bool has_lost_its_template(const Observation& seen);

// Nothing: another controller says it.
std::optional<api::Condition> up_to_date(const Observation& seen, const api::Machine& machine);

}  // namespace capstan::controllers::machine
