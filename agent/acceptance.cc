#include "agent/acceptance.h"

#include <algorithm>

#include "api/bootstrap/node_config_release.h"

namespace capstan::agent {
namespace {

std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

// A clock that was set back does not make it longer than it may be.
Delay delay_of(const Offered& offered, const std::optional<Delay>& known, WallTime now, double chance) {
  const std::int64_t today = seconds_of(now);
  const std::int64_t longest = today + offered.max_delay_seconds;
  if (known && known->checksum == offered.checksum)
    return {.checksum = known->checksum, .until = std::min(known->until, longest)};
  const auto part = static_cast<std::int64_t>(static_cast<double>(offered.max_delay_seconds) * chance);
  return {.checksum = std::string(offered.checksum), .until = today + part};
}

}  // namespace

Acceptance accept(const Offered& offered, const Receiver& receiver, WallTime now, double chance) {
  if (offered.checksum == receiver.in_force) return {};
  if (!receiver.joined) return {.now = true};
  if (!api::bootstrap::is_released(offered.release, offered.checksum, receiver.node))
    return {.delay = receiver.delay};
  const Delay delay = delay_of(offered, receiver.delay, now, chance);
  if (delay.until <= seconds_of(now)) return {.now = true, .delay = delay};
  return {.delay = delay, .at = WallTime(std::chrono::seconds(delay.until))};
}

}  // namespace capstan::agent
