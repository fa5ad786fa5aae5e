#include "apiserver/builtin/pod_defaults.h"
#include "apiserver/builtin/strategies.h"
#include "apiserver/document/document.h"
#include "apiserver/document/selectors.h"
#include "apiserver/schema/prune.h"

namespace capstan::apiserver {
namespace {

// The rollingUpdate stanza belongs to the strategy of that name only.
void fill_rolling(json::object& object, std::string_view field, const json::object& defaults) {
  auto* strategy = object_at(object, {"spec", field});
  if (strategy == nullptr || text_at(*strategy, {"type"}) != "RollingUpdate") return;
  auto& rolling = object_in(*strategy, "rollingUpdate");
  for (const auto& one : defaults) {
    if (!rolling.contains(one.key())) rolling[one.key()] = one.value();
  }
}

void fill_deployment(json::object& object) {
  fill_template(object);
  fill_rolling(object, "strategy", {{"maxUnavailable", "25%"}, {"maxSurge", "25%"}});
}

void fill_daemon_set(json::object& object) {
  fill_template(object);
  fill_rolling(object, "updateStrategy", {{"maxUnavailable", 1}, {"maxSurge", 0}});
}

void fill_stateful_set(json::object& object) {
  fill_template(object);
  fill_rolling(object, "updateStrategy", {{"partition", 0}});
}

void check_selector(const json::object& object, const json::object* before, FieldErrors& errors) {
  const auto* selector = object_at(object, {"spec", "selector"});
  if (selector == nullptr) {
    errors.push_back(required("spec.selector"));
    return;
  }
  if (selector->empty()) {
    errors.push_back(invalid_value("spec.selector", *selector, "empty selector is invalid for deployment"));
  }
  const auto* labels = object_at(object, {"spec", "template", "metadata", "labels"});
  const json::value wanted(*selector);
  if (!LabelSelector::from_object(&wanted).matches_labels(labels)) {
    errors.push_back(invalid_value("spec.template.metadata.labels",
                                   labels == nullptr ? json::value(nullptr) : *labels,
                                   "`selector` does not match template `labels`"));
  }
  if (before == nullptr) return;
  const auto* then = object_at(*before, {"spec", "selector"});
  if (then != nullptr && *then != *selector) {
    errors.push_back(invalid_value("spec.selector", *selector, "field is immutable"));
  }
}

void check_workload(const json::object& object, const json::object* before, FieldErrors& errors) {
  const auto replicas = integer_at(object, {"spec", "replicas"});
  if (replicas && *replicas < 0) {
    errors.push_back(invalid_value("spec.replicas", *replicas, "must be greater than or equal to 0"));
  }
  check_selector(object, before, errors);
  const auto* containers = array_at(object, {"spec", "template", "spec", "containers"});
  if (containers == nullptr || containers->empty())
    errors.push_back(required("spec.template.spec.containers"));
}

void check_budget(const json::object& object, const json::object*, FieldErrors& errors) {
  const auto* spec = object_at(object, {"spec"});
  if (spec != nullptr && spec->contains("minAvailable") && spec->contains("maxUnavailable")) {
    errors.push_back(invalid_value("spec", *spec, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const std::string_view field : {"minAvailable", "maxUnavailable"}) {
    const auto number = integer_at(object, {"spec", field});
    if (number && *number < 0) {
      errors.push_back(invalid_value(child("spec", field), *number, "must be greater than or equal to 0"));
    }
    const auto text = text_at(object, {"spec", field});
    if (!text.empty() && !text.ends_with('%')) {
      errors.push_back(invalid_value(
          child("spec", field), json::value(text),
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  "
          "or '93%', regex used for validation is '[0-9]+%')"));
    }
  }
}

}  // namespace

const Strategy kDeployment{
    .has_generation = true, .fill_defaults = fill_deployment, .validate = check_workload};
const Strategy kReplicaSet{
    .has_generation = true, .fill_defaults = fill_template, .validate = check_workload};
const Strategy kStatefulSet{
    .has_generation = true, .fill_defaults = fill_stateful_set, .validate = check_workload};
const Strategy kDaemonSet{
    .has_generation = true, .fill_defaults = fill_daemon_set, .validate = check_workload};
const Strategy kBudget{.unconditional_update = false, .has_generation = true, .validate = check_budget};

}  // namespace capstan::apiserver
