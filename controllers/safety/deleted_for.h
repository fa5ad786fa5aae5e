// The annotation with which a MachineSet under a policy says on a Machine, before it deletes it, why it does.
// A place in the limits of the FleetPolicy says the same, and is written anyway. One that is being deleted
// without either, without a grant to be replaced, and without the mark of a remediation was deleted by a
// user: no brake holds its drain. Reads caches; safe from any thread.
#pragma once

#include <string_view>

#include "api/v1beta2/machine.h"

namespace capstan::controllers {
class Caches;
}  // namespace capstan::controllers

namespace capstan::controllers::safety {

inline constexpr std::string_view kDeletedFor = "capstan.dev/deleted-for";

// It has that annotation.
bool is_named(const api::Machine& machine);

// Its owner has asked for this very deletion, and the FleetPolicy has granted it.
bool has_fleet_place(const api::Machine& machine);

// False also where what controls it goes: users delete that. Without a policy no remediation counts.
bool is_deleted_by_a_controller(const Caches& caches, const api::Machine& machine);

}  // namespace capstan::controllers::safety
