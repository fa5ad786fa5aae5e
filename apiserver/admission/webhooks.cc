#include "apiserver/admission/webhooks.h"

#include <fmt/format.h>

#include <set>

#include "apiserver/admission/webhook_reviews.h"
#include "apiserver/api.h"
#include "apiserver/document/document.h"
#include "apiserver/status_error.h"
#include "base/deadline.h"
#include "base/try.h"
#include "net/http_client.h"
#include "net/io_pool.h"
#include "net/tls.h"
#include "net/url.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";
constexpr Nanoseconds kConversionTimeout = std::chrono::seconds(30);
constexpr std::size_t kLongestAnswer = 16U << 20;

Response failed_call(const Webhook& hook, const Error& error) {
  return internal_error(fmt::format("failed calling webhook \"{}\": {}", hook.name, error.message));
}

Response no_dry_run(const Webhook& hook) {
  return bad_request(fmt::format("admission webhook \"{}\" does not support dry run", hook.name));
}

void take_warnings(const json::object& response, std::vector<std::string>& warnings) {
  const auto* given = array_at(response, {"warnings"});
  if (given == nullptr) return;
  for (const auto& one : *given) warnings.emplace_back(text_of(one));
}

std::string group_version_kind(const json::object& object) {
  return fmt::format("{}, Kind={}", text_at(object, {"apiVersion"}), text_at(object, {"kind"}));
}

Response failed_conversion(const json::object& object, std::string_view why) {
  return status_error(500, "",
                      fmt::format("conversion webhook for {} failed: {}", group_version_kind(object), why));
}

}  // namespace

Webhooks::Webhooks(net::IoPool& io, const Clock& clock) : io_(io), clock_(clock) {}

Webhooks::~Webhooks() = default;

void Webhooks::serve(const Api& api) { api_ = &api; }

// Two rounds at most: in the second one those are asked again that want it and whose object has changed
// since.
std::expected<ObjectPtr, Response> Webhooks::mutate(const AdmissionReviewRequest& request,
                                                    std::vector<std::string>& warnings) {
  const auto all = hooks("mutatingwebhookconfigurations", mutating_);
  auto current = request;
  std::set<const Webhook*> asked_before;
  std::set<const Webhook*> again;
  for (const bool second_round : {false, true}) {
    for (const auto& hook : *all) {
      if (second_round && !again.contains(&hook)) continue;
      const auto asked = mutate_by(hook, current, warnings);
      if (!asked) return std::unexpected(asked.error());
      if (*asked == Asked::Changed) again.merge(asked_before);
      if (*asked != Asked::NotConcerned && hook.asked_again) asked_before.insert(&hook);
    }
    if (again.empty()) break;
  }
  return current.object;
}

std::expected<Webhooks::Asked, Response> Webhooks::mutate_by(const Webhook& hook,
                                                             AdmissionReviewRequest& current,
                                                             std::vector<std::string>& warnings) {
  const auto version = concerned_at(hook, current);
  if (!version) return Asked::NotConcerned;
  if (current.dry_run && !hook.supports_dry_run) return std::unexpected(no_dry_run(hook));
  auto shown = at_version(current, *version);
  if (!shown) return std::unexpected(std::move(shown).error());
  auto response = ask(hook, *shown, *version);
  if (!response) {
    if (hook.ignores_failure) return Asked::Unchanged;
    return std::unexpected(failed_call(hook, response.error()));
  }
  take_warnings(*response, warnings);
  if (auto refusal = admission_refusal(hook.name, *response)) return std::unexpected(std::move(*refusal));
  if (!shown->object || text_at(*response, {"patch"}).empty()) return Asked::Unchanged;
  auto changed = patched(*shown->object, *response);
  if (!changed) return std::unexpected(internal_error(changed.error().message));
  if (changed->get_object() == *shown->object) return Asked::Unchanged;
  auto object = std::make_shared<const json::object>(std::move(changed->get_object()));
  auto back = object_at_version(*current.type, current.version, object);
  if (!back) return std::unexpected(std::move(back).error());
  current.object = *back;
  return Asked::Changed;
}

std::optional<Response> Webhooks::validate(const AdmissionReviewRequest& request,
                                           std::vector<std::string>& warnings) {
  const auto all = hooks("validatingwebhookconfigurations", validating_);
  for (const auto& hook : *all) {
    const auto version = concerned_at(hook, request);
    if (!version) continue;
    if (request.dry_run && !hook.supports_dry_run) return no_dry_run(hook);
    auto shown = at_version(request, *version);
    if (!shown) return std::move(shown).error();
    auto response = ask(hook, *shown, *version);
    if (!response) {
      if (hook.ignores_failure) continue;
      return failed_call(hook, response.error());
    }
    take_warnings(*response, warnings);
    if (auto refusal = admission_refusal(hook.name, *response)) return refusal;
  }
  return {};
}

std::shared_ptr<const std::vector<Webhook>> Webhooks::hooks(const std::string& plural, Guarded<Hooks>& kept) {
  static const auto kNone = std::make_shared<const std::vector<Webhook>>();
  const Api* api = api_;
  if (api == nullptr) return kNone;
  const auto configurations = api->stored_all(kRegistration, plural);
  if (configurations.empty()) return kNone;
  std::string versions;
  for (const auto& one : configurations) {
    versions += fmt::format("{}={} ", uid_of(*one), text_at(*one, {"metadata", "resourceVersion"}));
  }
  const auto known = kept.with([](const Hooks& hooks) { return hooks; });
  if (known.list && known.versions == versions) return known.list;
  auto list = std::make_shared<const std::vector<Webhook>>(webhooks_of(configurations));
  kept.with([&](Hooks& hooks) { hooks = {.versions = std::move(versions), .list = list}; });
  return list;
}

std::optional<std::string> Webhooks::concerned_at(const Webhook& hook,
                                                  const AdmissionReviewRequest& request) const {
  if (is_exempt(request) || !namespace_selected(hook, request) || !object_selected(hook, request)) return {};
  return wanted_version(hook, request);
}

bool Webhooks::namespace_selected(const Webhook& hook, const AdmissionReviewRequest& request) const {
  if (hook.namespace_selector.everything()) return true;
  if (request.type->group.empty() && request.type->plural == "namespaces") {
    const auto& object = request.object ? request.object : request.old_object;
    return object && hook.namespace_selector.matches(*object);
  }
  if (request.namespace_.empty())
    return true;  // cluster-scoped objects are in no namespace that could be left out
  const Api* api = api_;
  const auto found = api == nullptr ? nullptr : api->stored("", "namespaces", "", request.namespace_);
  return hook.namespace_selector.matches_labels(found ? object_at(*found, {"metadata", "labels"}) : nullptr);
}

std::expected<AdmissionReviewRequest, Response> Webhooks::at_version(const AdmissionReviewRequest& request,
                                                                     const std::string& version) {
  if (version == request.version) return request;
  auto shown = request;
  for (auto* object : {&shown.object, &shown.old_object}) {
    if (!*object) continue;
    auto converted = object_at_version(*request.type, version, *object);
    if (!converted) return std::unexpected(std::move(converted).error());
    *object = *converted;
  }
  return shown;
}

std::expected<ObjectPtr, Response> Webhooks::object_at_version(const ResourceType& type,
                                                               const std::string& version,
                                                               const ObjectPtr& object) {
  const auto wanted = type.api_version(version);
  const auto given = text_at(*object, {"apiVersion"});
  // Subresources have bodies of other kinds, which are the same in every version.
  if (given == wanted || text_at(*object, {"kind"}) != type.kind) return object;
  const auto* conversion = type.conversion ? type.conversion->if_object() : nullptr;
  if (conversion != nullptr && text_at(*conversion, {"strategy"}) == "Webhook") {
    auto converted = convert(type, wanted, {object});
    if (!converted) return std::unexpected(std::move(converted).error());
    return converted->front();
  }
  auto copy = *object;
  copy["apiVersion"] = wanted;
  return std::make_shared<const json::object>(std::move(copy));
}

Result<json::object> Webhooks::ask(const Webhook& hook, const AdmissionReviewRequest& request,
                                   std::string_view version) {
  const auto uid = random_uuid(randomness_);
  auto answer = post(hook.client, admission_review(request, version, uid), hook.timeout);
  if (!answer) return fail(std::move(answer).error().context("failed to call webhook"));
  auto response = admission_response(*answer, uid);
  if (!response) return fail(std::move(response).error().context("received invalid webhook response"));
  return response;
}

std::expected<std::vector<ObjectPtr>, Response> Webhooks::convert(const ResourceType& type,
                                                                  const std::string& api_version,
                                                                  const std::vector<ObjectPtr>& objects) {
  std::vector<ObjectPtr> others;
  for (const auto& object : objects) {
    if (text_at(*object, {"apiVersion"}) != api_version) others.push_back(object);
  }
  if (others.empty()) return objects;
  const auto* conversion = type.conversion ? type.conversion->if_object() : nullptr;
  const auto* client = conversion == nullptr ? nullptr : object_at(*conversion, {"webhook", "clientConfig"});
  const auto uid = random_uuid(randomness_);
  const auto answer =
      post(webhook_client(client), conversion_review(api_version, others, uid), kConversionTimeout);
  if (!answer) return std::unexpected(failed_conversion(*others.front(), answer.error().message));
  auto converted = converted_objects(*answer, uid, api_version, others);
  if (!converted) return std::unexpected(failed_conversion(*others.front(), converted.error().message));
  auto result = objects;
  auto next = converted->begin();
  for (auto& object : result) {
    if (text_at(*object, {"apiVersion"}) != api_version) object = *next++;
  }
  return result;
}

Result<json::value> Webhooks::post(const WebhookClient& client, const json::object& review,
                                   Nanoseconds timeout) {
  if (!client.service.empty()) {
    return fail(Code::Invalid,
                fmt::format("service \"{}\" can't be reached: this server calls webhooks by url only",
                            client.service));
  }
  const auto url = TRY(net::parse_url(client.url));
  if (url.scheme != "https")
    return fail(Code::Invalid, fmt::format("webhook url \"{}\" is not https", client.url));
  const auto http = TRY(client_for(client, url.host, url.port));
  const auto seconds = std::chrono::duration_cast<Seconds>(timeout).count();
  const auto target =
      fmt::format("{}?{}timeout={}s", url.path, url.query.empty() ? "" : url.query + "&", seconds);
  const net::HttpRequest request{
      .method = "POST",
      .target = target,
      .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, */*"}},
      .body = json::serialize(review),
      .max_body_bytes = kLongestAnswer};
  const auto answer = http->request(request, Deadline::in(clock_, timeout));
  const auto why = [&](std::string_view what) {
    return fmt::format("Post \"{}?timeout={}s\": {}", client.url, seconds, what);
  };
  if (!answer) return fail(answer.error().code, why(answer.error().message));
  if (answer->status != 200)
    return fail(Code::Unavailable, why(fmt::format("the webhook answered {}", answer->status)));
  json::error_code error;
  auto document = json::parse(answer->body, error);
  if (error) return fail(Code::Invalid, why("the answer is not JSON: " + error.message()));
  return document;
}

Result<std::shared_ptr<net::HttpClient>> Webhooks::client_for(const WebhookClient& client,
                                                              const std::string& host,
                                                              const std::string& port) {
  const std::pair key(net::host_and_port(host, port), client.ca_pem);
  auto known = clients_.with([&](const auto& clients) {
    const auto found = clients.find(key);
    return found == clients.end() ? nullptr : found->second;
  });
  if (known) return known;
  auto tls = TRY(net::client_tls({.ca_pem = client.ca_pem}));
  auto made = std::make_shared<net::HttpClient>(
      io_, net::HttpClientOptions{.origin = {.scheme = "https", .host = host, .port = port},
                                  .tls = std::move(tls)});
  return clients_.with([&](auto& clients) { return clients.emplace(key, made).first->second; });
}

}  // namespace capstan::apiserver
