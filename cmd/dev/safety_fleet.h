// The fleet of the demo's story `safety`: two MachineDeployments, of which the first stands in the zone that
// dies, with a policy and a health check.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cmd/dev/demo_stage.h"

namespace capstan::dev {

inline constexpr std::string_view kZoneThatDies = "a";
inline constexpr std::int32_t kWorkersInZone = 3;  // of kDemoWorkers
inline constexpr std::int32_t kWorkersElsewhere = 4;
inline const kube::ObjectKey kDemoOthers{.namespace_ = "default", .name = "demo-others"};
inline const kube::ObjectKey kDemoCheck{.namespace_ = "default", .name = "workers"};

std::vector<boost::json::value> fleet_of_safety(std::string_view version);

}  // namespace capstan::dev
