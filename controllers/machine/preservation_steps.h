// What the preservation of a Machine (controllers/lifecycle/preservation.h) writes on it and on its Node, and
// the condition capstan.dev/Preserved. Every step follows from what is there, so that each can be repeated.
// Only Machines of a MachineSet are preserved. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "api/meta/condition.h"
#include "controllers/drain/stage_report.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

// When it ends, and what its Node said, go into the annotations of `plan.wanted`.
void preserve_machine(const Observation& seen, Plan& plan);
// The autoscaler leaves the Node alone as long as the Machine is preserved (autoscaler_mark.h). What else
// shows there: preservation_drain.h.
void preserve_node(const Observation& seen, std::optional<NodeChange>& change);

// That this turn has ended its preservation and nothing replaces it, because the policy is gone that kept it
// by itself or that would replace it after a user's wish: for an Event, for no condition tells what becomes
// of it. Empty: that is not so.
std::string release_in_words(const Observation& seen, const api::Machine& after);

struct PreservationReport {
  std::optional<api::Condition> condition = {};  // nothing: nothing was asked for
  std::optional<Seconds> recheck = {};           // when its time will be over
};
// `after`: the Machine as this turn leaves it. `emptying`: of its Node, if this turn went on with it.
PreservationReport preservation_report(const Observation& seen, const api::Machine& after,
                                       const std::optional<drain::StageReport>& emptying = {});

}  // namespace capstan::controllers::machine
