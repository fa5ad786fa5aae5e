// What resourceVersions can be compared by. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace capstan::kube {

// Versions are opaque by contract and numbers in fact; one that is no number is never compared: nothing.
std::optional<std::uint64_t> version_number(std::string_view version);

}  // namespace capstan::kube
