// Checksums as NodeConfigs, annotations and the agent's state spell them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "net/digest.h"

namespace capstan::agent {

std::string hex(const net::Sha256& digest);
std::string checksum_of(std::string_view bytes);

}  // namespace capstan::agent
