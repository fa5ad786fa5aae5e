// When a configuration that the Secret offers is taken up. Pure: the caller brings time and chance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/state.h"
#include "base/instant.h"

namespace capstan::agent {

struct Offered {
  std::string_view checksum = {};
  std::string_view release = {};  // the Secret's annotation
  std::int64_t max_delay_seconds = 0;
};
struct Receiver {
  std::string_view in_force = {};  // checksum of the configuration that was taken up; empty: none
  bool joined = false;
  std::string_view node = {};
  std::optional<Delay> delay = {};
};

struct Acceptance {
  bool now = false;
  std::optional<Delay> delay = {};  // to be remembered
  std::optional<WallTime> at = {};  // look again then; nothing: when the Secret changes
};

// A machine that has not joined takes it at once. A Node waits until it is released to it, and then a random
// part of the delay. `chance` in [0, 1).
Acceptance accept(const Offered& offered, const Receiver& receiver, WallTime now, double chance);

}  // namespace capstan::agent
