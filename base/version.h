// Kubernetes versions ("v1.36.3-rc.1+vendor.2"): parse, compare, minor skew. Order and equality follow
// semantic versioning, so what a distribution adds behind "+" is kept but does not count. Plain value.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan {

struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::string prerelease = {};  // "rc.1"
  std::string build = {};       // "vendor.2"

  // With or without "v"; all three numbers, no leading zeros.
  static Result<Version> parse(std::string_view text);
  // Also "v1.30", "1", " v01.2.3 ": what people write where only comparison matters.
  static Result<Version> parse_tolerant(std::string_view text);

  std::string to_string() const;  // always with "v"

  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
  std::weak_ordering operator<=>(const Version& other) const;
};

}  // namespace capstan
