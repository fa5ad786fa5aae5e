#include "api/bootstrap/node_config_release.h"

#include <fmt/format.h>

#include <charconv>

#include "base/hash.h"

namespace capstan::api::bootstrap {

namespace {

// A Secret's name has 253 characters at most.
constexpr std::size_t kLongestName = 220;

}  // namespace

std::uint32_t place_in_release(std::string_view checksum, std::string_view node) {
  return static_cast<std::uint32_t>(hash_combine(hash_bytes(checksum), hash_bytes(node)) >> 32U);
}

std::string release_text(std::string_view checksum, std::uint32_t bound) {
  return fmt::format("{} {:08x}", checksum, bound);
}

bool is_released(std::string_view release, std::string_view checksum, std::string_view node) {
  const auto space = release.find(' ');
  if (space == std::string_view::npos || release.substr(0, space) != checksum) return false;
  const std::string_view digits = release.substr(space + 1);
  std::uint32_t bound = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), bound, 16);
  if (error != std::errc() || end != digits.end() || digits.size() != 8) return false;
  return place_in_release(checksum, node) <= bound;
}

// The hash keeps names apart that are alike in their first characters or of other namespaces.
std::string node_config_secret_name(std::string_view namespace_, std::string_view name) {
  const std::uint64_t whole = hash_combine(hash_bytes(namespace_), hash_bytes(name));
  return fmt::format("capstan-node-config-{}-{:08x}", name.substr(0, kLongestName),
                     static_cast<std::uint32_t>(whole));
}

}  // namespace capstan::api::bootstrap
