// Which paths a NodeConfig may write. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::agent {

// Why it may not be written; nothing when it may.
std::optional<std::string> why_refused(std::string_view path);

}  // namespace capstan::agent
