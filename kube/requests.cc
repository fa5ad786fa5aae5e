#include "kube/requests.h"

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "base/try.h"
#include "kube/resources.h"
#include "net/url.h"

namespace capstan::kube::requests {
namespace {

class QueryBuilder {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!value.empty()) query_.emplace_back(name, value);
  }
  void add(std::string_view name, std::int64_t value) {
    if (value > 0) query_.emplace_back(name, std::to_string(value));
  }
  void add_flag(std::string_view name, bool value) {
    if (value) query_.emplace_back(name, "true");
  }
  void add_write(std::string_view field_manager, bool dry_run, bool strict_fields) {
    add("fieldManager", field_manager);
    if (dry_run) add("dryRun", "All");
    if (strict_fields) add("fieldValidation", "Strict");
  }
  std::string behind(const std::string& path) const {
    return query_.empty() ? path : path + "?" + net::render_query(query_);
  }

 private:
  net::Query query_;
};

net::HttpRequest reading(std::string target) {
  return {.method = "GET", .target = std::move(target), .headers = {{"Accept", "application/json"}}};
}

net::HttpRequest writing(std::string_view method, std::string target, std::string_view content_type,
                         std::string body) {
  return {.method = std::string(method),
          .target = std::move(target),
          .headers = {{"Accept", "application/json"}, {"Content-Type", std::string(content_type)}},
          .body = std::move(body)};
}

constexpr std::string_view kJson = "application/json";

std::string_view content_type_of(PatchType type) {
  switch (type) {
    case PatchType::Json: return "application/json-patch+json";
    case PatchType::Merge: return "application/merge-patch+json";
    case PatchType::Strategic: return "application/strategic-merge-patch+json";
    case PatchType::Apply: return "application/apply-patch+yaml";  // JSON is YAML
  }
  return kJson;
}

std::string_view name_of(Propagation propagation) {
  switch (propagation) {
    case Propagation::Background: return "Background";
    case Propagation::Foreground: return "Foreground";
    case Propagation::Orphan: return "Orphan";
  }
  return "Background";
}

json::object delete_body(const DeleteOptions& options) {
  json::object body;
  json::object preconditions;
  if (options.uid) preconditions["uid"] = *options.uid;
  if (options.resource_version) preconditions["resourceVersion"] = *options.resource_version;
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  if (options.propagation) body["propagationPolicy"] = name_of(*options.propagation);
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
  if (options.dry_run) body["dryRun"] = json::array{"All"};
  return body;
}

Result<void> check_raw(std::string_view path) {
  const bool clean =
      std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7F && c != '#' && c != '\\'; });
  const std::string_view without_query = path.substr(0, path.find('?'));
  if (path.starts_with('/') && clean && !path.starts_with("//") && !without_query.contains("/../") &&
      !without_query.ends_with("/..")) {
    return {};
  }
  return fail(Code::Invalid, "not a path: " + std::string(path.substr(0, 80)));
}

}  // namespace

Result<net::HttpRequest> get(const Resource& resource, const ObjectKey& key) {
  return reading(TRY(object_path(resource, key)));
}

Result<net::HttpRequest> list(const Resource& resource, const ListOptions& options) {
  QueryBuilder query;
  query.add("labelSelector", options.label_selector);
  query.add("fieldSelector", options.field_selector);
  query.add("limit", options.limit);
  query.add("continue", options.continue_token);
  query.add("resourceVersion", options.resource_version);
  query.add("resourceVersionMatch", options.resource_version_match);
  return reading(query.behind(TRY(collection_path(resource, options.namespace_))));
}

Result<net::HttpRequest> watch(const Resource& resource, const WatchOptions& options) {
  QueryBuilder query;
  query.add_flag("watch", true);
  query.add("labelSelector", options.label_selector);
  query.add("fieldSelector", options.field_selector);
  query.add("resourceVersion", options.resource_version);
  query.add("timeoutSeconds", options.timeout_seconds);
  query.add_flag("allowWatchBookmarks", options.bookmarks);
  query.add_flag("sendInitialEvents", options.send_initial_events);
  if (options.send_initial_events) query.add("resourceVersionMatch", "NotOlderThan");
  return reading(query.behind(TRY(collection_path(resource, options.namespace_))));
}

Result<net::HttpRequest> create(const Resource& resource, const ObjectKey& key, const json::value& object,
                                const WriteOptions& options) {
  if (resource.namespaced && key.namespace_.empty()) {
    return fail(Code::Invalid,
                resource.plural + " are namespaced, but no namespace was given for " + key.name);
  }
  QueryBuilder query;
  query.add_write(options.field_manager, options.dry_run, options.strict_fields);
  return writing("POST", query.behind(TRY(collection_path(resource, key.namespace_))), kJson,
                 json::serialize(object));
}

Result<net::HttpRequest> replace(const Resource& resource, const ObjectKey& key, const json::value& object,
                                 std::string_view subresource, const WriteOptions& options) {
  QueryBuilder query;
  query.add_write(options.field_manager, options.dry_run, options.strict_fields);
  return writing("PUT", query.behind(TRY(object_path(resource, key, subresource))), kJson,
                 json::serialize(object));
}

Result<net::HttpRequest> patch(const Resource& resource, const ObjectKey& key, const json::value& body,
                               const PatchOptions& options) {
  const bool applies = options.type == PatchType::Apply;
  if (applies && options.field_manager.empty()) {
    return fail(Code::Invalid, "server-side apply needs a field manager");
  }
  if (options.force && !applies) return fail(Code::Invalid, "force belongs to server-side apply");
  QueryBuilder query;
  query.add_write(options.field_manager, options.dry_run, options.strict_fields);
  query.add_flag("force", options.force);
  return writing("PATCH", query.behind(TRY(object_path(resource, key, options.subresource))),
                 content_type_of(options.type), json::serialize(body));
}

Result<net::HttpRequest> remove(const Resource& resource, const ObjectKey& key,
                                const DeleteOptions& options) {
  json::object body = delete_body(options);
  if (!body.empty()) {
    body["apiVersion"] = "v1";
    body["kind"] = "DeleteOptions";
  }
  return writing("DELETE", TRY(object_path(resource, key)), kJson,
                 body.empty() ? std::string() : json::serialize(body));
}

Result<net::HttpRequest> evict(const ObjectKey& pod, const DeleteOptions& options) {
  json::object body = {{"apiVersion", "policy/v1"},
                       {"kind", "Eviction"},
                       {"metadata", {{"name", pod.name}, {"namespace", pod.namespace_}}}};
  json::object how = delete_body(options);
  if (!how.empty()) body["deleteOptions"] = std::move(how);
  return writing("POST", TRY(object_path(resources::pods(), pod, "eviction")), kJson, json::serialize(body));
}

Result<net::HttpRequest> get_path(std::string_view path) {
  TRY(check_raw(path));
  return reading(std::string(path));
}

Result<net::HttpRequest> post_path(std::string_view path, const json::value& body) {
  TRY(check_raw(path));
  return writing("POST", std::string(path), kJson, json::serialize(body));
}

void limit_server_time(net::HttpRequest& request, std::chrono::nanoseconds span) {
  constexpr std::chrono::seconds kLongest(60);  // the server's own limit
  const auto seconds =
      std::clamp(std::chrono::ceil<std::chrono::seconds>(span), std::chrono::seconds(1), kLongest);
  request.target += request.target.contains('?') ? '&' : '?';
  request.target += "timeout=" + std::to_string(seconds.count()) + "s";
}

}  // namespace capstan::kube::requests
