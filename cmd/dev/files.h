// Files that `capstan-dev` reads and writes: kubeconfigs, manifests, fault scripts. Used by its subcommands.
#pragma once

#include <string>

#include "base/result.h"

namespace capstan::dev {

// In one piece, so that a reader never sees half of it; only the owner may read it.
Result<void> write_private_file(const std::string& path, const std::string& text);
Result<std::string> read_file(const std::string& path);

}  // namespace capstan::dev
