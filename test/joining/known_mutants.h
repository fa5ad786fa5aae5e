// The safeguards of machines that join (base/safeguards.h), each with the promise that must notice its loss.
// A promise is named by words of its breach; '|' separates alternatives. Constants only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/safeguards.h"

namespace capstan::joining {

struct JoiningMutant {
  Safeguard safeguard = {};
  std::string_view promise = {};
  std::int64_t begin =
      1;  // the seed to begin with: what few seeds come to would take minutes from the first one
};
inline constexpr std::array kJoiningMutants = {
    JoiningMutant{Safeguard::TokenOfData, "and has no Node yet", 440},
    JoiningMutant{Safeguard::TokenDeadline, "and has no Node yet"},
    JoiningMutant{Safeguard::Approval, "was approved for machine"},
    JoiningMutant{Safeguard::Checksums, "holds what no configuration has said"},
    JoiningMutant{Safeguard::AgentPaths, "/var/lib/capstan-agent/extra was written"}};
static_assert(kJoiningMutants.size() == kJoiningSafeguards.size(),
              "each safeguard has a promise that shows it");

}  // namespace capstan::joining
