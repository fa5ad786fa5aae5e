#include "base/randomness.h"

#include <fmt/format.h>

#include <cassert>
#include <random>

#include "base/hash.h"

namespace capstan {
namespace {

// SplitMix64: a counter whose steps are mixed well.
std::uint64_t advance(std::uint64_t& state) { return mix64(state += 0x9e3779b97f4a7c15ULL); }

std::uint64_t system_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

}  // namespace

SystemRandomness::SystemRandomness() : state_(system_seed()) {}
std::uint64_t SystemRandomness::next() { return state_.with(advance); }
std::uint64_t SeededRandomness::next() { return state_.with(advance); }

double unit_interval(std::uint64_t random) {
  constexpr double kStep = 1.0 / static_cast<double>(1ULL << 53U);
  return static_cast<double>(random >> 11U) * kStep;
}

std::uint64_t below(Randomness& randomness, std::uint64_t count) {
  assert(count > 0 && "nothing to choose from");
  const std::uint64_t uneven = (0 - count) % count;  // so many numbers would be favoured
  for (;;) {
    const std::uint64_t number = randomness.next();
    if (number >= uneven) return number % count;
  }
}

std::string random_uuid(Randomness& randomness) {
  const std::uint64_t high = randomness.next();
  const std::uint64_t low = randomness.next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xffffU,
                     high & 0xfffU, 0x8000U | (low >> 48U & 0x3fffU), low & 0xffff'ffff'ffffU);
}

}  // namespace capstan
