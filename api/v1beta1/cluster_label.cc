#include "api/v1beta1/cluster_label.h"

#include <boost/json.hpp>
#include <string_view>

#include "api/names.h"
#include "api/v1beta1/paths.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

constexpr std::string_view kLabelWasSet = "conversion.cluster.x-k8s.io/cluster-name-label-set";

json::object* object_at(json::object& document, std::string_view path) {
  json::value* found = look_up(document, path);
  return found == nullptr ? nullptr : found->if_object();
}

json::object& made_at(json::object& document, std::string_view path) {
  if (object_at(document, path) == nullptr) put(document, path, json::object());
  return *object_at(document, path);
}

void remove_if_empty(json::object& document, std::string_view path) {
  const json::object* found = object_at(document, path);
  if (found != nullptr && found->empty()) take(document, path);
}

}  // namespace

void take_cluster_from_label(json::object& document) {
  json::object* labels = object_at(document, "metadata.labels");
  if (labels == nullptr) return;
  if (const auto* name = labels->if_contains(label::kClusterName)) put(document, "spec.clusterName", *name);
  json::object* annotations = object_at(document, "metadata.annotations");
  const auto* was_set = annotations == nullptr ? nullptr : annotations->if_contains(kLabelWasSet);
  if (was_set == nullptr) return;
  if (*was_set == "false") labels->erase(label::kClusterName);
  annotations->erase(kLabelWasSet);
  remove_if_empty(document, "metadata.labels");
  remove_if_empty(document, "metadata.annotations");
}

void put_cluster_into_label(json::object& document) {
  const json::value* name = look_up(document, "spec.clusterName");
  if (name == nullptr) return;
  json::object& labels = made_at(document, "metadata.labels");
  if (!labels.contains(label::kClusterName))
    made_at(document, "metadata.annotations")[kLabelWasSet] = "false";
  (*object_at(document, "metadata.labels"))[label::kClusterName] = *look_up(document, "spec.clusterName");
}

}  // namespace capstan::api::v1beta1
