// metadata of a LIST response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace capstan::api {

struct ListMeta {
  std::string resource_version = {};
  std::string continue_token = {};
  std::optional<std::int64_t> remaining_item_count = {};
  bool operator==(const ListMeta&) const = default;
};

}  // namespace capstan::api
