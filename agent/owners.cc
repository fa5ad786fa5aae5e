#include "agent/owners.h"

#include <fmt/format.h>

#include <charconv>
#include <ranges>

#include "base/try.h"

namespace capstan::agent {
namespace {

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end()) return {};
  return number;
}

std::string_view until(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// In lines of "name:password:number:...".
std::optional<unsigned> number_of(std::string_view name, std::string_view table) {
  if (const auto number = number_in(name)) return number;
  while (!table.empty()) {
    std::string_view line = until(table, '\n');
    if (until(line, ':') != name) continue;
    until(line, ':');
    return number_in(until(line, ':'));
  }
  return {};
}

}  // namespace

Result<Mark> owner_of(std::string_view text, const MachineFacts& machine) {
  if (text.empty()) return machine.own;
  std::string_view rest = text;
  const std::string_view user = until(rest, ':');
  const auto user_number = number_of(user, machine.users);
  const auto group_number = number_of(rest.empty() ? user : rest, machine.groups);
  if (!user_number) return fail(Code::Invalid, fmt::format("there is no user {:?}", user));
  if (!group_number) return fail(Code::Invalid, fmt::format("there is no group of {:?}", text));
  return Mark{.user = *user_number, .group = *group_number};
}

}  // namespace capstan::agent
