// Which differences between two Machine templates need other Machines; everything else is carried over to
// the ones there are. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/v1beta2/machine.h"

namespace capstan::controllers::rollout {

// One phrase per difference, as "spec.version v1.33.0, v1.34.0 required"; empty: the same Machines.
std::vector<std::string> differences(const api::MachineSpec& current, const api::MachineSpec& wanted);

// What is carried over in place from one to the other.
void carry_over(const api::MachineSpec& from, api::MachineSpec& to);

// A number that names a template. It is compared with no other: the suffix beside it makes it unique.
std::uint32_t template_number(const api::MachineSpec& spec);

}  // namespace capstan::controllers::rollout
