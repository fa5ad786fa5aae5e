// What a MachineSet notes on itself for the brakes: Machines that it is about to release, so that the ceiling
// counts them, and that a person has thawed it. Used by decide.h. Pure.
#pragma once

#include <optional>

#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

// With those that are about to be released.
safety::Released to_be_noted(const Observation& seen);
// Nothing: they are as they should be.
std::optional<WriteAnnotations> annotations_to_write(const Observation& seen);

}  // namespace capstan::controllers::machineset
