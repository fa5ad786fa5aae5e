// Which failed Machines are preserved without being asked for, and which not any longer, under one policy:
// never more than `autoMax`, shared out among its members, which are MachineDeployments and MachineSets
// without one. Decided by the policy's own turn; asked by MachineSets, which leave a Machine that is about to
// be marked. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/lifecycle/replacements.h"

namespace capstan::controllers::lifecycle {

struct PreservationMember {
  std::string name = {};
  std::vector<MachineSnapshot> machines = {};
  std::vector<MachineSnapshot> rolled_away = {};  // of old sets: their marks count, and none gets one
};

struct AutoPreservation {
  std::vector<MachineSnapshot> mark = {};     // in this order
  std::vector<MachineSnapshot> release = {};  // they lose their mark
};
// A member has as many as it holds: a share that has become smaller takes none away.
AutoPreservation auto_preservation(std::int32_t most, std::vector<PreservationMember> members);

}  // namespace capstan::controllers::lifecycle
