#include "api/conditions/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace capstan::api::conditions {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

// An asterisk with a blank behind it, anywhere: that is all upstream asks of a bullet, and its texts depend
// on it.
bool has_bullet(std::string_view line) {
  for (std::size_t at = line.find('*'); at != std::string_view::npos; at = line.find('*', at + 1)) {
    if (at + 1 < line.size() && is_blank(line[at + 1])) return true;
  }
  return false;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string nested(std::string_view message) {
  if (message.find('\n') == std::string_view::npos && !has_bullet(message))
    return fmt::format(" {}", message);
  const auto lines = lines_of(message);
  const bool only_bullets = std::ranges::all_of(lines, has_bullet);
  std::string text;
  for (const auto line : lines) {
    const std::string_view indent = only_bullets ? "  " : has_bullet(line) ? "    " : "  * ";
    text += fmt::format("\n{}{}", indent, line);
  }
  return text;
}

std::string name_list(std::span<const std::string> names, std::size_t limit) {
  std::string text;
  for (const auto& name : names.first(std::min(limit, names.size()))) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  if (names.size() > limit) text += fmt::format(", ... ({} more)", names.size() - limit);
  return text;
}

}  // namespace capstan::api::conditions
