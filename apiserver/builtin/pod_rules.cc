#include <algorithm>

#include "apiserver/builtin/pod_defaults.h"
#include "apiserver/builtin/strategies.h"
#include "apiserver/document/document.h"
#include "apiserver/document/name_rules.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kFrozenSpec =
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec."
    "tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
    "was previously "
    "negative)";

// Best-effort pods ask for nothing, guaranteed ones get what they may use, the others burst.
std::string_view quality_of_service(const json::object& pod) {
  bool any = false;
  bool all_equal = true;
  for (const std::string_view list : {"containers", "initContainers"}) {
    const auto* containers = array_at(pod, {"spec", list});
    if (containers == nullptr) continue;
    for (const auto& container : *containers) {
      const auto* limits = object_at(container.get_object(), {"resources", "limits"});
      const auto* requests = object_at(container.get_object(), {"resources", "requests"});
      any = any || limits != nullptr || requests != nullptr;
      const bool complete = limits != nullptr && limits->contains("cpu") && limits->contains("memory");
      all_equal = all_equal && complete && (requests == nullptr || *requests == *limits);
    }
  }
  return !any ? "BestEffort" : all_equal ? "Guaranteed" : "Burstable";
}

void tolerate_short_outages(json::object& pod) {
  auto& tolerations = array_in(object_in(pod, "spec"), "tolerations");
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool there = std::ranges::any_of(tolerations, [&](const json::value& one) {
      const auto own = one.is_object() ? text_at(one.get_object(), {"key"}) : std::string_view();
      const auto effect = one.is_object() ? text_at(one.get_object(), {"effect"}) : std::string_view();
      return (own == key || own.empty()) && (effect.empty() || effect == "NoExecute");
    });
    if (there) continue;
    tolerations.push_back(json::object{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
  }
}

void begin_pod(json::object& pod) {
  auto& spec = object_in(pod, "spec");
  if (!spec.contains("priority")) spec["priority"] = 0;
  if (!spec.contains("preemptionPolicy")) spec["preemptionPolicy"] = "PreemptLowerPriority";
  tolerate_short_outages(pod);
  auto& status = object_in(pod, "status");
  status["phase"] = "Pending";
  status["qosClass"] = quality_of_service(pod);
}

void check_containers(const json::object& pod, std::string_view list, FieldErrors& errors) {
  const auto* containers = array_at(pod, {"spec", list});
  if (containers == nullptr) return;
  const auto path = child("spec", list);
  for (std::size_t i = 0; i < containers->size(); ++i) {
    const auto* container = (*containers)[i].if_object();
    if (container == nullptr) continue;
    const auto here = item(path, i);
    const auto name = text_at(*container, {"name"});
    if (name.empty()) {
      errors.push_back(required(here + ".name"));
    } else {
      for (const auto& complaint : dns_label_complaints(name)) {
        errors.push_back(invalid_value(here + ".name", json::value(name), complaint));
      }
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (text_at((*containers)[other].get_object(), {"name"}) == name) {
        errors.push_back(duplicate_value(here + ".name", json::value(name)));
      }
    }
    if (text_at(*container, {"image"}).empty()) errors.push_back(required(here + ".image"));
  }
}

// The spec without what may change after all.
json::value frozen(const json::object& pod) {
  json::value spec = pod.at("spec");
  auto& fields = spec.get_object();
  for (const std::string_view loose : {"activeDeadlineSeconds", "tolerations",
                                       "terminationGracePeriodSeconds", "nodeName", "schedulingGates"}) {
    fields.erase(loose);
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    auto* containers = fields.if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (auto& container : containers->get_array()) container.get_object().erase("image");
  }
  return spec;
}

void check_pod(const json::object& pod, const json::object* before, FieldErrors& errors) {
  const auto* containers = array_at(pod, {"spec", "containers"});
  if (containers == nullptr || containers->empty()) errors.push_back(required("spec.containers"));
  check_containers(pod, "containers", errors);
  check_containers(pod, "initContainers", errors);
  const auto policy = text_at(pod, {"spec", "restartPolicy"});
  if (policy != "Always" && policy != "OnFailure" && policy != "Never") {
    errors.push_back(
        unsupported_value("spec.restartPolicy", json::value(policy), {"Always", "OnFailure", "Never"}));
  }
  if (before != nullptr && frozen(pod) != frozen(*before))
    errors.push_back(forbidden_field("spec", kFrozenSpec));
}

}  // namespace

const Strategy kPod{.has_generation = true,
                    .returns_deleted = true,
                    .graceful = true,
                    .fill_defaults = fill_pod,
                    .prepare_create = begin_pod,
                    .validate = check_pod};

}  // namespace capstan::apiserver
