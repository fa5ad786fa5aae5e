// The condition that MachineDeployments under a policy have beside Available. A constant only, safe
// everywhere.
#pragma once

#include <string_view>

namespace capstan::controllers::machinedeployment {

// Available, where a policy governs the life of its Machines: of those that failed and are preserved nothing
// is asked.
inline constexpr std::string_view kAvailableUnderPolicy = "capstan.dev/Available";

}  // namespace capstan::controllers::machinedeployment
