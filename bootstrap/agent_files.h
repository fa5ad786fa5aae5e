// What makes capstan-agent run on a machine: the facts of its birth, its unit, and its program where the
// NodeConfig says where that is fetched. The agent joins the machine, so it gets the token that a kubelet
// would get otherwise. Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/user_data.h"

namespace capstan::bootstrap {

// Of facts that have `join` and `node_config`.
std::vector<UserDataFile> agent_files(const MachineFacts& facts);
// Starts it, once its program is there.
std::string agent_command(const NodeConfigFacts& node_config);

}  // namespace capstan::bootstrap
