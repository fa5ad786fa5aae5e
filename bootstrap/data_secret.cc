#include "bootstrap/data_secret.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/names.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "base/base64.h"

namespace capstan::bootstrap {

namespace json = boost::json;

json::value secret_object(const DataSecret& wanted) {
  json::object labels;
  labels[api::label::kClusterName] = wanted.cluster;
  json::object data;
  data[api::secret::kValueKey] = base64_encode(wanted.value.reveal());
  data[api::secret::kFormatKey] = base64_encode(wanted.format);
  return json::object{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"metadata", json::object{{"name", wanted.key.name},
                                {"namespace", wanted.key.namespace_},
                                {"labels", std::move(labels)},
                                {"ownerReferences", json::array{api::to_json(wanted.owner)}}}},
      {"type", api::secret::kType},
      {"data", std::move(data)}};
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
