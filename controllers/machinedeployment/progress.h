// The condition capstan.dev/Progressing of a MachineDeployment whose policy has `rollout`: whether its
// rollout comes on. Its transition time is the moment of the last progress, so that a restart of the manager
// starts no time anew. Used by report.h and the reconciler. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/machinedeployment/effects.h"
#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

// Into `after`, whose counters and whose condition Paused are those of this turn already.
void report_progress(const Observation& seen, const Plan& plan, const Effects& effects,
                     api::MachineDeployment& after);

// That the policy which had `rollout` went in the middle of a rollout, in words for an Event: what it asked
// for of the order (recreate, slowStart) holds no more. Empty: that is not so.
std::string lost_rollout_in_words(const Observation& seen);

// When the deadline of what `after` says is over; nothing: none runs.
std::optional<Seconds> progress_due_in(const Observation& seen, const api::MachineDeployment& after);

}  // namespace capstan::controllers::machinedeployment
