// MachineDeployment: equal Machines and how they are exchanged when the template changes. Written by users
// and its own controller. A plain value.
#pragma once

#include "api/v1beta2/machine_set.h"

namespace capstan::api {

namespace rollout_strategy {
inline constexpr std::string_view kRollingUpdate = "RollingUpdate";
inline constexpr std::string_view kOnDelete = "OnDelete";
}  // namespace rollout_strategy

struct RollingUpdate {
  std::optional<IntOrString> max_unavailable = {};
  std::optional<IntOrString> max_surge = {};
  UnknownFields unknown = {};
  bool operator==(const RollingUpdate&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<RollingUpdate> = {.min_properties = 1};
template <>
inline constexpr auto members<RollingUpdate> = std::array{
    member<&RollingUpdate::max_unavailable>(
        "maxUnavailable",
        {.doc = "How many of the wanted Machines may be unavailable during a rollout: a number, or a "
                "percentage of the replicas, rounded down. 0 when left out; not 0 together with "
                "maxSurge."}),
    member<&RollingUpdate::max_surge>(
        "maxSurge",
        {.doc = "How many Machines more than wanted may exist during a rollout: a number, or a percentage of "
                "the replicas, rounded up. 1 when left out; not 0 together with maxUnavailable."}),
};

struct RolloutStrategy {
  Text type = {};
  RollingUpdate rolling_update = {};
  UnknownFields unknown = {};
  bool operator==(const RolloutStrategy&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<RolloutStrategy> = {.min_properties = 1};
template <>
inline constexpr auto members<RolloutStrategy> = std::array{
    member<&RolloutStrategy::type>(
        "type",
        {.one_of = "RollingUpdate|OnDelete",
         .required = true,
         .doc =
             "RollingUpdate exchanges Machines by itself, OnDelete whenever somebody deletes an old one."}),
    member<&RolloutStrategy::rolling_update>("rollingUpdate", {.doc = "Limits for the type RollingUpdate."}),
};

struct Rollout {
  Time after = {};
  std::optional<RolloutStrategy> strategy = {};
  UnknownFields unknown = {};
  bool operator==(const Rollout&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<Rollout> = {.min_properties = 1};
template <>
inline constexpr auto members<Rollout> = std::array{
    member<&Rollout::after>(
        "after", {.doc = "Machines created before this moment are exchanged once it has passed, even "
                         "when the template stays the same."}),
    member<&Rollout::strategy>("strategy", {.doc = "How Machines are exchanged."}),
};

struct RemediationLimit {
  std::optional<IntOrString> max_in_flight = {};
  UnknownFields unknown = {};
  bool operator==(const RemediationLimit&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<RemediationLimit> = {.min_properties = 1};
template <>
inline constexpr auto members<RemediationLimit> = std::array{
    member<&RemediationLimit::max_in_flight>(
        "maxInFlight",
        {.doc = "How many unhealthy Machines may be replaced at the same time: a number, or a percentage "
                "of the replicas, rounded up. No limit when left out."}),
};

struct MachineDeploymentSpec {
  Text cluster_name = {};
  std::optional<std::int32_t> replicas = {};
  Rollout rollout = {};
  LabelSelector selector = {};
  MachineTemplate machine_template = {};
  MachineNaming machine_naming = {};
  RemediationLimit remediation = {};
  MachineSetDeletion deletion = {};
  std::optional<bool> paused = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDeploymentSpec&) const = default;
};
template <>
inline constexpr auto members<MachineDeploymentSpec> = std::array{
    member<&MachineDeploymentSpec::cluster_name>(
        "clusterName", {.min_length = 1, .max_length = 63, .required = true, .doc = field_doc::kClusterName}),
    member<&MachineDeploymentSpec::replicas>(
        "replicas",
        {.doc =
             "How many Machines are wanted. When left out: within the limits of the autoscaler annotations "
             "where both are given, 1 otherwise."}),
    member<&MachineDeploymentSpec::rollout>("rollout",
                                            {.doc = "When and how Machines are exchanged for newer ones."}),
    member<&MachineDeploymentSpec::selector>(
        "selector",
        {.required = true,
         .doc = "Which MachineSets and Machines count as this deployment's own. Has to match the labels of "
                "the template."}),
    member<&MachineDeploymentSpec::machine_template>(
        "template", {.required = true, .doc = "What new Machines look like."}),
    member<&MachineDeploymentSpec::machine_naming>("machineNaming", {.doc = "How new Machines are named."}),
    member<&MachineDeploymentSpec::remediation>("remediation",
                                                {.doc = "Limits for replacing unhealthy Machines."}),
    member<&MachineDeploymentSpec::deletion>("deletion", {.doc = "How Machines are chosen for deletion."}),
    member<&MachineDeploymentSpec::paused>(
        "paused",
        {.doc = "Holds rollouts: a changed template has no effect until this is taken back. Unlike the pause "
                "annotation it stops nothing else."}),
};

// status.deprecated.v1beta1 of a MachineDeployment. The counters are written even when zero.
struct V1Beta1MachineDeploymentStatus {
  V1Beta1Conditions conditions = {};
  std::int32_t updated_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t unavailable_replicas = 0;
  UnknownFields unknown = {};
  bool operator==(const V1Beta1MachineDeploymentStatus&) const = default;
};
template <>
inline constexpr auto members<V1Beta1MachineDeploymentStatus> = std::array{
    member<&V1Beta1MachineDeploymentStatus::conditions>("conditions", {.doc = field_doc::kV1Beta1Conditions}),
    member<&V1Beta1MachineDeploymentStatus::updated_replicas>(
        "updatedReplicas", {.keep_empty = true, .doc = "Machines of the newest MachineSet."}),
    member<&V1Beta1MachineDeploymentStatus::ready_replicas>(
        "readyReplicas", {.keep_empty = true, .doc = "Machines whose Node is ready."}),
    member<&V1Beta1MachineDeploymentStatus::available_replicas>(
        "availableReplicas",
        {.keep_empty = true, .doc = "Machines whose Node has been ready for minReadySeconds."}),
    member<&V1Beta1MachineDeploymentStatus::unavailable_replicas>(
        "unavailableReplicas",
        {.keep_empty = true, .doc = "Machines missing until everything wanted is available."}),
};

namespace machine_deployment_phase {
inline constexpr std::string_view kScalingUp = "ScalingUp";
inline constexpr std::string_view kScalingDown = "ScalingDown";
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kUnknown = "Unknown";
}  // namespace machine_deployment_phase

struct MachineDeploymentStatus {
  Conditions conditions = {};
  std::int64_t observed_generation = 0;
  Text selector = {};
  std::optional<std::int32_t> replicas = {};
  std::optional<std::int32_t> ready_replicas = {};
  std::optional<std::int32_t> available_replicas = {};
  std::optional<std::int32_t> up_to_date_replicas = {};
  List<VersionCount> versions = {};
  Text phase = {};
  Boxed<Deprecated<V1Beta1MachineDeploymentStatus>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDeploymentStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineDeploymentStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineDeploymentStatus> = std::array{
    member<&MachineDeploymentStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&MachineDeploymentStatus::observed_generation>(
        "observedGeneration", {.minimum = 1, .doc = field_doc::kObservedGeneration}),
    member<&MachineDeploymentStatus::selector>(
        "selector", {.min_length = 1,
                     .max_length = 4096,
                     .doc = "The selector as a string, for the scale subresource: autoscalers read it."}),
    member<&MachineDeploymentStatus::replicas>("replicas",
                                               {.doc = "Machines there are, those being deleted included."}),
    member<&MachineDeploymentStatus::ready_replicas>("readyReplicas",
                                                     {.doc = "Machines whose condition Ready is True."}),
    member<&MachineDeploymentStatus::available_replicas>(
        "availableReplicas", {.doc = "Machines whose condition Available is True."}),
    member<&MachineDeploymentStatus::up_to_date_replicas>(
        "upToDateReplicas", {.doc = "Machines whose condition UpToDate is True."}),
    member<&MachineDeploymentStatus::versions>("versions",
                                               {.min_items = 1,
                                                .max_items = 100,
                                                .list_keys = "version",
                                                .doc = "Kubernetes versions of the Machines, oldest first."}),
    member<&MachineDeploymentStatus::phase>(
        "phase", {.one_of = "ScalingUp|ScalingDown|Running|Failed|Unknown",
                  .doc = "What is going on, in one word for people. Programs should read the conditions."}),
    member<&MachineDeploymentStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct MachineDeployment {
  ObjectMeta metadata = {};
  MachineDeploymentSpec spec = {};
  MachineDeploymentStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDeployment&) const = default;
};
inline constexpr std::array kMachineDeploymentColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "Available",
           .json_path = ".status.conditions[?(@.type==\"Available\")].status",
           .description = "Whether enough Machines are available"},
    Column{.name = "Desired",
           .json_path = ".spec.replicas",
           .type = "integer",
           .description = "Machines wanted"},
    Column{.name = "Current",
           .json_path = ".status.replicas",
           .type = "integer",
           .description = "Machines there are"},
    Column{.name = "Ready",
           .json_path = ".status.readyReplicas",
           .type = "integer",
           .description = "Machines that work"},
    Column{.name = "Available",
           .json_path = ".status.availableReplicas",
           .type = "integer",
           .description = "Machines that have worked for minReadySeconds"},
    Column{.name = "Up-to-date",
           .json_path = ".status.upToDateReplicas",
           .type = "integer",
           .description = "Machines that are as this deployment wants them"},
    Column{.name = "Paused",
           .json_path = ".status.conditions[?(@.type==\"Paused\")].status",
           .priority = 10,
           .description = "Whether controllers leave it alone"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "What is going on"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.template.spec.version",
           .description = "Kubernetes version wanted"},
};
template <>
inline constexpr ResourceInfo resource<MachineDeployment> = {
    .group = group::kCluster,
    .version = "v1beta2",
    .kind = kind::kMachineDeployment,
    .plural = "machinedeployments",
    .short_names = "md",
    .categories = kCategory,
    .columns = kMachineDeploymentColumns,
    .status_subresource = true,
    .scale = {.spec_replicas_path = ".spec.replicas",
              .status_replicas_path = ".status.replicas",
              .label_selector_path = ".status.selector"},
    .labels = kContractLabels,
    .doc = "A number of equal Machines, exchanged step by step when their template changes."};
template <>
inline constexpr auto members<MachineDeployment> = std::array{
    member<&MachineDeployment::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&MachineDeployment::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&MachineDeployment::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
