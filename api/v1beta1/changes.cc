#include "api/v1beta1/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <limits>

#include "api/v1beta1/failure_domains.h"
#include "base/duration.h"
#include "base/try.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

std::string_view text_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_string();
}

void copy_texts(const json::object& from, std::initializer_list<std::string_view> keys, json::object& to) {
  for (const std::string_view key : keys) {
    if (const auto text = text_at(from, key); !text.empty()) to[key] = json::string(text);
  }
}

// What upstream builds element by element is absent when there is none.
void drop_empty_list(json::value& value) {
  if (value.is_array() && value.get_array().empty()) value = nullptr;
}

// --- towards v1beta2 ---

// The group of "group/version"; a version alone has none.
Result<std::string_view> group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos || api_version == "/") return std::string_view();
  if (api_version.find('/', slash + 1) == std::string_view::npos) return api_version.substr(0, slash);
  return fail(Code::Invalid, fmt::format("apiVersion {} is no group/version", api_version));
}

Result<void> make_contract_ref(json::value& value) {
  if (value.is_null()) return {};
  const json::object& old = value.as_object();
  json::object made;
  const std::string_view group = TRY(group_of(text_at(old, "apiVersion")));
  if (!group.empty()) made["apiGroup"] = json::string(group);
  copy_texts(old, {"kind", "name"}, made);
  value = made.empty() ? json::value() : json::value(std::move(made));
  return {};
}

void keep_texts(json::value& value, std::initializer_list<std::string_view> keys) {
  if (value.is_null()) return;
  json::object made;
  copy_texts(value.as_object(), keys, made);
  value = made.empty() ? json::value() : json::value(std::move(made));
}

// Cut off towards zero; what an int32 cannot hold becomes the nearest it can.
std::int64_t seconds_of(const json::value& duration) {
  const auto span = parse_duration(std::string_view(duration.as_string()));
  if (!span) return 0;
  using Bounds = std::numeric_limits<std::int32_t>;
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(*span).count();
  return std::clamp<std::int64_t>(seconds, Bounds::min(), Bounds::max());
}

void make_seconds(json::value& value) {
  if (!value.is_null()) value = seconds_of(value);
}

// A false or 0 was dropped when the document was read: whether it was meant is in the annotation.
void restore_if(json::value& value, const Restored& restored, const json::value& meant) {
  if (value.is_null() && restored.value != nullptr && *restored.value == meant) value = meant;
}

void take_restored(json::value& value, const Restored& restored) {
  if (!restored.known) return;
  if (restored.value != nullptr)
    value = *restored.value;
  else
    value = nullptr;
}

// --- towards v1beta1 ---

Result<void> make_old_reference(json::value& value, const Surroundings& surroundings) {
  if (value.is_null()) return {};
  const json::object& made_new = value.as_object();
  const std::string_view group = text_at(made_new, "apiGroup");
  const std::string_view kind = text_at(made_new, "kind");
  json::object old;
  old["apiVersion"] = json::string(TRY(surroundings.api_version_of(group, kind)));
  copy_texts(made_new, {"kind", "name"}, old);
  if (!surroundings.object_namespace.empty()) old["namespace"] = json::string(surroundings.object_namespace);
  value = std::move(old);
  return {};
}

void add_namespace(json::value& value, const Surroundings& surroundings) {
  if (value.is_null() || surroundings.object_namespace.empty()) return;
  value.as_object()["namespace"] = json::string(surroundings.object_namespace);
}

void make_node_reference(json::value& value) {
  if (value.is_null()) return;
  json::object old{{"apiVersion", "v1"}, {"kind", "Node"}};
  copy_texts(value.as_object(), {"name"}, old);
  value = std::move(old);
}

void make_duration(json::value& value) {
  if (value.is_null()) return;
  value = json::string(format_duration(std::chrono::seconds(value.to_number<std::int64_t>())));
}

}  // namespace

Result<void> make_new(const Row& row, json::value& value, const Restored& restored) {
  switch (row.change) {
    case Change::None:
    case Change::Within:
    case Change::Each: break;
    case Change::Collected: drop_empty_list(value); break;
    case Change::Dropped: value = nullptr; break;
    case Change::FromAnnotation:
    case Change::Phase: take_restored(value, restored); break;
    case Change::Flag: restore_if(value, restored, false); break;
    case Change::Count: restore_if(value, restored, 0); break;
    case Change::FlagAlways:
      if (value.is_null()) value = false;
      break;
    case Change::Number:
      if (value.is_null()) value = 0;
      break;
    case Change::Seconds: make_seconds(value); break;
    case Change::SecondsAlways:
      make_seconds(value);
      if (value.is_null()) value = 0;
      break;
    case Change::ContractRef: return make_contract_ref(value);
    case Change::TemplateRef: keep_texts(value, {"apiVersion", "kind", "name"}); break;
    case Change::NodeRef: keep_texts(value, {"name"}); break;
    case Change::FailureDomains: return list_failure_domains(value);
  }
  return {};
}

Result<void> make_old(const Row& row, json::value& value, const Surroundings& surroundings) {
  switch (row.change) {
    case Change::None:
    case Change::Flag:
    case Change::Count:
    case Change::FlagAlways:
    case Change::Number:
    case Change::Within:
    case Change::Each: break;
    case Change::Collected: drop_empty_list(value); break;
    case Change::Dropped:
    case Change::FromAnnotation: value = nullptr; break;
    case Change::Phase:
      if (value.is_string() && value.get_string() == "Updating") value = "Running";
      break;
    case Change::Seconds:
    case Change::SecondsAlways: make_duration(value); break;
    case Change::ContractRef: return make_old_reference(value, surroundings);
    case Change::TemplateRef: add_namespace(value, surroundings); break;
    case Change::NodeRef: make_node_reference(value); break;
    case Change::FailureDomains: name_failure_domains(value); break;
  }
  return {};
}

}  // namespace capstan::api::v1beta1
