// MachineDrainRule: which Pods are evicted, skipped or waited for when a Machine's Node is drained, and in
// which order. Has no controller and no status; drain reads it. A plain value.
#pragma once

#include "api/meta/label_selector.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

namespace drain_behavior {
inline constexpr std::string_view kDrain = "Drain";
inline constexpr std::string_view kSkip = "Skip";
inline constexpr std::string_view kWaitCompleted = "WaitCompleted";
}  // namespace drain_behavior

struct DrainConfig {
  Text behavior = {};
  std::optional<std::int32_t> order = {};
  UnknownFields unknown = {};
  bool operator==(const DrainConfig&) const = default;
};
template <>
inline constexpr auto members<DrainConfig> = std::array{
    member<&DrainConfig::behavior>(
        "behavior",
        {.one_of = "Drain|Skip|WaitCompleted",
         .required = true,
         .doc = "Drain evicts the Pods, Skip leaves them where they are, WaitCompleted waits until they are "
                "gone without evicting them."}),
    member<&DrainConfig::order>("order", {.doc = "Pods of a lower order are evicted first, the next ones "
                                                 "when those are gone. May be negative. Only "
                                                 "with the behavior Drain; 0 when left out."}),
};

// Matches when both selectors do; one left out matches everything.
struct DrainRuleMachines {
  std::optional<LabelSelector> selector = {};
  std::optional<LabelSelector> cluster_selector = {};
  UnknownFields unknown = {};
  bool operator==(const DrainRuleMachines&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DrainRuleMachines> = {.min_properties = 1};
template <>
inline constexpr auto members<DrainRuleMachines> = std::array{
    member<&DrainRuleMachines::selector>("selector", {.doc = "Labels of the Machine."}),
    member<&DrainRuleMachines::cluster_selector>("clusterSelector",
                                                 {.doc = "Labels of the Machine's Cluster."}),
};

struct DrainRulePods {
  std::optional<LabelSelector> selector = {};
  std::optional<LabelSelector> namespace_selector = {};
  UnknownFields unknown = {};
  bool operator==(const DrainRulePods&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DrainRulePods> = {.min_properties = 1};
template <>
inline constexpr auto members<DrainRulePods> = std::array{
    member<&DrainRulePods::selector>("selector", {.doc = "Labels of the Pod."}),
    member<&DrainRulePods::namespace_selector>("namespaceSelector",
                                               {.doc = "Labels of the Pod's Namespace."}),
};

struct MachineDrainRuleSpec {
  DrainConfig drain = {};
  List<DrainRuleMachines> machines = {};
  List<DrainRulePods> pods = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDrainRuleSpec&) const = default;
};
inline constexpr std::array kUniqueMachines = {
    CelRule{.rule = "self.all(x, self.exists_one(y, x == y))",
            .message = "entries in machines must be unique"},
};
inline constexpr std::array kUniquePods = {
    CelRule{.rule = "self.all(x, self.exists_one(y, x == y))", .message = "entries in pods must be unique"},
};
template <>
inline constexpr auto members<MachineDrainRuleSpec> = std::array{
    member<&MachineDrainRuleSpec::drain>("drain", {.required = true, .doc = "What happens to the Pods."}),
    member<&MachineDrainRuleSpec::machines>(
        "machines",
        {.min_items = 1,
         .max_items = 32,
         .list = ListType::Atomic,
         .cel = kUniqueMachines,
         .doc = "Which Machines the rule is for: those that one of the entries matches. All Machines of the "
                "namespace when left out."}),
    member<&MachineDrainRuleSpec::pods>(
        "pods",
        {.min_items = 1,
         .max_items = 32,
         .list = ListType::Atomic,
         .cel = kUniquePods,
         .doc =
             "Which Pods the rule is for: those that one of the entries matches. All Pods when left out. Of "
             "several rules that match a Pod the first by name counts."}),
};

struct MachineDrainRule {
  ObjectMeta metadata = {};
  MachineDrainRuleSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDrainRule&) const = default;
};
inline constexpr std::array kMachineDrainRuleColumns = {
    Column{
        .name = "Behavior", .json_path = ".spec.drain.behavior", .description = "What happens to the Pods"},
    Column{.name = "Order", .json_path = ".spec.drain.order", .description = "Lower goes first"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<MachineDrainRule> = {
    .group = group::kCluster,
    .version = "v1beta2",
    .kind = kind::kMachineDrainRule,
    .plural = "machinedrainrules",
    .categories = kCategory,
    .columns = kMachineDrainRuleColumns,
    .labels = kContractLabels,
    .doc = "How Pods are treated when the Node under them is drained."};
template <>
inline constexpr auto members<MachineDrainRule> = std::array{
    member<&MachineDrainRule::metadata>("metadata", {.required = true, .doc = field_doc::kMetadata}),
    member<&MachineDrainRule::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
};

}  // namespace capstan::api
