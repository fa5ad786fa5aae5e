#include "test/interop/write_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string_view>
#include <utility>

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using Fields = std::map<std::string, std::string>;

const json::value* member(const json::value& value, std::string_view name) {
  return value.is_object() ? value.as_object().if_contains(name) : nullptr;
}

std::string text(const json::value& value, std::string_view name) {
  const auto* found = member(value, name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

bool is_list_of_conditions(const json::value& value) {
  return value.is_array() && !value.as_array().empty() &&
         std::ranges::all_of(value.as_array(), [](const json::value& one) {
           return !text(one, "type").empty() && !text(one, "status").empty();
         });
}

// The members of a table, or the conditions of a list, each under `path`; anything else as one field.
void take(const json::value& value, const std::string& path, int levels, Fields& fields) {
  if (levels > 0 && value.is_object()) {
    for (const auto& one : value.as_object())
      take(one.value(), fmt::format("{}.{}", path, std::string_view(one.key())), levels - 1, fields);
  } else if (is_list_of_conditions(value)) {
    for (const json::value& one : value.as_array())
      fields[fmt::format("{}.{}", path, text(one, "type"))] = json::serialize(one);
  } else {
    fields[path] = json::serialize(value);
  }
}

constexpr int kCreated = 201;  // by an apply, too
constexpr int kOfSpec = 3;     // spec.template.spec.version

void take_metadata(const json::value& metadata, Fields& fields) {
  for (const std::string name : {"labels", "annotations", "finalizers", "ownerReferences"})
    if (const auto* found = member(metadata, name)) take(*found, name, 1, fields);
}

void take_status(const json::value& status, Fields& fields) {
  if (!status.is_object()) return;
  for (const auto& one : status.as_object()) {
    const std::string name(one.key());
    const auto* older = name == "deprecated" ? member(one.value(), "v1beta1") : nullptr;
    if (older != nullptr)
      take(*older, "v1beta1", 1, fields);
    else
      take(one.value(), name, 0, fields);
  }
}

Fields fields_of_status(const json::value& object) {
  Fields fields;
  if (const auto* status = member(object, "status")) take_status(*status, fields);
  return fields;
}

// Of an object: all but its status.
Fields fields_of_rest(const json::value& object) {
  Fields fields;
  for (const auto& one : object.as_object()) {
    const std::string name(one.key());
    if (name == "kind" || name == "apiVersion" || name == "status") continue;
    if (name == "metadata")
      take_metadata(one.value(), fields);
    else
      take(one.value(), name, kOfSpec, fields);
  }
  return fields;
}

std::set<std::string> changed(const Fields& before, const Fields& after) {
  std::set<std::string> names;
  for (const auto& [name, value] : after)
    if (const auto old = before.find(name); old == before.end() || old->second != value) names.insert(name);
  for (const auto& [name, value] : before)
    if (!after.contains(name)) names.insert(name);
  return names;
}

}  // namespace

std::set<std::string> WriteLedger::rows_of(const AuditEntry& write) {
  const std::string what = write.verb + " " + write.resource;
  if (write.verb.starts_with("delete")) return {what};
  boost::system::error_code trouble;
  const json::value object = json::parse(write.answer, trouble);
  const auto* metadata = member(object, "metadata");
  if (trouble || metadata == nullptr) return {what};
  Parts& known =
      known_[fmt::format("{}/{}/{}/{}", write.group, write.resource.substr(0, write.resource.find('/')),
                         text(*metadata, "namespace"), text(*metadata, "name"))];
  if (write.code == kCreated) {
    known = {.status = fields_of_status(object), .rest = fields_of_rest(object)};
    return {"create " + write.resource};
  }
  // The log has writes of one moment in any order, and no write changes both parts.
  const bool status = write.resource.ends_with("/status");
  Fields& part = status ? known.status : known.rest;
  const Fields before = std::exchange(part, status ? fields_of_status(object) : fields_of_rest(object));
  std::set<std::string> rows;
  for (const std::string& name : changed(before, part)) rows.insert(what + " " + name);
  if (rows.empty()) rows.insert(what + " nothing");
  return rows;
}

bool is_done_write(const AuditEntry& entry) {
  const bool review = entry.resource.ends_with("reviews");
  const bool dry = entry.uri.find("dryRun=") != std::string::npos;
  return is_write(entry) && entry.code < 300 && !dry && !review && !is_event(entry) && !is_lease(entry);
}

}  // namespace capstan::envtest
