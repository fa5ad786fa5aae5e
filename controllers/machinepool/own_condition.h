// The condition that MachinePools under a policy of life have. A constant only, safe everywhere.
#pragma once

#include <string_view>

namespace capstan::controllers::machinepool {

// Whether its Machines, or without any the Nodes of its instances, are well by what the policy asks for.
inline constexpr std::string_view kHealthy = "capstan.dev/Healthy";

}  // namespace capstan::controllers::machinepool
