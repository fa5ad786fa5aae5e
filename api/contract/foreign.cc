#include "api/contract/foreign.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <limits>

#include "api/contract/expect.h"
#include "base/try.h"

namespace capstan::api::contract {
namespace {

namespace json = boost::json;

const json::value* find(const json::value* from, std::string_view name) {
  if (from == nullptr || !from->is_object()) return nullptr;
  return from->as_object().if_contains(name);
}

}  // namespace

std::string Path::str() const {
  std::string text = section == Section::Spec ? "spec." : "status.";
  text += field;
  for (const auto step : below) {
    if (!step.empty()) text += "." + std::string(step);
  }
  return text;
}

std::string Foreign::metadata_text(std::string_view field) const {
  const auto* found = find(find(document_, "metadata"), field);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::string Foreign::api_version() const {
  if (cached_ != nullptr) return cached_->api_version.str();
  const auto* found = find(document_, "apiVersion");
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::string Foreign::kind() const {
  if (cached_ != nullptr) return cached_->kind.str();
  const auto* found = find(document_, "kind");
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::string Foreign::namespace_() const {
  return cached_ != nullptr ? cached_->metadata.namespace_.str() : metadata_text("namespace");
}

std::string Foreign::name() const {
  return cached_ != nullptr ? cached_->metadata.name.str() : metadata_text("name");
}

bool Foreign::deleting() const {
  return cached_ != nullptr ? cached_->metadata.deleting() : !metadata_text("deletionTimestamp").empty();
}

std::string Foreign::describe() const {
  const std::string space = namespace_();
  return fmt::format("{} {}{}{}", kind(), space, space.empty() ? "" : "/", name());
}

std::optional<json::value> Foreign::at(const Path& path) const {
  json::value held;
  const json::value* found = nullptr;
  if (cached_ != nullptr) {
    const bool in_spec = path.section == Section::Spec;
    held = (in_spec ? cached_->spec.find(path.field) : cached_->status.find(path.field)).to_json();
    found = &held;
  } else {
    found = find(find(document_, path.section == Section::Spec ? "spec" : "status"), path.field);
  }
  for (const auto step : path.below) {
    if (!step.empty()) found = find(found, step);
  }
  if (found == nullptr || found->is_null()) return {};
  if (found == &held) return held;
  return *found;
}

std::string_view kind_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return "number";
    case json::kind::string: return "string";
    case json::kind::array: return "array";
    case json::kind::object: return "object";
  }
  return "nothing";
}

Failure wrong_type(const Foreign& object, std::string_view where, std::string_view expected,
                   const json::value& found) {
  return fail(Code::Invalid, fmt::format("{}: {}: expected {}, found {}", object.describe(), where, expected,
                                         kind_name(found)));
}

Result<std::optional<bool>> read_bool(const Foreign& object, const Path& path) {
  const auto found = object.at(path);
  if (!found) return std::nullopt;
  if (!found->is_bool()) return wrong_type(object, path.str(), "boolean", *found);
  return found->as_bool();
}

Result<std::optional<std::string>> read_text(const Foreign& object, const Path& path) {
  const auto found = object.at(path);
  if (!found) return std::nullopt;
  if (!found->is_string()) return wrong_type(object, path.str(), "string", *found);
  return std::string(found->as_string());
}

Result<std::optional<std::int32_t>> read_int32(const Foreign& object, const Path& path) {
  const auto found = object.at(path);
  if (!found) return std::nullopt;
  boost::system::error_code inexact;
  const auto number = found->is_number() ? found->to_number<std::int32_t>(inexact) : 0;
  if (!found->is_number() || inexact) return wrong_type(object, path.str(), "32-bit integer", *found);
  return number;
}

Result<std::optional<std::vector<std::string>>> read_texts(const Foreign& object, const Path& path) {
  const auto found = object.at(path);
  if (!found) return std::nullopt;
  if (!found->is_array()) return wrong_type(object, path.str(), "array", *found);
  std::vector<std::string> texts;
  for (const auto& each : found->as_array()) {
    if (!each.is_string()) {
      return wrong_type(object, fmt::format("{}[{}]", path.str(), texts.size()), "string", each);
    }
    texts.emplace_back(each.as_string());
  }
  return texts;
}

Result<Failures> read_failures(const Foreign& object) {
  auto reason = TRY(read_text(object, path::kFailureReason));
  auto message = TRY(read_text(object, path::kFailureMessage));
  return Failures{.reason = std::move(reason).value_or(""), .message = std::move(message).value_or("")};
}

}  // namespace capstan::api::contract
