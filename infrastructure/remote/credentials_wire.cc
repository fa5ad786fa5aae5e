#include "infrastructure/remote/credentials_wire.h"

#include <boost/json.hpp>

#include "base/base64.h"

namespace capstan::infrastructure::remote {
namespace {

namespace json = boost::json;

Result<std::string> credential_in(const json::value& value) {
  const json::string* text = value.if_string();
  return text == nullptr ? fail(Code::Invalid, "it is no text") : base64_decode(*text);
}

}  // namespace

RawJson message_of(const Credentials& credentials) {
  if (credentials.values.empty()) return {};
  json::object message;
  for (const auto& [name, value] : credentials.values) message[name] = base64_encode(value.reveal());
  return RawJson(message);
}

Result<Credentials> credentials_of(const RawJson& message) {
  Credentials credentials;
  const json::value values = message.to_json();
  if (values.is_null()) return credentials;
  if (!values.is_object()) return fail(Code::Invalid, "credentials is no object");
  for (const auto& [name, value] : values.get_object()) {
    auto bytes = credential_in(value);
    if (!bytes) return fail(Code::Invalid, "credentials." + std::string(name) + " is no base64");
    credentials.values.emplace(name, Secret<std::string>(std::move(*bytes)));
  }
  return credentials;
}

}  // namespace capstan::infrastructure::remote
