// Uids and generated name suffixes from one seeded source, so that a simulation replays exactly. Safe from
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/names.h"
#include "base/randomness.h"

namespace capstan::apiserver {

class Identities {
 public:
  explicit Identities(std::uint64_t seed) : randomness_(seed), names_(randomness_) {}

  std::string uid() { return random_uuid(randomness_); }
  // The prefix, cut to leave room, and five letters.
  std::string generated_name(std::string_view prefix) { return generate_name(names_, prefix); }

 private:
  SeededRandomness randomness_;
  RandomNames names_;
};

}  // namespace capstan::apiserver
