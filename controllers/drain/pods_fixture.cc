#include "controllers/drain/pods_fixture.h"

namespace capstan::controllers::drain {
namespace {

api::LabelSelector selecting(std::string_view label, std::string_view value) {
  return {.match_labels = {{label, value}}};
}

template <typename List, typename Entry>
void append(List& list, Entry entry) {
  std::vector<Entry> entries(list.begin(), list.end());
  entries.push_back(std::move(entry));
  list = List(std::move(entries));
}

}  // namespace

PodBuilder::PodBuilder(std::string_view name)
    : ObjectBuilder(api::Pod{.metadata = builders::metadata_of("Pod", name)}) {
  object_.status.phase = Text("Running");
}

PodBuilder& PodBuilder::of(std::string_view kind, std::string_view owner) {
  return owned_by(builders::controller_of(kind, owner));
}
PodBuilder& PodBuilder::phase(std::string_view phase) {
  return change([&](api::Pod& pod) { pod.status.phase = Text(phase); });
}
PodBuilder& PodBuilder::ready() {
  return change([&](api::Pod& pod) {
    append(pod.status.conditions, api::PodCondition{.type = Text("Ready"), .status = Text("True")});
  });
}
PodBuilder& PodBuilder::claim(std::string_view name) {
  return change([&](api::Pod& pod) {
    append(pod.spec.volumes,
           api::PodVolume{.name = Text("v"),
                          .persistent_volume_claim = api::ClaimVolume{.claim_name = Text(name)}});
  });
}
PodBuilder& PodBuilder::ephemeral(std::string_view volume) {
  return change([&](api::Pod& pod) {
    append(pod.spec.volumes,
           api::PodVolume{.name = Text(volume), .ephemeral = api::RawJson::from_compact("{}")});
  });
}
PodBuilder a_pod(std::string_view name) { return PodBuilder(name); }

RuleBuilder::RuleBuilder(std::string_view name)
    : ObjectBuilder(api::MachineDrainRule{.metadata = builders::metadata_of("MachineDrainRule", name)}) {
  does(api::drain_behavior::kDrain);
}
RuleBuilder& RuleBuilder::does(std::string_view behavior) {
  return change([&](api::MachineDrainRule& rule) { rule.spec.drain.behavior = Text(behavior); });
}
RuleBuilder& RuleBuilder::order(std::int32_t order) {
  return change([&](api::MachineDrainRule& rule) { rule.spec.drain.order = order; });
}
RuleBuilder& RuleBuilder::for_pods(std::string_view label, std::string_view value) {
  return change([&](api::MachineDrainRule& rule) {
    append(rule.spec.pods, api::DrainRulePods{.selector = selecting(label, value)});
  });
}
RuleBuilder& RuleBuilder::for_namespaces(std::string_view label, std::string_view value) {
  return change([&](api::MachineDrainRule& rule) {
    append(rule.spec.pods, api::DrainRulePods{.namespace_selector = selecting(label, value)});
  });
}
RuleBuilder& RuleBuilder::for_machines(std::string_view label, std::string_view value) {
  return change([&](api::MachineDrainRule& rule) {
    append(rule.spec.machines, api::DrainRuleMachines{.selector = selecting(label, value)});
  });
}
RuleBuilder& RuleBuilder::for_clusters(std::string_view label, std::string_view value) {
  return change([&](api::MachineDrainRule& rule) {
    append(rule.spec.machines, api::DrainRuleMachines{.cluster_selector = selecting(label, value)});
  });
}
RuleBuilder a_rule(std::string_view name) { return RuleBuilder(name); }

}  // namespace capstan::controllers::drain
