// What a MachineSet's template means in full: the set itself with its defaults, and the Machine it wants, new
// or already there. Pure.
#pragma once

#include <string_view>

#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_set.h"
#include "base/result.h"

namespace capstan::controllers::machineset {

// With the labels and the owner that every set of a Cluster has; `cluster` (null: not there) owns those sets
// that nothing else owns. What differs from `set` is to be written.
api::MachineSet adjusted(const api::MachineSet& set, const api::ObjectMeta* cluster);

// Labels of Machines and of their bootstrap and infrastructure objects; annotations are the template's.
api::Labels machine_labels(const api::MachineSet& set);

// A name for a Machine of the set, as spec.machineNaming wants it. `fresh`: in place of what is too long.
Result<std::string> machine_name(const api::MachineSet& set, std::string_view random, std::string_view fresh);
// Whether the set could have chosen this one: random letters stand where they belong.
bool could_have_named(const api::MachineSet& set, std::string_view name);

// How a Machine of that name refers to what is made for it from a template.
api::ContractRef clone_ref(const api::ContractRef& source, std::string_view machine);

// A new Machine of that name. Invalid when its template breaks a rule.
Result<api::Machine> new_machine(const api::MachineSet& set, std::string_view name);

// What the set wants of a Machine it has: everything but what belongs to one Machine for life (version,
// failure domain, references). An intent for server-side apply.
api::Machine updated_machine(const api::MachineSet& set, const api::Machine& machine);

// Of a Machine being deleted only what the deletion heeds still changes: timeouts, gates, taints.
api::Machine updated_deleting_machine(const api::MachineSet& set, const api::Machine& machine);

}  // namespace capstan::controllers::machineset
