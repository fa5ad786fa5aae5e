// Lists of structs in a provider's object. For the sources of this folder.
#pragma once

#include <fmt/core.h>

#include <boost/json.hpp>
#include <optional>
#include <vector>

#include "api/contract/expect.h"
#include "api/contract/foreign.h"
#include "api/schema/decode.h"

namespace capstan::api::contract {

template <typename T>
Result<T> read_struct(const Foreign& object, std::string_view where, const boost::json::value& from) {
  auto read = from_json<T>(from);
  if (!read) return Failure(read.error().context(fmt::format("{}: {}", object.describe(), where)));
  return read;
}

template <typename T>
Result<std::optional<std::vector<T>>> read_list(const Foreign& object, const Path& path) {
  const auto found = object.at(path);
  if (!found) return std::nullopt;
  if (!found->is_array()) return wrong_type(object, path.str(), "array", *found);
  std::vector<T> list;
  for (const auto& each : found->as_array()) {
    auto read = read_struct<T>(object, fmt::format("{}[{}]", path.str(), list.size()), each);
    if (!read) return Failure(std::move(read).error());
    list.push_back(std::move(*read));
  }
  return list;
}

}  // namespace capstan::api::contract
