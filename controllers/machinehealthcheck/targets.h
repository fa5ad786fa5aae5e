// Which Machines a check judges, and what is wrong with its selector or its template. Used by observe.h and
// by the triggers. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "controllers/machinehealthcheck/observation.h"

namespace capstan::controllers::machinehealthcheck {

// Selected, of this Cluster, and not exempt.
bool is_target(const api::Machine& machine, const api::Selector& selector);
// Selected, and waits for its owner to remediate it, although a user wants it to be left alone by now.
bool is_exempted(const api::Machine& machine, const api::Selector& selector);
// The selector; Invalid when it can't be read or would select everything.
Result<api::Selector> selector_of(const api::MachineHealthCheck& check);
// Requests made from the template would be of a kind that `machines` use as infrastructure or bootstrap
// configuration: the message names it and the remedy. Empty: they are of another kind, or there is no
// template.
std::string template_problem(const api::MachineHealthCheck& check,
                             const std::vector<Snapshot<api::Machine>>& machines);
// Before that no Node is looked at.
bool control_plane_initialized(const api::Cluster& cluster);

}  // namespace capstan::controllers::machinehealthcheck
