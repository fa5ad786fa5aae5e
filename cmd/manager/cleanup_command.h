// `capstan cleanup`: command line, connections and exit code around cmd/manager/cleanup.h. One call from
// main.
#pragma once

#include <span>

namespace capstan::manager {

int cleanup_command(std::span<const char* const> words);

}  // namespace capstan::manager
