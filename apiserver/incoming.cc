#include "apiserver/incoming.h"

#include <fmt/format.h>

#include "apiserver/document.h"
#include "apiserver/field_error.h"

namespace capstan::apiserver {

Answer<json::object> expected_object(const Target& target, const Body& body) {
  const auto* object = body.value.if_object();
  if (object == nullptr) {
    return Refusal(bad_request("couldn't get version/kind; json parse error: the body is not an object"));
  }
  const auto version = text_at(*object, {"apiVersion"});
  const auto kind = text_at(*object, {"kind"});
  if (!version.empty() && version != target.api_version()) {
    return Refusal(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})", version,
                    target.api_version())));
  }
  if (!kind.empty() && kind != target.type->kind) {
    return Refusal(bad_request(fmt::format("the kind in the data ({}) does not match the expected kind ({})", kind,
                                           target.type->kind)));
  }
  auto copy = *object;
  copy["apiVersion"] = target.api_version();
  copy["kind"] = target.type->kind;
  return copy;
}

Answer<json::object> shaped(const Core&, const Target&, json::object object, const Request&, Warnings&) {
  metadata_of(object);
  return object;
}

void fill_defaults(const Core&, const Target&, json::object&) {}

}  // namespace capstan::apiserver
