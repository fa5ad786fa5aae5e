#include "controllers/safety/released.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "api/policy/names.h"

namespace capstan::controllers::safety {
namespace {

using api::policy::annotation::kReleased;

constexpr std::string_view kSince = " since ";
constexpr std::string_view kNamed = ": ";

}  // namespace

void Released::add(std::string_view name, Time now) {
  const auto at = std::ranges::lower_bound(names, name);
  if (names.size() >= kNames || (at != names.end() && *at == name)) return;
  names.emplace(at, name);
  if (!since.is_set()) since = now;
}

bool Released::has(std::string_view name) const { return std::ranges::binary_search(names, name); }

std::string Released::value() const {
  if (names.empty()) return {};
  return fmt::format("{}{}{}{}{}", names.size(), kSince, since.to_string(), kNamed, fmt::join(names, ","));
}

Released released_by(const api::ObjectMeta& owner) {
  const std::string_view text = owner.annotations.value_or_empty(kReleased);
  const auto since = text.find(kSince);
  const auto named = text.find(kNamed);
  if (since == std::string_view::npos || named == std::string_view::npos || named < since) return {};
  const auto begin = since + kSince.size();
  const auto time = Time::parse(text.substr(begin, named - begin));
  if (!time) return {};
  Released released{.since = *time};
  for (const auto& word : std::views::split(text.substr(named + kNamed.size()), ',')) {
    const std::string_view name(word.begin(), word.end());
    if (!name.empty()) released.add(name, *time);
  }
  return released;
}

void note_released(const Released& released, api::ObjectMeta& owner) {
  const std::string value = released.value();
  value.empty() ? owner.annotations.erase(kReleased) : owner.annotations.set(kReleased, value);
}

}  // namespace capstan::controllers::safety
