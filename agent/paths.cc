#include "agent/paths.h"

#include <algorithm>
#include <ranges>

#include "agent/places.h"
#include "api/bootstrap/names.h"
#include "base/safeguards.h"

namespace capstan::agent {
namespace {

// The name of a temporary beside it is longer by some characters.
constexpr std::size_t kLongestName = 200;

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool is_name(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.size() <= kLongestName;
}

bool has_names_only(std::string_view path) {
  for (const auto part : path.substr(1) | std::views::split('/'))
    if (!is_name(std::string_view(part))) return false;
  return path != "/";
}

bool is_own(std::string_view path) {
  return path == api::bootstrap::kAgentFactsFile || path == kOwnFolder ||
         path.starts_with(std::string(kOwnFolder) + "/");
}

}  // namespace

std::optional<std::string> why_refused(std::string_view path) {
  if (!path.starts_with('/')) return "is not absolute";
  if (std::ranges::any_of(path, is_control)) return "has control characters";
  if (!has_names_only(path)) return "has a part that is empty, \".\", \"..\" or too long";
  if (is_own(path) && !is_off(Safeguard::AgentPaths)) return "is the agent's own";
  return {};
}

}  // namespace capstan::agent
