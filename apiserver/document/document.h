// Looking into and changing Kubernetes documents kept as JSON. Everything in apiserver/ goes through these
// few words instead of spelling out lookups. Pure functions; absent and "of another type" read the same.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace capstan::apiserver {

namespace json = boost::json;
using Path = std::initializer_list<std::string_view>;

const json::value* find(const json::object& from, Path path);
json::value* find(json::object& from, Path path);
std::string_view text_at(const json::object& from, Path path);  // "" when there is no string
std::optional<std::int64_t> integer_at(const json::object& from, Path path);
bool flag_at(const json::object& from, Path path, bool otherwise = false);
const json::object* object_at(const json::object& from, Path path);
json::object* object_at(json::object& from, Path path);
const json::array* array_at(const json::object& from, Path path);

// The object (array) under `name`, made when it is absent or something else.
json::object& object_in(json::object& parent, std::string_view name);
json::array& array_in(json::object& parent, std::string_view name);

std::string_view name_of(const json::object& document);
std::string_view namespace_of(const json::object& document);
std::string_view uid_of(const json::object& document);
std::uint64_t version_of(
    const json::object& document);  // metadata.resourceVersion as a number; 0 when there is none
bool is_deleting(const json::object& document);
bool has_finalizers(const json::object& document);
json::object& metadata_of(json::object& document);

// "" and false and 0 and null and {} and [] are what Go's omitempty leaves out.
bool is_empty(const json::value& value);

std::string timestamp(WallTime at);  // "2026-01-02T03:04:05Z"

std::string_view text_of(const json::value& value);  // "" unless it is a string

}  // namespace capstan::apiserver
