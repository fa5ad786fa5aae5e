// What names may be made of and how long they may be: constants of base/names.h, for those who judge names
// and make none. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace capstan {

// No vowels, and nothing that is mistaken for another: Kubernetes' own alphabet.
inline constexpr std::string_view kNameAlphabet = "bcdfghjklmnpqrstvwxz2456789";
inline constexpr std::size_t kNameSuffixLength = 5;
inline constexpr std::size_t kMaxNameLength = 63;  // of a DNS label, which machines' names end up in

}  // namespace capstan
