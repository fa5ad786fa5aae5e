#include "bootstrap/data_secret.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "api/names.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "base/base64.h"

namespace capstan::bootstrap {

namespace json = boost::json;

namespace {

json::object content_of(const DataSecret& wanted) {
  json::object data;
  data[api::secret::kValueKey] = base64_encode(wanted.value.reveal());
  data[api::secret::kFormatKey] = base64_encode(wanted.format);
  return data;
}

json::object token_annotation(const DataSecret& wanted) {
  json::object annotations;
  annotations[api::bootstrap::annotation::kTokenId] = wanted.token_id;
  return annotations;
}

}  // namespace

json::value secret_object(const DataSecret& wanted) {
  json::object labels;
  labels[api::label::kClusterName] = wanted.cluster;
  json::object metadata = {{"name", wanted.key.name},
                           {"namespace", wanted.key.namespace_},
                           {"labels", std::move(labels)},
                           {"ownerReferences", json::array{api::to_json(wanted.owner)}}};
  if (!wanted.token_id.empty()) metadata["annotations"] = token_annotation(wanted);
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Secret"},
                      {"metadata", std::move(metadata)},
                      {"type", api::secret::kType},
                      {"data", content_of(wanted)}};
}

json::value renewal_patch(const DataSecret& wanted, std::string_view version) {
  return json::object{
      {"metadata", json::object{{"resourceVersion", version}, {"annotations", token_annotation(wanted)}}},
      {"data", content_of(wanted)}};
}

std::string token_id_in(const json::value& secret) {
  json::error_code absent;
  const json::value* annotations = secret.find_pointer("/metadata/annotations", absent);
  if (annotations == nullptr || !annotations->is_object()) return {};
  const json::value* id = annotations->as_object().if_contains(api::bootstrap::annotation::kTokenId);
  return id != nullptr && id->is_string() ? std::string(id->as_string()) : std::string();
}

bool belongs_to(const json::value& secret, const api::OwnerReference& owner) {
  json::error_code absent;
  const json::value* owners = secret.find_pointer("/metadata/ownerReferences", absent);
  if (owners == nullptr || !owners->is_array()) return false;
  return std::ranges::any_of(owners->as_array(), [&](const json::value& one) {
    const auto known = api::from_json<api::OwnerReference>(one);
    return known && known->kind == owner.kind && known->name == owner.name && known->group() == owner.group();
  });
}

}  // namespace capstan::bootstrap
