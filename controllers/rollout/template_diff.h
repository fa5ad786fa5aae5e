// Which differences between two Machine templates need other Machines; everything else is carried over to
// the ones there are. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/v1beta2/machine.h"

namespace capstan::controllers::rollout {

// One phrase per difference, as "spec.version v1.33.0, v1.34.0 required"; empty: the same Machines.
std::vector<std::string> differences(const api::MachineSpec& current, const api::MachineSpec& wanted);

// What the annotation capstan.dev/rollout-hash says about it, in such a phrase: another value, or one that
// came or went, needs other Machines although they would be made alike.
std::optional<std::string> forced_difference(const api::MachineTemplate& current,
                                             const api::MachineTemplate& wanted);
// Both.
std::vector<std::string> differences(const api::MachineTemplate& current, const api::MachineTemplate& wanted);

// What is carried over in place from one to the other.
void carry_over(const api::MachineSpec& from, api::MachineSpec& to);
// `to` gets the annotation capstan.dev/rollout-hash of `from`, or loses its own.
void keep_rollout_hash(const api::MachineTemplate& from, api::MachineTemplate& to);

// A number that names a template. It is compared with no other: the suffix beside it makes it unique.
std::uint32_t template_number(const api::MachineTemplate& wanted);

}  // namespace capstan::controllers::rollout
