// Where a document stands in its collection. A plain value.
#pragma once

#include <compare>
#include <string>

namespace capstan::apiserver {

struct StoredKey {
  std::string namespace_ = {};
  std::string name = {};
  auto operator<=>(const StoredKey&) const = default;
  bool operator==(const StoredKey&) const = default;
};

}  // namespace capstan::apiserver
