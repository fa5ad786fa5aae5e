#include "agent/checksum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace capstan::agent {

std::string hex(const net::Sha256& digest) { return fmt::format("{:02x}", fmt::join(digest, "")); }

std::string checksum_of(std::string_view bytes) { return hex(net::sha256(bytes)); }

}  // namespace capstan::agent
