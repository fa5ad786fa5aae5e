#include "webhooks/conversion_review.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "api/v1beta1/kinds.h"
#include "base/try.h"

namespace capstan::webhooks {
namespace {

namespace json = boost::json;
using api::v1beta1::ApiVersionOf;

constexpr std::size_t kDeepest = 64;
constexpr std::string_view kHub = "v1beta2";  // every version is converted into this one and out of it
constexpr std::string_view kReview = "apiextensions.k8s.io/v1";

struct Request {
  std::string uid = {};
  std::string wanted = {};  // "cluster.x-k8s.io/v1beta2"
  json::array objects = {};
};

struct TypeName {
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind = {};
};

Result<json::object> parse(std::string_view review) {
  json::parse_options options;
  options.max_depth = kDeepest;
  boost::system::error_code error;
  json::value parsed = json::parse(review, error, {}, options);
  if (error || !parsed.is_object()) return fail(Code::Invalid, "the body is no JSON object");
  return std::move(parsed.get_object());
}

std::string_view text_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_string();
}

Result<Request> request_of(json::object review) {
  if (text_at(review, "kind") != "ConversionReview" || text_at(review, "apiVersion") != kReview) {
    return fail(Code::Invalid, fmt::format("the body is no ConversionReview of {}", kReview));
  }
  auto* found = review.if_contains("request");
  auto* request = found == nullptr ? nullptr : found->if_object();
  if (request == nullptr) return fail(Code::Invalid, "the ConversionReview has no request");
  auto* objects = request->if_contains("objects");
  if (objects != nullptr && !objects->is_array() && !objects->is_null()) {
    return fail(Code::Invalid, "the objects of the ConversionReview are no list");
  }
  Request out{.uid = std::string(text_at(*request, "uid")),
              .wanted = std::string(text_at(*request, "desiredAPIVersion"))};
  if (objects != nullptr && objects->is_array()) out.objects = std::move(objects->get_array());
  return out;
}

TypeName type_name(std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {.version = api_version, .kind = kind};
  return {.group = api_version.substr(0, slash), .version = api_version.substr(slash + 1), .kind = kind};
}

Failure cannot(std::string_view why) { return fail(Code::Invalid, std::string(why)); }

Result<void> convert(json::object& document, const TypeName& wanted, const ApiVersionOf& api_version_of) {
  const std::string stated(text_at(document, "apiVersion"));
  const TypeName has = type_name(stated, wanted.kind);
  if (has.group != wanted.group) return cannot("an object stays in its group");
  if (has.version == wanted.version) return {};
  const auto* older = api::v1beta1::find_kind(has.group, has.kind, has.version);
  const auto* target = api::v1beta1::find_kind(has.group, has.kind, wanted.version);
  if (has.version != kHub && older == nullptr) return cannot("it is of a version that is not known here");
  if (wanted.version != kHub && target == nullptr) return cannot("no such version is known here");
  if (older != nullptr) TRY(api::v1beta1::to_v1beta2(*older, document));
  if (target != nullptr) TRY(api::v1beta1::from_v1beta2(*target, document, api_version_of));
  return {};
}

// "Machine default/a to cluster.x-k8s.io/v1beta1"
std::string name_of(const json::value& object, std::string_view wanted) {
  const auto* document = object.if_object();
  if (document == nullptr) return "an object that is none";
  const auto* found = document->if_contains("metadata");
  const auto* metadata = found == nullptr ? nullptr : found->if_object();
  const std::string_view name = metadata == nullptr ? std::string_view() : text_at(*metadata, "name");
  const std::string_view space = metadata == nullptr ? std::string_view() : text_at(*metadata, "namespace");
  return fmt::format("{} {}{}{} to {}", text_at(*document, "kind"), space, space.empty() ? "" : "/", name,
                     wanted);
}

Result<void> convert_object(json::value& object, const Request& request, const ApiVersionOf& api_version_of) {
  auto* document = object.if_object();
  if (document == nullptr) return cannot("wants an object");
  const auto* metadata = document->if_contains("metadata");
  if (metadata != nullptr && !metadata->is_object()) return cannot("metadata: wants an object");
  const std::string kind(text_at(*document, "kind"));
  return convert(*document, type_name(request.wanted, kind), api_version_of);
}

std::string respond(const Request& request, json::object result, json::array converted) {
  json::object response{{"uid", request.uid}, {"result", std::move(result)}};
  if (!converted.empty()) response["convertedObjects"] = std::move(converted);
  return json::serialize(json::object{{"apiVersion", json::string(kReview)},
                                      {"kind", "ConversionReview"},
                                      {"response", std::move(response)}});
}

}  // namespace

Result<std::string> answer_conversion(std::string_view review, const ApiVersionOf& api_version_of) {
  json::object document = TRY(parse(review));
  Request request = TRY(request_of(std::move(document)));
  for (json::value& object : request.objects) {
    if (auto outcome = convert_object(object, request, api_version_of); !outcome) {
      const std::string message =
          fmt::format("convert {}: {}", name_of(object, request.wanted), outcome.error().message);
      return respond(request, {{"status", "Failure"}, {"message", message}}, {});
    }
  }
  json::array converted = std::move(request.objects);
  return respond(request, {{"status", "Success"}}, std::move(converted));
}

}  // namespace capstan::webhooks
