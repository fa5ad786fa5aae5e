// SHA-256, for what an attacker must not make collide. (base/hash.h is for tables.) Pure.
#pragma once

#include <array>
#include <string_view>

namespace capstan::net {

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256(std::string_view bytes);

}  // namespace capstan::net
