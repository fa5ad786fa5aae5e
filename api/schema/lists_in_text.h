// "a|b|c" as its parts: how descriptors write short lists.
#pragma once

#include <string_view>
#include <vector>

namespace capstan::api::detail {

inline std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t bar = list.find('|');
    parts.push_back(list.substr(0, bar));
    list.remove_prefix(bar == std::string_view::npos ? list.size() : bar + 1);
  }
  return parts;
}

}  // namespace capstan::api::detail
