// State and configuration in the agent's own folder. One thread.
#pragma once

#include <optional>
#include <string>

#include "agent/root.h"
#include "agent/state.h"

namespace capstan::agent {

// Of a first start, and of one after the file was spoilt by other hands: empty.
Result<State> load_state(const Root& root);
Result<void> save_state(const Root& root, const State& state, const Mark& own);

// A file that only the agent reads.
Result<void> write_own(const Root& root, std::string_view path, std::string_view content, const Mark& own);

}  // namespace capstan::agent
