// Which Machines have been on their way out for long, and what holds each of them up (Pods, budgets and their
// numbers, volumes, hooks, since when), for the conditions of MachineSets, MachineDeployments and
// MachinePools. Stands below what upstream says there; bounded, in a stable order. Pure.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "api/v1beta2/machine.h"
#include "base/time.h"

namespace capstan::controllers {

using MachineSpan = std::span<const std::shared_ptr<const api::Machine>>;

// Deletions that take less are everyday business, and telling of them would cost writes.
inline constexpr Seconds kHeldUp{60};

// Lines, the Machine that has waited longest first; empty when there is nothing to tell.
std::string held_up(MachineSpan machines, Time now);
// When time alone will add one.
std::optional<Seconds> next_held_up(MachineSpan machines, Time now);

// Puts it where users look first: on Deleting, else on ScalingDown, where they are True, else on
// MachinesReady. These have to be as this turn has made them: nothing that an earlier turn has added is taken
// away.
void show_held_up(api::Conditions& conditions, MachineSpan machines, std::int64_t generation, Time now);

}  // namespace capstan::controllers
