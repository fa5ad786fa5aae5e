// MachineHealthCheck: when a Machine counts as sick, and how many sick ones may be replaced. A plain value.
#pragma once

#include "api/meta/label_selector.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

// A condition that means trouble once it has had this status for that long.
struct UnhealthyNodeCondition {
  Text type = {};
  Text status = {};
  std::int32_t timeout_seconds = 0;
  UnknownFields unknown = {};
  bool operator==(const UnhealthyNodeCondition&) const = default;
};
template <>
inline constexpr auto members<UnhealthyNodeCondition> = std::array{
    member<&UnhealthyNodeCondition::type>(
        "type", {.min_length = 1, .required = true, .doc = "Type of the Node condition, as Ready."}),
    member<&UnhealthyNodeCondition::status>(
        "status",
        {.min_length = 1, .required = true, .doc = "The status that means trouble: True, False or Unknown."}),
    member<&UnhealthyNodeCondition::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 0, .required = true, .doc = "For how long before the Machine counts as sick."}),
};

struct UnhealthyMachineCondition {
  Text type = {};
  Text status = {};
  std::int32_t timeout_seconds = 0;
  UnknownFields unknown = {};
  bool operator==(const UnhealthyMachineCondition&) const = default;
};
// A check of what the check itself (or its consequences) sets would never end.
inline constexpr std::array kCheckableMachineCondition = {
    CelRule{.rule = "!(self in "
                    "['Ready','Available','HealthCheckSucceeded','OwnerRemediated','ExternallyRemediated'])",
            .message = "type must not be one of: Ready, Available, HealthCheckSucceeded, OwnerRemediated, "
                       "ExternallyRemediated"},
};
template <>
inline constexpr auto members<UnhealthyMachineCondition> = std::array{
    member<&UnhealthyMachineCondition::type>("type",
                                             {.min_length = 1,
                                              .max_length = 316,
                                              .pattern = pattern::kConditionType,
                                              .required = true,
                                              .cel = kCheckableMachineCondition,
                                              .doc = "Type of the Machine condition. Ready, Available and "
                                                     "what health checks write themselves can't be "
                                                     "used."}),
    member<&UnhealthyMachineCondition::status>(
        "status",
        {.one_of = "True|False|Unknown", .required = true, .doc = "The status that means trouble."}),
    member<&UnhealthyMachineCondition::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 0, .required = true, .doc = "For how long before the Machine counts as sick."}),
};

struct HealthChecks {
  std::optional<std::int32_t> node_startup_timeout_seconds = {};
  List<UnhealthyNodeCondition> unhealthy_node_conditions = {};
  List<UnhealthyMachineCondition> unhealthy_machine_conditions = {};
  UnknownFields unknown = {};
  bool operator==(const HealthChecks&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<HealthChecks> = {.min_properties = 1};
template <>
inline constexpr auto members<HealthChecks> = std::array{
    member<&HealthChecks::node_startup_timeout_seconds>(
        "nodeStartupTimeoutSeconds",
        {.minimum = 0,
         .doc =
             "How long a new Machine may take until its Node appears. 0 waits forever; 600 when left out."}),
    member<&HealthChecks::unhealthy_node_conditions>(
        "unhealthyNodeConditions", {.min_items = 1,
                                    .max_items = 100,
                                    .list = ListType::Atomic,
                                    .doc = "Conditions of the Node; one that matches is enough."}),
    member<&HealthChecks::unhealthy_machine_conditions>(
        "unhealthyMachineConditions", {.min_items = 1,
                                       .max_items = 100,
                                       .list = ListType::Atomic,
                                       .doc = "Conditions of the Machine; one that matches is enough."}),
};

struct RemediationTrigger {
  std::optional<IntOrString> unhealthy_less_than_or_equal_to = {};
  Text unhealthy_in_range = {};
  UnknownFields unknown = {};
  bool operator==(const RemediationTrigger&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<RemediationTrigger> = {.min_properties = 1};
template <>
inline constexpr auto members<RemediationTrigger> = std::array{
    member<&RemediationTrigger::unhealthy_less_than_or_equal_to>(
        "unhealthyLessThanOrEqualTo", {.doc = "Go on only while no more Machines than this are unhealthy or "
                                              "not started: a number, or a percentage of "
                                              "the selected Machines, rounded down. 100% when left out."}),
    member<&RemediationTrigger::unhealthy_in_range>(
        "unhealthyInRange",
        {.min_length = 1,
         .max_length = 32,
         .pattern = pattern::kRange,
         .doc = "Go on only while the number of such Machines lies in this range, as [3-5]. Wins over "
                "unhealthyLessThanOrEqualTo."}),
};

// The one reference that names an API version.
struct RemediationTemplateRef {
  Text api_version = {};
  Text kind = {};
  Text name = {};
  UnknownFields unknown = {};
  bool operator==(const RemediationTemplateRef&) const = default;
};
template <>
inline constexpr auto members<RemediationTemplateRef> = std::array{
    member<&RemediationTemplateRef::kind>("kind", {.min_length = 1,
                                                   .max_length = 63,
                                                   .pattern = pattern::kKind,
                                                   .required = true,
                                                   .doc = "Kind of the template."}),
    member<&RemediationTemplateRef::name>(
        "name", {.min_length = 1,
                 .max_length = 253,
                 .pattern = pattern::kDns1123Subdomain,
                 .required = true,
                 .doc = "Name of the template, in the namespace of the health check."}),
    member<&RemediationTemplateRef::api_version>("apiVersion",
                                                 {.min_length = 1,
                                                  .max_length = 317,
                                                  .pattern = pattern::kGroupVersion,
                                                  .required = true,
                                                  .doc = "API group and version of the template."}),
};

struct HealthRemediation {
  RemediationTrigger trigger_if = {};
  std::optional<RemediationTemplateRef> template_ref = {};
  UnknownFields unknown = {};
  bool operator==(const HealthRemediation&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<HealthRemediation> = {.min_properties = 1};
template <>
inline constexpr auto members<HealthRemediation> = std::array{
    member<&HealthRemediation::trigger_if>(
        "triggerIf", {.doc = "Stops all remediation when too many Machines are in trouble at once."}),
    member<&HealthRemediation::template_ref>(
        "templateRef",
        {.doc = "Have an external controller remediate: an object is made from this template for each sick "
                "Machine. When left out, the owner of the Machine replaces it."}),
};

struct MachineHealthCheckSpec {
  Text cluster_name = {};
  LabelSelector selector = {};
  HealthChecks checks = {};
  HealthRemediation remediation = {};
  UnknownFields unknown = {};
  bool operator==(const MachineHealthCheckSpec&) const = default;
};
template <>
inline constexpr auto members<MachineHealthCheckSpec> = std::array{
    member<&MachineHealthCheckSpec::cluster_name>(
        "clusterName", {.min_length = 1, .max_length = 63, .required = true, .doc = field_doc::kClusterName}),
    member<&MachineHealthCheckSpec::selector>(
        "selector",
        {.required = true, .doc = "Which Machines of the Cluster are checked. Must not be empty."}),
    member<&MachineHealthCheckSpec::checks>("checks", {.doc = "What makes a Machine count as sick."}),
    member<&MachineHealthCheckSpec::remediation>("remediation",
                                                 {.doc = "What happens with sick Machines, and when not."}),
};

struct V1Beta1MachineHealthCheckStatus {
  V1Beta1Conditions conditions = {};
  UnknownFields unknown = {};
  bool operator==(const V1Beta1MachineHealthCheckStatus&) const = default;
};
template <>
inline constexpr auto members<V1Beta1MachineHealthCheckStatus> = std::array{
    member<&V1Beta1MachineHealthCheckStatus::conditions>("conditions",
                                                         {.doc = field_doc::kV1Beta1Conditions}),
};

struct MachineHealthCheckStatus {
  Conditions conditions = {};
  std::optional<std::int32_t> expected_machines = {};
  std::optional<std::int32_t> current_healthy = {};
  std::optional<std::int32_t> remediations_allowed = {};
  std::int64_t observed_generation = 0;
  List<Text> targets = {};
  Boxed<Deprecated<V1Beta1MachineHealthCheckStatus>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const MachineHealthCheckStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineHealthCheckStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineHealthCheckStatus> = std::array{
    member<&MachineHealthCheckStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&MachineHealthCheckStatus::expected_machines>("expectedMachines",
                                                         {.minimum = 0, .doc = "Machines that are checked."}),
    member<&MachineHealthCheckStatus::current_healthy>("currentHealthy",
                                                       {.minimum = 0, .doc = "Machines found healthy."}),
    member<&MachineHealthCheckStatus::remediations_allowed>(
        "remediationsAllowed",
        {.minimum = 0, .doc = "How many more Machines may fall sick before remediation stops."}),
    member<&MachineHealthCheckStatus::observed_generation>(
        "observedGeneration", {.minimum = 1, .doc = field_doc::kObservedGeneration}),
    member<&MachineHealthCheckStatus::targets>("targets",
                                               {.max_items = 10000,
                                                .items = {.min_length = 1, .max_length = 253},
                                                .list = ListType::Atomic,
                                                .doc = "Names of the Machines that are checked, sorted."}),
    member<&MachineHealthCheckStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct MachineHealthCheck {
  ObjectMeta metadata = {};
  MachineHealthCheckSpec spec = {};
  MachineHealthCheckStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const MachineHealthCheck&) const = default;
};
inline constexpr std::array kMachineHealthCheckColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "Replicas",
           .json_path = ".status.expectedMachines",
           .type = "integer",
           .description = "Machines that are checked"},
    Column{.name = "Healthy",
           .json_path = ".status.currentHealthy",
           .type = "integer",
           .description = "Machines found healthy"},
    Column{.name = "Paused",
           .json_path = ".status.conditions[?(@.type==\"Paused\")].status",
           .priority = 10,
           .description = "Whether controllers leave it alone"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<MachineHealthCheck> = {
    .group = group::kCluster,
    .version = "v1beta2",
    .kind = kind::kMachineHealthCheck,
    .plural = "machinehealthchecks",
    .short_names = "mhc|mhcs",
    .categories = kCategory,
    .columns = kMachineHealthCheckColumns,
    .status_subresource = true,
    .labels = kContractLabels,
    .doc = "When Machines count as sick, and what then."};
template <>
inline constexpr auto members<MachineHealthCheck> = std::array{
    member<&MachineHealthCheck::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&MachineHealthCheck::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&MachineHealthCheck::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
