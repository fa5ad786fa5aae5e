// Emptying the Node of a Machine that is preserved because it has failed, where the policy's
// preservation.drain asks for it: a taint keeps new Pods off, its Pods are drained once, and a condition of
// the Node says what is going on. No cordon is set or taken off: those that are there are users'. Each step
// follows from what stands on Machine and Node, so that it can be repeated. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "controllers/drain/stage_report.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

// `preserved`: what lifecycle/preservation.h makes of the Machine in this turn.

// The annotation capstan.dev/preservation-drain of `plan.wanted`: since when, "done" once it is, gone when
// the Machine is well again or not preserved any more.
void note_preservation_drain(const Observation& seen, const lifecycle::Preservation& preserved, Plan& plan);
// Since when the Node of that Machine is being drained; nothing: it is not, or not any more.
std::optional<Time> preservation_drain_since(const api::Machine& machine);

// Taint and condition of the Node.
void show_on_preserved_node(const Observation& seen, const lifecycle::Preservation& preserved,
                            NodeChange& change);

// For the message of the Machine's condition; empty: there is nothing to say. `report`: of the drain, if this
// turn has gone on with it.
std::string drain_in_words(const api::Machine& after, const std::optional<drain::StageReport>& report);

}  // namespace capstan::controllers::machine
