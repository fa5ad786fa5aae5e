#include "bootstrap/token.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "api/core/secret.h"
#include "base/base64.h"
#include "base/try.h"
#include "bootstrap/labels.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;
namespace label = api::bootstrap::label;

// What Kubernetes reads in such a Secret.
constexpr std::string_view kSystemNamespace = "kube-system";
constexpr std::string_view kNamePrefix = "bootstrap-token-";
constexpr std::string_view kTokenType = "bootstrap.kubernetes.io/token";
constexpr std::string_view kId = "token-id";
constexpr std::string_view kSecret = "token-secret";
constexpr std::string_view kExpiration = "expiration";
constexpr std::string_view kGroups = "auth-extra-groups";
constexpr std::string_view kAuthentication = "usage-bootstrap-authentication";

json::object labels_of(const TokenOwner& owner) {
  json::object labels;
  labels[label::kConfigNamespace] = label_value(owner.config.namespace_);
  labels[label::kConfigName] = label_value(owner.config.name);
  labels[label::kConfigUid] = owner.uid;
  return labels;
}

json::object data_of(const Token& token, const TokenOwner& owner) {
  json::object data;
  const auto put = [&](std::string_view key, std::string_view text) { data[key] = base64_encode(text); };
  put("description", "Lets the kubelet of " + owner.machine + " join. Made by Capstan.");
  put(kId, token.id);
  put(kSecret, token.secret.reveal());
  put(kExpiration, token.expires.to_string());
  put(kAuthentication, "true");
  put(kGroups, kTokenGroup);
  return data;
}

// An item of a list does not say its kind.
json::value with_kind(const json::value& secret) {
  json::value whole = secret;
  if (whole.is_object()) whole.as_object()["kind"] = "Secret";
  return whole;
}

Time creation_of(const json::value& secret) {
  json::error_code absent;
  const json::value* text = secret.find_pointer("/metadata/creationTimestamp", absent);
  if (text == nullptr || !text->is_string()) return {};
  return Time::parse(text->as_string()).value_or(Time());
}

}  // namespace

api::ObjectKey key_of_token(std::string_view id) {
  return {.namespace_ = std::string(kSystemNamespace), .name = fmt::format("{}{}", kNamePrefix, id)};
}

json::value token_secret(const Token& token, const TokenOwner& owner) {
  const api::ObjectKey key = key_of_token(token.id);
  return json::object{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"metadata",
       json::object{{"name", key.name}, {"namespace", key.namespace_}, {"labels", labels_of(owner)}}},
      {"type", kTokenType},
      {"data", data_of(token, owner)}};
}

Result<Token> read_token(const json::value& secret) {
  const api::SecretContent content = TRY(api::read_secret(with_kind(secret)));
  const Secret<std::string>* id = content.find(kId);
  const Secret<std::string>* value = content.find(kSecret);
  if (content.type != kTokenType || id == nullptr || value == nullptr)
    return fail(Code::Invalid, "secret " + content.name + " is no bootstrap token");
  Token token{.id = id->reveal(), .secret = *value, .created = creation_of(secret)};
  if (const Secret<std::string>* expiration = content.find(kExpiration))
    token.expires = TRY(Time::parse(expiration->reveal()));
  return token;
}

json::value expiry_patch(Time expires) {
  json::object data;
  data[kExpiration] = base64_encode(expires.to_string());
  return json::object{{"data", std::move(data)}};
}

std::string tokens_of(const api::ObjectKey& config) {
  return fmt::format("{}={},{}={}", label::kConfigNamespace, label_value(config.namespace_),
                     label::kConfigName, label_value(config.name));
}

std::string tokens_of_all() { return std::string(label::kConfigUid); }

std::optional<api::ObjectKey> config_in(const json::value& token_secret) {
  return key_in(token_secret, {.namespace_ = label::kConfigNamespace, .name = label::kConfigName});
}

}  // namespace capstan::bootstrap
