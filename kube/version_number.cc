#include "kube/version_number.h"

#include <charconv>

namespace capstan::kube {

std::optional<std::uint64_t> version_number(std::string_view version) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size()) return {};
  return number;
}

}  // namespace capstan::kube
