// Which Nodes may apply a NodeConfig: every Node has a place from 0 to 2^32-1 that follows from the checksum
// and its name, and those up to a bound may. A bound is short whatever the number of Nodes, and each change
// begins with other Nodes. Written by bootstrap/nodeconfig, read by the agent. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::api::bootstrap {

std::uint32_t place_in_release(std::string_view checksum, std::string_view node);
// The annotation's value: "<checksum> <bound, 8 hex digits>".
std::string release_text(std::string_view checksum, std::uint32_t bound);
// False for another checksum, and for a text that is none of these.
bool is_released(std::string_view release, std::string_view checksum, std::string_view node);

// The Secret of a NodeConfig in kube-system.
std::string node_config_secret_name(std::string_view namespace_, std::string_view name);

}  // namespace capstan::api::bootstrap
