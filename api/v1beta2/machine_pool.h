// MachinePool: Machines whose number the infrastructure keeps by itself (an autoscaling group). A plain
// value.
#pragma once

#include "api/core/object_reference.h"
#include "api/v1beta2/machine.h"

namespace capstan::api {

struct MachinePoolSpec {
  Text cluster_name = {};
  std::optional<std::int32_t> replicas = {};
  MachineTemplate machine_template = {};
  List<Text> provider_id_list = {};
  List<Text> failure_domains = {};
  UnknownFields unknown = {};
  bool operator==(const MachinePoolSpec&) const = default;
};
template <>
inline constexpr auto members<MachinePoolSpec> = std::array{
    member<&MachinePoolSpec::cluster_name>(
        "clusterName", {.min_length = 1, .max_length = 63, .required = true, .doc = field_doc::kClusterName}),
    member<&MachinePoolSpec::replicas>(
        "replicas",
        {.doc = "How many instances are wanted. When left out: within the limits of the autoscaler "
                "annotations where both are given, 1 otherwise."}),
    member<&MachinePoolSpec::machine_template>(
        "template", {.required = true,
                     .doc = "What the instances look like. Its references name objects, not templates."}),
    member<&MachinePoolSpec::provider_id_list>(
        "providerIDList",
        {.max_items = 10000,
         .items = {.min_length = 1, .max_length = 512},
         .list = ListType::Atomic,
         .doc = "The cloud's names for the instances, copied from the infrastructure object."}),
    member<&MachinePoolSpec::failure_domains>("failureDomains",
                                              {.max_items = 100,
                                               .items = {.min_length = 1, .max_length = 256},
                                               .list = ListType::Atomic,
                                               .doc = "Failure domains the instances may be spread over."}),
};

// status.deprecated.v1beta1 of a MachinePool. Zero counters are left out.
struct V1Beta1MachinePoolStatus {
  V1Beta1Conditions conditions = {};
  Text failure_reason = {};
  FreeText failure_message = {};
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t unavailable_replicas = 0;
  UnknownFields unknown = {};
  bool operator==(const V1Beta1MachinePoolStatus&) const = default;
};
template <>
inline constexpr auto members<V1Beta1MachinePoolStatus> = std::array{
    member<&V1Beta1MachinePoolStatus::conditions>("conditions", {.doc = field_doc::kV1Beta1Conditions}),
    member<&V1Beta1MachinePoolStatus::failure_reason>("failureReason", {.doc = field_doc::kFailureReason}),
    member<&V1Beta1MachinePoolStatus::failure_message>(
        "failureMessage", {.min_length = 1, .max_length = 10240, .doc = field_doc::kFailureMessage}),
    member<&V1Beta1MachinePoolStatus::ready_replicas>("readyReplicas",
                                                      {.doc = "Instances whose Node is ready."}),
    member<&V1Beta1MachinePoolStatus::available_replicas>(
        "availableReplicas", {.doc = "Instances whose Node has been ready for minReadySeconds."}),
    member<&V1Beta1MachinePoolStatus::unavailable_replicas>(
        "unavailableReplicas", {.doc = "Instances missing until everything wanted is available."}),
};

namespace machine_pool_phase {
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kProvisioning = "Provisioning";
inline constexpr std::string_view kProvisioned = "Provisioned";
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kScalingUp = "ScalingUp";
inline constexpr std::string_view kScalingDown = "ScalingDown";
inline constexpr std::string_view kScaling = "Scaling";  // another controller decides the size
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kUnknown = "Unknown";
}  // namespace machine_pool_phase

struct MachinePoolStatus {
  Conditions conditions = {};
  MachineInitialization initialization = {};
  List<ObjectReference> node_refs = {};
  std::optional<std::int32_t> replicas = {};
  std::optional<std::int32_t> ready_replicas = {};
  std::optional<std::int32_t> available_replicas = {};
  std::optional<std::int32_t> up_to_date_replicas = {};
  List<VersionCount> versions = {};
  Text phase = {};
  std::int64_t observed_generation = 0;
  Boxed<Deprecated<V1Beta1MachinePoolStatus>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const MachinePoolStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachinePoolStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<MachinePoolStatus> = std::array{
    member<&MachinePoolStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&MachinePoolStatus::initialization>(
        "initialization",
        {.doc = "What the providers last reported about provisioning. May fall back to false."}),
    member<&MachinePoolStatus::node_refs>("nodeRefs",
                                          {.max_items = 10000,
                                           .list = ListType::Atomic,
                                           .doc = "Nodes of the instances, in the order of providerIDList."}),
    member<&MachinePoolStatus::replicas>("replicas",
                                         {.doc = "Instances there are, as the infrastructure reports them."}),
    member<&MachinePoolStatus::ready_replicas>("readyReplicas", {.doc = "Instances that work."}),
    member<&MachinePoolStatus::available_replicas>(
        "availableReplicas", {.doc = "Instances that have worked for minReadySeconds."}),
    member<&MachinePoolStatus::up_to_date_replicas>("upToDateReplicas",
                                                    {.doc = "Instances that are as this pool wants them."}),
    member<&MachinePoolStatus::versions>("versions",
                                         {.min_items = 1,
                                          .max_items = 100,
                                          .list_keys = "version",
                                          .doc = "Kubernetes versions of the instances, oldest first."}),
    member<&MachinePoolStatus::phase>(
        "phase",
        {.one_of =
             "Pending|Provisioning|Provisioned|Running|ScalingUp|ScalingDown|Scaling|Deleting|Failed|Unknown",
         .doc = "What is going on, in one word for people. Programs should read the conditions."}),
    member<&MachinePoolStatus::observed_generation>("observedGeneration",
                                                    {.minimum = 1, .doc = field_doc::kObservedGeneration}),
    member<&MachinePoolStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct MachinePool {
  ObjectMeta metadata = {};
  MachinePoolSpec spec = {};
  MachinePoolStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const MachinePool&) const = default;
};
inline constexpr std::array kMachinePoolColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "Desired",
           .json_path = ".spec.replicas",
           .type = "integer",
           .description = "Instances wanted"},
    Column{.name = "Current",
           .json_path = ".status.replicas",
           .type = "integer",
           .description = "Instances there are"},
    Column{.name = "Ready",
           .json_path = ".status.readyReplicas",
           .type = "integer",
           .description = "Instances that work"},
    Column{.name = "Available",
           .json_path = ".status.availableReplicas",
           .type = "integer",
           .description = "Instances that have worked for minReadySeconds"},
    Column{.name = "Up-to-date",
           .json_path = ".status.upToDateReplicas",
           .type = "integer",
           .description = "Instances that are as this pool wants them"},
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
inline constexpr ResourceInfo resource<MachinePool> = {
    .group = group::kCluster,
    .version = "v1beta2",
    .kind = kind::kMachinePool,
    .plural = "machinepools",
    .short_names = "mp",
    .categories = kCategory,
    .columns = kMachinePoolColumns,
    .status_subresource = true,
    .scale = {.spec_replicas_path = ".spec.replicas", .status_replicas_path = ".status.replicas"},
    .labels = kContractLabels,
    .doc = "Machines whose number the infrastructure keeps by itself."};
template <>
inline constexpr auto members<MachinePool> = std::array{
    member<&MachinePool::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&MachinePool::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&MachinePool::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
