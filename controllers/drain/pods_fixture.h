// Pods and rules as the tests of this folder need them.
#pragma once

#include <string>
#include <string_view>

#include "api/core/pod.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "test/builders/object_builder.h"

namespace capstan::controllers::drain {

class PodBuilder : public builders::ObjectBuilder<PodBuilder, api::Pod> {
 public:
  explicit PodBuilder(std::string_view name);

  PodBuilder& of(std::string_view kind, std::string_view owner);  // controlled by it
  PodBuilder& phase(std::string_view phase);
  PodBuilder& ready();
  PodBuilder& mirror() { return annotated(api::annotation::kMirrorPod, "x"); }
  PodBuilder& drain_label(std::string_view value) { return labelled(api::label::kDrain, value); }
  PodBuilder& claim(std::string_view name);
  PodBuilder& ephemeral(std::string_view volume);
};
PodBuilder a_pod(std::string_view name);

class RuleBuilder : public builders::ObjectBuilder<RuleBuilder, api::MachineDrainRule> {
 public:
  explicit RuleBuilder(std::string_view name);

  RuleBuilder& does(std::string_view behavior);
  RuleBuilder& order(std::int32_t order);
  RuleBuilder& for_pods(std::string_view label, std::string_view value);
  RuleBuilder& for_namespaces(std::string_view label, std::string_view value);
  RuleBuilder& for_machines(std::string_view label, std::string_view value);
  RuleBuilder& for_clusters(std::string_view label, std::string_view value);
};
RuleBuilder a_rule(std::string_view name);

}  // namespace capstan::controllers::drain
