#include "apiserver/http/http_request.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "apiserver/http/body.h"
#include "apiserver/status_error.h"
#include "net/url.h"

namespace capstan::apiserver {
namespace {

using Segments = std::span<const std::string>;
template <typename T>
using Parsed = std::expected<T, Response>;
using Refused = std::unexpected<Response>;

// Group and version of the path, and what comes after them.
std::optional<Segments> resource_part(Segments path, Request& request) {
  if (path.size() >= 3 && path[0] == "api") {
    request.version = path[1];
    return path.subspan(2);
  }
  if (path.size() >= 4 && path[0] == "apis") {
    request.group = path[1];
    request.version = path[2];
    return path.subspan(3);
  }
  return {};
}

bool is_namespace_subresource(std::string_view word) { return word == "status" || word == "finalize"; }

// namespaces/NS/plural/name/sub, plural/name/sub; "namespaces/NS" alone is about the namespace itself.
bool read_resource(Segments path, Request& request) {
  const bool inside =
      path[0] == "namespaces" && path.size() > 2 && !(path.size() == 3 && is_namespace_subresource(path[2]));
  if (inside) {
    request.namespace_ = path[1];
    path = path.subspan(2);
  }
  if (path.size() > 3) return false;
  request.resource = path[0];
  if (path.size() > 1) request.name = path[1];
  if (path.size() > 2) request.subresource = path[2];
  return true;
}

Parsed<bool> read_flag(std::string_view name, std::string_view value) {
  if (value.empty() || value == "true" || value == "1" || value == "True") return true;
  if (value == "false" || value == "0" || value == "False") return false;
  return Refused(bad_request("strconv.ParseBool: parsing \"" + std::string(value) + "\": invalid syntax (" +
                             std::string(name) + ")"));
}

Parsed<std::int64_t> read_number(std::string_view name, std::string_view value) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return number;
  return Refused(bad_request(std::string(name) + ": strconv.ParseInt: parsing \"" + std::string(value) +
                             "\": invalid syntax"));
}

// The options object the query stands for, as refusals name it.
std::string_view options_kind(std::string_view method) {
  if (method == "POST") return "CreateOptions";
  if (method == "PUT") return "UpdateOptions";
  if (method == "PATCH") return "PatchOptions";
  return "DeleteOptions";
}

Refused unsupported_option(std::string_view method, std::string_view field, std::string_view value,
                           std::string_view supported) {
  return Refused(invalid({.group = "meta.k8s.io", .plural = std::string(options_kind(method))},
                         {{.reason = "FieldValueNotSupported",
                           .message = "Unsupported value: \"" + std::string(value) +
                                      "\": supported values: " + std::string(supported),
                           .field = std::string(field)}}));
}

Parsed<bool> read_dry_run(std::string_view method, std::string_view value) {
  if (value.empty()) return false;
  if (value == "All") return true;
  return unsupported_option(method, "dryRun", value, "\"All\"");
}

Parsed<FieldValidation> read_field_validation(std::string_view method, std::string_view value) {
  if (value == "Ignore") return FieldValidation::Ignore;
  if (value == "Warn" || value.empty()) return FieldValidation::Warn;
  if (value == "Strict") return FieldValidation::Strict;
  return unsupported_option(method, "fieldValidation", value, "\"Ignore\", \"Strict\", \"Warn\"");
}

// Puts one parsed parameter where it belongs; the error, if it does not parse.
template <typename Target, typename Value>
std::optional<Response> put(Target& target, Parsed<Value> parsed) {
  if (!parsed) return std::move(parsed).error();
  target = *parsed;
  return {};
}

std::optional<Response> read_parameter(std::string_view method, const std::string& name,
                                       const std::string& value, Query& query, bool& watch) {
  if (name == "labelSelector") query.label_selector = value;
  if (name == "fieldSelector") query.field_selector = value;
  if (name == "continue") query.continue_token = value;
  if (name == "resourceVersion") query.resource_version = value;
  if (name == "resourceVersionMatch") query.resource_version_match = value;
  if (name == "fieldManager") query.field_manager = value;
  if (name == "propagationPolicy") query.propagation_policy = value;
  if (name == "limit") return put(query.limit, read_number(name, value));
  if (name == "timeoutSeconds") return put(query.timeout_seconds, read_number(name, value));
  if (name == "gracePeriodSeconds") return put(query.grace_period_seconds, read_number(name, value));
  if (name == "watch") return put(watch, read_flag(name, value));
  if (name == "sendInitialEvents") return put(query.send_initial_events, read_flag(name, value));
  if (name == "allowWatchBookmarks") return put(query.allow_watch_bookmarks, read_flag(name, value));
  if (name == "force") return put(query.force, read_flag(name, value));
  if (name == "dryRun") return put(query.dry_run, read_dry_run(method, value));
  if (name == "fieldValidation") return put(query.field_validation, read_field_validation(method, value));
  return {};
}

std::optional<Verb> verb_of(std::string_view method, const Request& request, bool watch) {
  const bool named = !request.name.empty();
  if (method == "GET" || method == "HEAD") return named ? Verb::Get : watch ? Verb::Watch : Verb::List;
  if (method == "POST" && (!named || !request.subresource.empty())) return Verb::Create;
  if (method == "PUT" && named) return Verb::Update;
  if (method == "PATCH" && named) return Verb::Patch;
  if (method == "DELETE") return named ? Verb::Delete : Verb::DeleteCollection;
  return {};
}

std::string_view media_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const std::size_t end = type.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string_view() : type.substr(0, end + 1);
}

Parsed<kube::PatchType> patch_type(std::string_view type) {
  if (type == "application/json-patch+json") return kube::PatchType::Json;
  if (type == "application/merge-patch+json") return kube::PatchType::Merge;
  if (type == "application/strategic-merge-patch+json") return kube::PatchType::Strategic;
  if (type == "application/apply-patch+yaml") return kube::PatchType::Apply;
  return Refused(unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json-patch+json, "
      "application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"));
}

std::optional<Response> read_body(const net::ServerRequest& http, Request& request) {
  if (request.verb == Verb::Get || request.verb == Verb::List || request.verb == Verb::Watch) return {};
  if (http.body.empty()) return {};
  std::string_view type = media_type(http.header("Content-Type").value_or("application/json"));
  if (request.verb == Verb::Patch) {
    if (auto refused = put(request.patch_type, patch_type(type))) return refused;
    type = request.patch_type == kube::PatchType::Apply ? "application/yaml" : "application/json";
  }
  auto body = decode_body(type, http.body);
  if (!body) return std::move(body).error();
  request.body = std::move(*body);
  return {};
}

Parsed<Request> complete(const net::ServerRequest& http, std::string_view query_text, Request request) {
  bool watch = false;
  for (const auto& [name, value] : net::parse_query(query_text)) {
    if (auto refused = read_parameter(http.method, name, value, request.query, watch))
      return Refused(*std::move(refused));
  }
  const auto verb = verb_of(http.method, request, watch);
  if (!verb) return Refused(method_not_allowed());
  request.verb = *verb;
  if (const auto agent = http.header("User-Agent")) request.user_agent = std::string(*agent);
  if (auto refused = read_body(http, request)) return Refused(*std::move(refused));
  return request;
}

}  // namespace

std::vector<std::string> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) segments.push_back(net::decode_percent(path.substr(0, end)));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

std::optional<std::expected<Request, Response>> object_request(const net::ServerRequest& http) {
  const std::string_view target = http.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto path = path_segments(target.substr(0, mark));
  Request request;
  const auto rest = resource_part(path, request);
  if (!rest) return {};
  if (!read_resource(*rest, request)) return Parsed<Request>(Refused(path_not_found()));
  return complete(http, target.substr(std::min(mark + 1, target.size())), std::move(request));
}

}  // namespace capstan::apiserver
