#include "apiserver/document/document.h"

#include <charconv>

#include "base/time.h"

namespace capstan::apiserver {

const json::value* find(const json::object& from, Path path) {
  const json::object* here = &from;
  const json::value* found = nullptr;
  for (const std::string_view step : path) {
    if (here == nullptr) return nullptr;
    found = here->if_contains(step);
    if (found == nullptr) return nullptr;
    here = found->if_object();
  }
  return found;
}

json::value* find(json::object& from, Path path) {
  return const_cast<json::value*>(find(std::as_const(from), path));
}

std::string_view text_of(const json::value& value) {
  const auto* text = value.if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::string_view text_at(const json::object& from, Path path) {
  const auto* found = find(from, path);
  return found == nullptr ? std::string_view() : text_of(*found);
}

std::optional<std::int64_t> integer_at(const json::object& from, Path path) {
  const auto* found = find(from, path);
  if (found == nullptr) return {};
  if (const auto* number = found->if_int64()) return *number;
  return {};
}

bool flag_at(const json::object& from, Path path, bool otherwise) {
  const auto* found = find(from, path);
  return found != nullptr && found->is_bool() ? found->get_bool() : otherwise;
}

const json::object* object_at(const json::object& from, Path path) {
  const auto* found = find(from, path);
  return found == nullptr ? nullptr : found->if_object();
}

json::object* object_at(json::object& from, Path path) {
  auto* found = find(from, path);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* array_at(const json::object& from, Path path) {
  const auto* found = find(from, path);
  return found == nullptr ? nullptr : found->if_array();
}

json::object& object_in(json::object& parent, std::string_view name) {
  auto& slot = parent[name];
  if (!slot.is_object()) slot.emplace_object();
  return slot.get_object();
}

json::array& array_in(json::object& parent, std::string_view name) {
  auto& slot = parent[name];
  if (!slot.is_array()) slot.emplace_array();
  return slot.get_array();
}

std::string_view name_of(const json::object& document) { return text_at(document, {"metadata", "name"}); }
std::string_view namespace_of(const json::object& document) {
  return text_at(document, {"metadata", "namespace"});
}
std::string_view uid_of(const json::object& document) { return text_at(document, {"metadata", "uid"}); }

std::uint64_t version_of(const json::object& document) {
  const auto text = text_at(document, {"metadata", "resourceVersion"});
  std::uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

bool is_deleting(const json::object& document) {
  return !text_at(document, {"metadata", "deletionTimestamp"}).empty();
}

bool has_finalizers(const json::object& document) {
  const auto* finalizers = array_at(document, {"metadata", "finalizers"});
  return finalizers != nullptr && !finalizers->empty();
}

json::object& metadata_of(json::object& document) { return object_in(document, "metadata"); }

bool is_empty(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return !value.get_bool();
    case json::kind::int64: return value.get_int64() == 0;
    case json::kind::uint64: return value.get_uint64() == 0;
    case json::kind::double_: return value.get_double() == 0;
    case json::kind::string: return value.get_string().empty();
    case json::kind::array: return value.get_array().empty();
    case json::kind::object: return value.get_object().empty();
  }
  return false;
}

std::string timestamp(WallTime at) { return Time::from(at).to_string(); }

}  // namespace capstan::apiserver
