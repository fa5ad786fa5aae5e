// What about a MachineDeployment keeps it from being acted on at all, and what would help. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinedeployment/observation.h"

namespace capstan::controllers::machinedeployment {

struct Fault {
  std::string because = {};  // for the condition ScalingUp: "... is blocked because <this>"
  std::string remedy = {};   // for the Event beside it: field and way out; empty: it passes by itself
  bool operator==(const Fault&) const = default;
};

// Of its spec and its Cluster: with any of them nothing is made, scaled or cleaned up.
std::vector<Fault> faults_of(const Observation& seen);
// Templates that do not exist, or of which that can't be found out: no MachineSet can be made.
std::vector<Fault> missing_templates(const Observation& seen);
bool has_unlisted_template(const Observation& seen);
inline constexpr Seconds kListRecheck{1};  // such a one is looked for again

}  // namespace capstan::controllers::machinedeployment
