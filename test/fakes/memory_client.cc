#include "test/fakes/memory_client.h"

#include <boost/json.hpp>

#include "kube/resources.h"
#include "kube/status.h"
#include "test/fakes/memory_stream.h"

namespace capstan::fakes {

namespace json = boost::json;

namespace {

using apiserver::Request;
using apiserver::Response;
using apiserver::Verb;

Error refusal(const Response& response, kube::Asked asked) {
  std::optional<std::string> retry_after;
  if (response.retry_after_seconds) retry_after = std::to_string(*response.retry_after_seconds);
  const auto text = response.text();
  return kube::error_of({.code = response.status, .body = text, .retry_after = retry_after}, asked);
}

// As the client that speaks HTTP.
void cut_managed_fields(json::value& answer) {
  json::value* metadata = answer.is_object() ? answer.get_object().if_contains("metadata") : nullptr;
  if (metadata != nullptr && metadata->is_object()) metadata->get_object().erase("managedFields");
}

json::value whole(const Response& response) {
  if (!response.list) return *response.object;
  json::object list = *response.object;
  json::array items;
  for (const auto& one : response.items) {
    json::object copy = *one;
    if (response.bare_items) {
      copy.erase("apiVersion");
      copy.erase("kind");
    }
    items.emplace_back(std::move(copy));
  }
  list["items"] = std::move(items);
  return list;
}

void take_write_options(const kube::WriteOptions& options, apiserver::Query& query) {
  query.field_manager = options.field_manager;
  query.dry_run = options.dry_run;
  if (options.strict_fields) query.field_validation = apiserver::FieldValidation::Strict;
}

void take_list_options(const kube::ListOptions& options, Request& request) {
  request.namespace_ = options.namespace_;
  request.query.label_selector = options.label_selector;
  request.query.field_selector = options.field_selector;
  request.query.limit = options.limit;
  request.query.continue_token = options.continue_token;
  request.query.resource_version = options.resource_version;
  request.query.resource_version_match = options.resource_version_match;
}

void take_watch_options(const kube::WatchOptions& options, apiserver::Query& query) {
  query.label_selector = options.label_selector;
  query.field_selector = options.field_selector;
  query.resource_version = options.resource_version;
  query.allow_watch_bookmarks = options.bookmarks;
  if (options.timeout_seconds > 0) query.timeout_seconds = options.timeout_seconds;
  if (!options.send_initial_events) return;
  query.send_initial_events = true;
  query.resource_version_match = "NotOlderThan";
}

json::object delete_options(const kube::DeleteOptions& options) {
  json::object body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  json::object preconditions;
  if (options.uid) preconditions["uid"] = *options.uid;
  if (options.resource_version) preconditions["resourceVersion"] = *options.resource_version;
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  if (options.propagation) {
    switch (*options.propagation) {
      case kube::Propagation::Background: body["propagationPolicy"] = "Background"; break;
      case kube::Propagation::Foreground: body["propagationPolicy"] = "Foreground"; break;
      case kube::Propagation::Orphan: body["propagationPolicy"] = "Orphan"; break;
    }
  }
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
  if (options.dry_run) body["dryRun"] = json::array{"All"};
  return body;
}

// A raw path as a request: /api/v1/namespaces/n/pods/p/eviction, /apis/group/version/...
std::optional<Request> parse_path(std::string_view path) {
  std::vector<std::string> steps;
  for (path = path.substr(0, path.find('?')); !path.empty();) {
    const auto slash = path.find('/');
    if (slash != 0) steps.emplace_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  Request request;
  std::size_t next = 0;
  const auto take = [&] { return next < steps.size() ? steps[next++] : std::string(); };
  const auto root = take();
  if (root != "api" && root != "apis") return {};
  if (root == "apis") request.group = take();
  request.version = take();
  if (steps.size() > next + 2 && steps[next] == "namespaces" && steps[next + 2] != "status") {
    ++next;
    request.namespace_ = take();
  }
  request.resource = take();
  request.name = take();
  request.subresource = take();
  if (request.version.empty() || request.resource.empty()) return {};
  return request;
}

}  // namespace

MemoryClient::MemoryClient(apiserver::Api& api, Threads& threads, MemoryClientOptions options)
    : api_(api), threads_(threads), options_(std::move(options)) {}

MemoryClient::~MemoryClient() {
  for (auto& thread : orphans_.with([](auto& all) { return std::exchange(all, {}); })) thread->join();
}

Request MemoryClient::request(Verb verb, const kube::Resource& resource, const kube::ObjectKey& key) const {
  return {.verb = verb,
          .group = resource.group,
          .version = resource.version,
          .resource = resource.plural,
          .namespace_ = key.namespace_,
          .name = key.name,
          .user = {.name = options_.user, .groups = options_.groups},
          .user_agent = options_.user_agent};
}

Result<json::value> MemoryClient::ask(const Request& request, const Deadline& deadline, bool write) {
  threads_.switch_point("kube");
  if (deadline.stopped()) return fail(Code::Cancelled, "the caller was stopped");
  if (deadline.passed(api_.clock().steady_now()))
    return fail(Code::Timeout, "the deadline passed before the request");
  const auto response = api_.call(request);
  if (!response.ok()) return fail(refusal(response, write ? kube::Asked::Write : kube::Asked::Object));
  json::value answer = whole(response);
  if (write) cut_managed_fields(answer);
  return answer;
}

Result<json::value> MemoryClient::get(const kube::Resource& resource, const kube::ObjectKey& key,
                                      const Deadline& deadline) {
  return ask(request(Verb::Get, resource, key), deadline, false);
}

Result<json::value> MemoryClient::list(const kube::Resource& resource, const kube::ListOptions& options,
                                       const Deadline& deadline) {
  auto asked = request(Verb::List, resource, {});
  take_list_options(options, asked);
  return ask(asked, deadline, false);
}

Result<json::value> MemoryClient::create(const kube::Resource& resource, const kube::ObjectKey& key,
                                         const json::value& object, const kube::WriteOptions& options,
                                         const Deadline& deadline) {
  auto asked = request(Verb::Create, resource, {.namespace_ = key.namespace_, .name = {}});
  asked.body.value = object;
  if (!key.name.empty() && asked.body.value.is_object()) {
    auto& metadata = asked.body.value.get_object()["metadata"];
    if (!metadata.is_object()) metadata.emplace_object();
    if (!metadata.get_object().contains("name")) metadata.get_object()["name"] = key.name;
  }
  take_write_options(options, asked.query);
  return ask(asked, deadline, true);
}

Result<json::value> MemoryClient::replace(const kube::Resource& resource, const kube::ObjectKey& key,
                                          const json::value& object, std::string_view subresource,
                                          const kube::WriteOptions& options, const Deadline& deadline) {
  auto asked = request(Verb::Update, resource, key);
  asked.subresource = subresource;
  asked.body.value = object;
  take_write_options(options, asked.query);
  return ask(asked, deadline, true);
}

Result<json::value> MemoryClient::patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                        const json::value& body, const kube::PatchOptions& options,
                                        const Deadline& deadline) {
  auto asked = request(Verb::Patch, resource, key);
  asked.subresource = options.subresource;
  asked.patch_type = options.type;
  asked.body.value = body;
  asked.query.field_manager = options.field_manager;
  asked.query.dry_run = options.dry_run;
  if (options.type == kube::PatchType::Apply) asked.query.force = options.force;
  if (options.strict_fields) asked.query.field_validation = apiserver::FieldValidation::Strict;
  return ask(asked, deadline, true);
}

Result<void> MemoryClient::remove(const kube::Resource& resource, const kube::ObjectKey& key,
                                  const kube::DeleteOptions& options, const Deadline& deadline) {
  auto asked = request(Verb::Delete, resource, key);
  asked.body.value = delete_options(options);
  asked.query.dry_run = options.dry_run;
  auto answered = ask(asked, deadline, true);
  if (!answered) return fail(std::move(answered).error());
  return {};
}

Result<void> MemoryClient::evict(const kube::ObjectKey& pod, const kube::DeleteOptions& options,
                                 const Deadline& deadline) {
  auto asked = request(Verb::Create, kube::resources::pods(), pod);
  asked.subresource = "eviction";
  asked.body.value =
      json::object{{"apiVersion", "policy/v1"},
                   {"kind", "Eviction"},
                   {"metadata", json::object{{"name", pod.name}, {"namespace", pod.namespace_}}},
                   {"deleteOptions", delete_options(options)}};
  asked.query.dry_run = options.dry_run;
  auto answered = ask(asked, deadline, true);
  if (!answered) return fail(std::move(answered).error());
  return {};
}

Result<json::value> MemoryClient::get_path(std::string_view path, const Deadline& deadline) {
  if (path == "/version") {
    threads_.switch_point("kube");
    return json::object{{"major", "1"}, {"minor", "36"}, {"gitVersion", "v1.36.3"}};
  }
  if (path == "/") {
    threads_.switch_point("kube");
    if (deadline.stopped()) return fail(Code::Cancelled, "the caller was stopped");
    return json::object{{"paths", json::array{"/api", "/apis", "/version"}}};
  }
  auto asked = parse_path(path);
  if (!asked) return fail(Code::NotFound, "the server could not find the requested resource");
  asked->verb = asked->name.empty() ? Verb::List : Verb::Get;
  asked->user = {.name = options_.user, .groups = options_.groups};
  return ask(*asked, deadline, false);
}

Result<json::value> MemoryClient::post_path(std::string_view path, const json::value& body,
                                            const Deadline& deadline) {
  auto asked = parse_path(path);
  if (!asked) return fail(Code::NotFound, "the server could not find the requested resource");
  asked->verb = Verb::Create;
  asked->body.value = body;
  asked->user = {.name = options_.user, .groups = options_.groups};
  asked->user_agent = options_.user_agent;
  return ask(*asked, deadline, true);
}

std::unique_ptr<kube::Stream> MemoryClient::list_stream(const kube::Resource& resource,
                                                        const kube::ListOptions& options,
                                                        kube::StreamSink& sink) {
  auto asked = request(Verb::List, resource, {});
  take_list_options(options, asked);
  auto body = [this, asked = std::move(asked)](Delivery& delivery, const std::stop_token&) {
    threads_.switch_point("kube");
    const auto response = api_.call(asked);
    if (!response.ok()) return delivery.end(fail(refusal(response, kube::Asked::Object)));
    if (!delivery.bytes(response.text())) return;
    threads_.switch_point("kube list");
    delivery.end({});
  };
  return std::make_unique<MemoryStream>(threads_, orphans_, sink, "list " + resource.plural, std::move(body));
}

std::unique_ptr<kube::Stream> MemoryClient::watch(const kube::Resource& resource,
                                                  const kube::WatchOptions& options, kube::StreamSink& sink) {
  auto asked = request(Verb::Watch, resource, {.namespace_ = options.namespace_, .name = {}});
  take_watch_options(options, asked.query);
  auto body = [this, asked = std::move(asked)](Delivery& delivery, const std::stop_token& stop) {
    deliver_watch(asked, delivery, stop);
  };
  return std::make_unique<MemoryStream>(threads_, orphans_, sink, "watch " + resource.plural,
                                        std::move(body));
}

void MemoryClient::deliver_watch(const Request& asked, Delivery& delivery, const std::stop_token& stop) {
  threads_.switch_point("kube");
  const auto watch = api_.watch(asked);
  if (!watch) return delivery.end(fail(refusal(watch.error(), kube::Asked::Object)));
  (*watch)->on_ready([signal = delivery.signal()] { signal->notify(); });
  while (!stop.stop_requested()) {
    const auto seen = delivery.signal()->count();
    const auto events = (*watch)->take(api_.clock().steady_now());
    for (const auto& event : events) {
      threads_.switch_point("kube watch");
      if (!delivery.bytes(event.line())) return;
    }
    if ((*watch)->ended()) return delivery.end({});
    if (events.empty()) threads_.wait(*delivery.signal(), seen, {.at = (*watch)->wake_at(), .stop = stop});
  }
}

}  // namespace capstan::fakes
