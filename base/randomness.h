// Where chance comes from, injected like the clock: names, jitter, uids. No other file includes <random>.
// Safe from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/guarded.h"

namespace capstan {

class Randomness {
 public:
  virtual ~Randomness() = default;
  virtual std::uint64_t next() = 0;
};

// Unpredictable: seeded by the operating system. Not for keys; those are made in net/pki.
class SystemRandomness final : public Randomness {
 public:
  SystemRandomness();
  std::uint64_t next() override;

 private:
  Guarded<std::uint64_t> state_;
};

// The same numbers for the same seed: tests and simulations.
class SeededRandomness final : public Randomness {
 public:
  explicit SeededRandomness(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override;

 private:
  Guarded<std::uint64_t> state_;
};

// Evenly in [0, 1).
double unit_interval(std::uint64_t random);
// Evenly in [0, count).
std::uint64_t below(Randomness& randomness, std::uint64_t count);
// A random (version 4) UUID, as Kubernetes gives objects.
std::string random_uuid(Randomness& randomness);

}  // namespace capstan
