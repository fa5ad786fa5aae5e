// What the Node of a Machine is to say at each step of an update in place: the labels by which controller,
// users and the agent on the Node speak to each other. Pure.
#pragma once

#include <optional>

#include "api/v1beta2/machine.h"
#include "controllers/inplace/observation.h"
#include "controllers/shared/node_change.h"

namespace capstan::controllers::inplace {

// Each answers with nothing when the Node says so already. Those of a MachineSeen without a Node: nothing.
std::optional<NodeChange> as_candidate(const MachineSeen& each);
std::optional<NodeChange> as_selected(const MachineSeen& each);
// The agent may begin; the annotations say what the Node is to become: the difference of these two templates.
// A result that stands there is of an earlier update.
std::optional<NodeChange> as_ready(const MachineSeen& each, const api::MachineTemplate* from,
                                   const api::MachineTemplate* to);
// Nothing is done to it: no label of the protocol is left, nor a cordon that is ours.
std::optional<NodeChange> as_any(const MachineSeen& each);

// A label of the protocol is there.
bool shows_an_update(const api::Node& node);

}  // namespace capstan::controllers::inplace
