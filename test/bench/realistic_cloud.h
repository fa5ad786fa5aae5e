// A cloud as users have it, for figures that say what a manager adds to its providers' time: a VM takes 30 to
// 45 s, its Node joins 20 to 30 s later, a removal takes 10 to 15 s. Which VM takes how long is drawn by the
// seed.
#pragma once

#include <string_view>

namespace capstan::bench {

inline constexpr std::string_view kRealisticCloud = R"(
seed: 7
latency: {create: 30s, remove: 10s, status: 0s, list: 0s, jitterPercent: 50}
boot: {register: 20s, ready: 0s, jitterPercent: 50}
heartbeat: {lease: 0s, status: 5m}
)";
// A create blocks the provider's worker for as long as the cloud takes.
inline constexpr const char* kRealisticProvider = "--concurrency=1000";

}  // namespace capstan::bench
