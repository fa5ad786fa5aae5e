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
  // Of the list itself, as the server named it; readers of kinds without a ResourceInfo check it themselves.
  std::string api_version = {};
  std::string kind = {};
  bool operator==(const ListMeta&) const = default;
};

}  // namespace capstan::api
