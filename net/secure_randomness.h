// Randomness that keys and tokens may be made of: OpenSSL's generator, seeded by the operating system. Slower
// than SystemRandomness (base/randomness.h), which serves names and jitter. Safe from any thread.
#pragma once

#include "base/randomness.h"

namespace capstan::net {

class SecureRandomness final : public Randomness {
 public:
  // Ends the process when the generator fails: what it gave would be guessed.
  std::uint64_t next() override;
};

}  // namespace capstan::net
