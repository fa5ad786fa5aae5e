#include "apiserver/http/http.h"

#include <algorithm>

#include "api/schema/yaml.h"
#include "apiserver/document/document.h"
#include "apiserver/http/http_request.h"
#include "apiserver/http/reviews.h"
#include "apiserver/present/discovery.h"
#include "apiserver/present/openapi.h"
#include "apiserver/present/partial_metadata.h"
#include "apiserver/present/table.h"
#include "apiserver/status_error.h"
#include "net/url.h"

namespace capstan::apiserver {
namespace {

constexpr const char* kJson = "application/json";

std::string_view path_of(const net::ServerRequest& http) {
  const std::string_view target = http.target;
  return target.substr(0, target.find('?'));
}

std::string quoted(std::string_view warning) {
  std::string text = "299 - \"";
  for (const char c : warning) {
    if (c == '"' || c == '\\') text += '\\';
    if (c != '\n' && c != '\r') text += c;
  }
  return text + "\"";
}

net::HttpResponse page(int status, std::string_view type, std::string body) {
  return {.status = status, .headers = {{"Content-Type", std::string(type)}}, .body = std::move(body)};
}

net::HttpResponse json_page(const json::object& document) {
  return page(200, kJson, json::serialize(document));
}

net::HttpResponse error_page(const Response& refusal) {
  net::HttpResponse answer = page(refusal.status, kJson, refusal.text() + "\n");
  if (refusal.retry_after_seconds)
    answer.headers.emplace_back("Retry-After", std::to_string(*refusal.retry_after_seconds));
  return answer;
}

bool wants_full_objects(const net::ServerRequest& http) {
  return http.target.find("includeObject=Object") != std::string::npos;
}

// An OpenAPI or discovery document, or 404.
void respond_with(const std::optional<json::object>& document, net::Responder& responder) {
  responder.respond(document ? json_page(*document) : error_page(path_not_found()));
}

std::string joined(const std::vector<std::string>& path, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < path.size(); ++i) text += (text.empty() ? "" : "/") + path[i];
  return text;
}

std::string in_form(const json::object& document, Form form) {
  if (form == Form::Yaml) return api::write_yaml(document);
  return json::serialize(document) + "\n";
}

// Events as rows or as metadata; errors and the bookmark's bare object stay what they are.
WatchEvent reshaped(const WatchEvent& event, Form form, const ResourceType& type, const std::string& version,
                    WallTime now) {
  if (form == Form::Json || form == Form::Yaml || event.type == EventType::Error) return event;
  const json::object shaped = form == Form::Table ? table(type, version, {event.object}, nullptr, false, now)
                                                  : partial_metadata(*event.object);
  return {.type = event.type, .object = std::make_shared<const json::object>(shaped)};
}

}  // namespace

void HttpFace::answer(const net::ServerRequest& http, net::Responder& responder) {
  const auto path = path_segments(path_of(http));
  if (answer_open(path, responder)) return;
  const auto user = auth_.who(http);
  if (!user) return responder.respond(error_page(unauthorized()));
  if (answer_document(path, http, responder)) return;
  auto request = object_request(http);
  if (!request) return responder.respond(error_page(path_not_found()));
  if (!*request) return responder.respond(error_page(request->error()));
  (*request)->user = *user;
  answer_object(**request, http, responder);
}

// What a request without a user may ask.
bool HttpFace::answer_open(const std::vector<std::string>& path, net::Responder& responder) const {
  if (path.size() != 1) return false;
  if (path[0] != "healthz" && path[0] != "livez" && path[0] != "readyz") return false;
  responder.respond(page(200, "text/plain; charset=utf-8", "ok"));
  return true;
}

bool HttpFace::answer_document(const std::vector<std::string>& path, const net::ServerRequest& http,
                               net::Responder& responder) const {
  const auto form = acceptable_form(http.header("Accept").value_or(""));
  const bool aggregated_form = form == Form::AggregatedDiscovery;
  const auto discovery = [&](const json::object& plain, bool core) {
    if (!aggregated_form) return responder.respond(json_page(plain));
    responder.respond(page(200, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                           json::serialize(aggregated(api_, core))));
  };
  if (path.empty())
    return responder.respond(json_page({{"paths", json::array{"/api", "/apis", "/healthz", "/openapi/v2",
                                                              "/openapi/v3", "/version"}}})),
           true;
  if (path[0] == "version" && path.size() == 1) return responder.respond(json_page(server_version())), true;
  if (path[0] == "api" && path.size() == 1) return discovery(api_versions(), true), true;
  if (path[0] == "apis" && path.size() == 1) return discovery(group_list(api_), false), true;
  if (path[0] == "api" && path.size() == 2)
    return respond_with(resource_list(api_, "", path[1]), responder), true;
  if (path[0] == "apis" && path.size() == 2) return respond_with(group(api_, path[1]), responder), true;
  if (path[0] == "apis" && path.size() == 3)
    return respond_with(resource_list(api_, path[1], path[2]), responder), true;
  if (path[0] != "openapi") return false;
  if (path.size() == 2 && path[1] == "v2") {
    const bool protobuf = wants_openapi_protobuf(http.header("Accept").value_or(""));
    responder.respond(protobuf ? page(200, kOpenApiV2Protobuf, openapi_v2_protobuf())
                               : json_page(openapi_v2()));
    return true;
  }
  if (path.size() == 2 && path[1] == "v3") return responder.respond(json_page(openapi_index(api_))), true;
  if (path.size() > 2 && path[1] == "v3")
    return respond_with(openapi_document(api_, joined(path, 2)), responder), true;
  return false;
}

void HttpFace::answer_object(const Request& request, const net::ServerRequest& http,
                             net::Responder& responder) {
  const auto form = acceptable_form(http.header("Accept").value_or(""));
  if (!form) {
    return responder.respond(error_page(
        not_acceptable("only the following media types are accepted: application/json, application/yaml")));
  }
  if (const auto refused = auth_.refusal(request)) return responder.respond(error_page(*refused));
  if (const auto reviewed = review(auth_, request)) {
    return responder.respond(page(reviewed->status, kJson, reviewed->text() + "\n"));
  }
  if (request.verb == Verb::Watch) return answer_watch(request, *form, responder);
  const Response response = api_.call(request);
  net::HttpResponse answer = response.ok()
                                 ? page(response.status, *form == Form::Yaml ? "application/yaml" : kJson,
                                        body_of(response, *form, wants_full_objects(http)))
                                 : error_page(response);
  for (const std::string& warning : response.warnings)
    answer.headers.emplace_back("Warning", quoted(warning));
  responder.respond(std::move(answer));
}

void HttpFace::answer_watch(const Request& request, Form form, net::Responder& responder) {
  auto watch = api_.watch(request);
  if (!watch) return responder.respond(error_page(watch.error()));
  auto stream = responder.begin_stream(200, {{"Content-Type", kJson}});
  const auto type = (*watch)->type();
  const std::string version = (*watch)->version();
  pump_.open(std::move(*watch), std::move(stream), [this, form, type, version](const WatchEvent& event) {
    return reshaped(event, form, *type, version, api_.clock().now()).line();
  });
}

std::string HttpFace::body_of(const Response& response, Form form, bool full_objects) const {
  if (form == Form::Json || !response.object || !response.type) return response.text() + "\n";
  if (form == Form::Yaml) return in_form(json::parse(response.text()).as_object(), form);
  const auto* metadata = response.list ? object_at(*response.object, {"metadata"}) : nullptr;
  const auto objects = response.list ? response.items : std::vector<ObjectPtr>{response.object};
  if (form == Form::Table)
    return in_form(
        table(*response.type, response.version, objects, metadata, full_objects, api_.clock().now()), form);
  if (response.list) return in_form(partial_metadata_list(objects, metadata), form);
  return in_form(partial_metadata(*response.object), form);
}

}  // namespace capstan::apiserver
