#include "api/v1beta1/paths.h"

#include <boost/json.hpp>

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

struct Split {
  std::string_view head = {};
  std::string_view rest = {};
};

Split split_first(std::string_view path) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return {.head = path};
  return {.head = path.substr(0, dot), .rest = path.substr(dot + 1)};
}

template <typename Object>
auto find_value(Object& document, std::string_view path) -> decltype(document.if_contains(path)) {
  const auto [head, rest] = split_first(path);
  auto* value = document.if_contains(head);
  if (value == nullptr || rest.empty()) return value;
  auto* inner = value->if_object();
  return inner == nullptr ? nullptr : find_value(*inner, rest);
}

json::object* parent_of(json::object& document, std::string_view& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos) return &document;
  json::value* parent = find_value(document, path.substr(0, dot));
  path.remove_prefix(dot + 1);
  return parent == nullptr ? nullptr : parent->if_object();
}

}  // namespace

const json::value* look_up(const json::object& document, std::string_view path) {
  return find_value(document, path);
}

json::value* look_up(json::object& document, std::string_view path) { return find_value(document, path); }

json::value take(json::object& document, std::string_view path) {
  json::object* parent = parent_of(document, path);
  if (parent == nullptr) return nullptr;
  const auto found = parent->find(path);
  if (found == parent->end()) return nullptr;
  json::value value = std::move(found->value());
  parent->erase(found);
  return value;
}

void put(json::object& document, std::string_view path, json::value value) {
  const auto [head, rest] = split_first(path);
  json::value& place = document[head];
  if (rest.empty()) {
    place = std::move(value);
    return;
  }
  if (!place.is_object()) place.emplace_object();
  put(place.get_object(), rest, std::move(value));
}

void remove_empty_parents(json::object& document, std::string_view path) {
  for (auto dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
    path = path.substr(0, dot);
    const json::value* value = find_value(document, path);
    if (value == nullptr) continue;
    if (!value->is_object() || !value->get_object().empty()) return;
    take(document, path);
  }
}

}  // namespace capstan::api::v1beta1
