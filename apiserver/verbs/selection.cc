#include "apiserver/verbs/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"

namespace capstan::apiserver {
namespace {

bool is_selectable(const ServedVersion& version, std::string_view field) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  const auto dotted = "." + std::string(field);
  return std::ranges::find(version.selectable_fields, dotted) != version.selectable_fields.end();
}

std::string unknown_field(const Target& target, std::string_view field) {
  if (target.type->custom || !target.version->selectable_fields.empty()) {
    return fmt::format("field label not supported: {}", field);
  }
  return fmt::format("{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                     quoted(field));
}

}  // namespace

Answer<Selection> Selection::parse(const Target& target, const Request& request) {
  Selection selection;
  selection.namespace_ = request.namespace_;
  auto labels = LabelSelector::parse(request.query.label_selector);
  if (!labels) return Refusal(bad_request(labels.error()));
  auto fields = FieldSelector::parse(request.query.field_selector);
  if (!fields) return Refusal(bad_request(fields.error()));
  for (const auto& one : fields->requirements()) {
    if (!is_selectable(*target.version, one.field))
      return Refusal(bad_request(unknown_field(target, one.field)));
  }
  selection.labels_ = std::move(*labels);
  selection.fields_ = std::move(*fields);
  return selection;
}

bool Selection::matches(const json::object& document) const {
  return labels_.matches(document) && fields_.matches(document);
}

Answer<std::uint64_t> parse_version(std::string_view text) {
  if (text.empty()) return 0;
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error == std::errc() && end == text.data() + text.size()) return version;
  return Refusal(
      bad_request(fmt::format("invalid resource version: resourceVersion: Invalid value: {0}: "
                              "strconv.ParseUint: parsing {0}: invalid syntax",
                              quoted(text))));
}

std::optional<Response> refuse_list_options(const Request& request, bool watch) {
  const auto& query = request.query;
  const auto& match = query.resource_version_match;
  FieldErrors errors;
  const auto forbid = [&](std::string_view field, std::string_view why) {
    errors.push_back(forbidden_field(std::string(field), why));
  };
  if (watch) {
    if (query.send_initial_events && match != "NotOlderThan") {
      forbid("resourceVersionMatch",
             "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!match.empty() && !query.send_initial_events) {
      forbid("resourceVersionMatch",
             "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!match.empty() && match != "NotOlderThan") {
      errors.push_back(unsupported_value("resourceVersionMatch", json::value(match), {"NotOlderThan"}));
    }
  } else {
    if (!match.empty() && query.resource_version.empty()) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!match.empty() && !query.continue_token.empty()) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    }
    if (!match.empty() && match != "Exact" && match != "NotOlderThan") {
      errors.push_back(
          unsupported_value("resourceVersionMatch", json::value(match), {"Exact", "NotOlderThan", ""}));
    }
    if (match == "Exact" && query.resource_version == "0") {
      forbid("resourceVersionMatch", "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
    if (query.send_initial_events) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (errors.empty()) return {};
  return invalid({.group = "meta.k8s.io", .plural = "ListOptions"}, errors);
}

}  // namespace capstan::apiserver
