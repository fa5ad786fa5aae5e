// Users and groups by name, from the text of /etc/passwd and /etc/group: a static program has no other way to
// ask. Pure.
#pragma once

#include <string_view>

#include "agent/wanted.h"

namespace capstan::agent {

// "user:group", "user" or numbers; empty: the agent's own.
Result<Mark> owner_of(std::string_view text, const MachineFacts& machine);

}  // namespace capstan::agent
