// What user data leave open: <<BOOTSTRAP_TOKEN>> and <<MACHINE_NAME>>, plain or URL-encoded. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace capstan::api::bootstrap {

// The ways in which a user may write it.
using Placeholder = std::array<std::string_view, 2>;
inline constexpr Placeholder kTokenPlaceholder = {"<<BOOTSTRAP_TOKEN>>", "%3C%3CBOOTSTRAP_TOKEN%3E%3E"};
inline constexpr Placeholder kMachinePlaceholder = {"<<MACHINE_NAME>>", "%3C%3CMACHINE_NAME%3E%3E"};

inline bool has(std::string_view text, const Placeholder& placeholder) {
  return std::ranges::any_of(placeholder, [&](std::string_view spelling) { return text.contains(spelling); });
}

// Tokens and names of objects look the same URL-encoded.
inline void fill(std::string& text, const Placeholder& placeholder, std::string_view value) {
  for (const std::string_view spelling : placeholder)
    for (auto at = text.find(spelling); at != std::string::npos; at = text.find(spelling, at + value.size()))
      text.replace(at, spelling.size(), value);
}

}  // namespace capstan::api::bootstrap
