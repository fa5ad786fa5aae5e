// What a MachinePool counts: instances by their Nodes, or by its Machines where it has them; references to
// Nodes; versions. Pure.
#pragma once

#include "controllers/machinepool/effects.h"

namespace capstan::controllers::machinepool {

// In `status`, both generations. What nothing is known about stays as it was.
void count(const Observation& seen, const Plan& plan, const Effects& effects, api::MachinePoolStatus& status);

// When time alone will make another Node available.
std::optional<Seconds> next_available(const Observation& seen);

struct NodeCounts {
  std::int32_t found = 0;
  std::int32_t ready = 0;
  std::int32_t available = 0;
};
NodeCounts count_nodes(const Observation& seen);

}  // namespace capstan::controllers::machinepool
