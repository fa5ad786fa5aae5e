#include "apiserver/builtin/pod_defaults.h"

#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

// An image that names no tag, or :latest, is pulled every time.
std::string_view pull_policy(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "IfNotPresent";
  const auto slash = image.rfind('/');
  const auto colon = image.rfind(':');
  const bool tagged = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return !tagged || image.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void fill_requests(json::object& container) {
  const auto* limits = object_at(container, {"resources", "limits"});
  if (limits == nullptr) return;
  const auto copy = *limits;
  auto& requests = object_in(object_in(container, "resources"), "requests");
  for (const auto& limit : copy) {
    if (!requests.contains(limit.key())) requests[limit.key()] = limit.value();
  }
}

}  // namespace

void fill_pod_spec(json::object& spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    auto* containers = spec.if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (auto& one : containers->get_array()) {
      if (!one.is_object()) continue;
      auto& container = one.get_object();
      if (text_at(container, {"imagePullPolicy"}).empty()) {
        container["imagePullPolicy"] = pull_policy(text_at(container, {"image"}));
      }
    }
  }
  const std::string account(text_at(spec, {"serviceAccountName"}));
  if (!account.empty()) spec["serviceAccount"] = account;
}

void fill_pod(json::object& pod) {
  auto* spec = object_at(pod, {"spec"});
  if (spec == nullptr) return;
  fill_pod_spec(*spec);
  if (!spec->contains("enableServiceLinks")) (*spec)["enableServiceLinks"] = true;
  auto* containers = spec->if_contains("containers");
  if (containers == nullptr || !containers->is_array()) return;
  for (auto& one : containers->get_array()) {
    if (one.is_object()) fill_requests(one.get_object());
  }
}

void fill_template(json::object& workload) {
  if (auto* spec = object_at(workload, {"spec", "template", "spec"})) fill_pod_spec(*spec);
}

}  // namespace capstan::apiserver
