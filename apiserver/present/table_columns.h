// What kubectl get shows of the built-in kinds: columns and how their cells are computed. Used by table.cc.
// Pure.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/store/resource_type.h"
#include "base/instant.h"

namespace capstan::apiserver {

namespace json = boost::json;

struct BuiltinColumn {
  std::string_view name = {};
  std::string_view type = "string";
  std::string_view format = {};
  std::int32_t priority = 0;
  json::value (*cell)(const json::object& object, WallTime now) = nullptr;
};

std::span<const BuiltinColumn> builtin_columns(const ResourceType& type);

// "5m" since an RFC 3339 time; what is no time is "<invalid>".
std::string age_since(std::string_view timestamp, WallTime now);

}  // namespace capstan::apiserver
