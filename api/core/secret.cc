#include "api/core/secret.h"

#include <fmt/core.h>

#include <boost/json.hpp>

#include "base/base64.h"
#include "base/try.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

std::string text_at(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

// Empty when absent.
Result<json::object> object_at(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  if (found == nullptr || found->is_null()) return json::object();
  if (!found->is_object()) return fail(Code::Invalid, fmt::format("secret: {} is no object", name));
  return found->as_object();
}

Result<Secret<std::string>> decoded(std::string_view key, const json::value& value) {
  const auto broken = [&] {
    return fail(Code::Invalid, fmt::format("secret: data.{} is no base64 text", key));
  };
  if (!value.is_string()) return broken();
  auto bytes = base64_decode(value.as_string());
  if (!bytes) return broken();
  return Secret<std::string>(std::move(*bytes));
}

}  // namespace

const Secret<std::string>* SecretContent::find(std::string_view key) const {
  const auto found = data.find(key);
  return found == data.end() ? nullptr : &found->second;
}

Result<SecretContent> read_secret(const json::value& document) {
  if (!document.is_object()) return fail(Code::Invalid, "secret: not an object");
  const auto& root = document.as_object();
  if (text_at(root, "kind") != "Secret") return fail(Code::Invalid, "secret: the object is of another kind");
  const auto metadata = TRY(object_at(root, "metadata"));

  SecretContent content{.namespace_ = text_at(metadata, "namespace"),
                        .name = text_at(metadata, "name"),
                        .resource_version = text_at(metadata, "resourceVersion"),
                        .type = text_at(root, "type")};
  const auto labels = TRY(object_at(metadata, "labels"));
  for (const auto& [key, value] : labels) {
    if (value.is_string()) content.labels.emplace(key, value.as_string());
  }
  const auto data = TRY(object_at(root, "data"));
  for (const auto& [key, value] : data) {
    content.data.emplace(key, TRY(decoded(key, value)));
  }
  return content;
}

}  // namespace capstan::api
