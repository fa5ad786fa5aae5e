#include "controllers/inplace/hand_over.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/policy/names.h"

namespace capstan::controllers::inplace {
namespace {

using api::policy::annotation::kHandsOver;
using api::policy::annotation::kTakesOver;

Names names_in(std::string_view list) {
  Names names;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (end > 0) names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  std::ranges::sort(names);
  return names;
}

void write_list(std::string_view key, const Names& names, api::TextMap& annotations) {
  if (names.empty()) {
    annotations.erase(key);
  } else {
    annotations.set(Text(key), Text(fmt::format("{}", fmt::join(names, ","))));
  }
}

}  // namespace

Names handed_over_by(const api::ObjectMeta& set) {
  return names_in(set.annotations.value_or_empty(kHandsOver));
}

Names taken_over_by(const api::ObjectMeta& set) {
  return names_in(set.annotations.value_or_empty(kTakesOver));
}

void write_names(const HandOver& what, api::TextMap& annotations) {
  write_list(kHandsOver, what.leaving, annotations);
  write_list(kTakesOver, what.coming, annotations);
}

bool has_name(const Names& names, std::string_view name) { return std::ranges::binary_search(names, name); }

}  // namespace capstan::controllers::inplace
