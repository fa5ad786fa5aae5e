#include "apiserver/identities.h"

#include <fmt/format.h>

namespace capstan::apiserver {
namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;
constexpr std::size_t kMaxGeneratedLength = 63;

}  // namespace

std::string Identities::uid() {
  const auto [high, low] = random_.with([](auto& random) { return std::pair{random(), random()}; });
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xfff,
                     ((low >> 48) & 0x3fff) | 0x8000, low & 0xffffffffffff);
}

std::string Identities::generated_name(std::string_view prefix) {
  std::string name(prefix.substr(0, kMaxGeneratedLength - kSuffixLength));
  random_.with([&](auto& random) {
    for (std::size_t i = 0; i < kSuffixLength; ++i) name += kAlphabet[random() % kAlphabet.size()];
  });
  return name;
}

}  // namespace capstan::apiserver
