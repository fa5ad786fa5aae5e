// Uids and generated name suffixes from one seeded source, so that a simulation replays exactly. Safe from any thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "base/guarded.h"

namespace capstan::apiserver {

class Identities {
 public:
  explicit Identities(std::uint64_t seed) : random_(std::mt19937_64(seed)) {}

  std::string uid();  // a version 4 UUID
  // The prefix, cut to leave room, and five characters without vowels.
  std::string generated_name(std::string_view prefix);

 private:
  Guarded<std::mt19937_64> random_;
};

}  // namespace capstan::apiserver
