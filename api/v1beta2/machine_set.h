// MachineSet: keeps a number of equal Machines. Written by its own controller and by MachineDeployments. A
// plain value.
#pragma once

#include "api/meta/label_selector.h"
#include "api/v1beta2/machine.h"

namespace capstan::api {

namespace deletion_order {
inline constexpr std::string_view kRandom = "Random";  // in fact who is not available, then by name
inline constexpr std::string_view kNewest = "Newest";
inline constexpr std::string_view kOldest = "Oldest";
}  // namespace deletion_order

// How names of new Machines are made.
struct MachineNaming {
  Text name_template = {};
  UnknownFields unknown = {};
  bool operator==(const MachineNaming&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineNaming> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineNaming> = std::array{
    member<&MachineNaming::name_template>("template",
                                          {.min_length = 1,
                                           .max_length = 256,
                                           .doc = "Pattern for names of new Machines and of the "
                                                  "infrastructure and bootstrap objects that come with them. "
                                                  "It knows {{ .cluster.name }}, {{ .machineSet.name }} and "
                                                  "{{ .random }}; the last one must appear. "
                                                  "Results beyond 63 characters are cut. \"{{ "
                                                  ".machineSet.name }}-{{ .random }}\" when left out."}),
};

struct MachineSetDeletion {
  Text order = {};
  UnknownFields unknown = {};
  bool operator==(const MachineSetDeletion&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineSetDeletion> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineSetDeletion> = std::array{
    member<&MachineSetDeletion::order>(
        "order",
        {.one_of = "Random|Newest|Oldest",
         .doc =
             "Which Machines go first when there are too many. Machines being deleted, marked for deletion "
             "or unhealthy come before all others. Random when left out."}),
};

struct MachineSetSpec {
  Text cluster_name = {};
  std::optional<std::int32_t> replicas = {};
  LabelSelector selector = {};
  MachineTemplate machine_template = {};
  MachineNaming machine_naming = {};
  MachineSetDeletion deletion = {};
  UnknownFields unknown = {};
  bool operator==(const MachineSetSpec&) const = default;
};
template <>
inline constexpr auto members<MachineSetSpec> = std::array{
    member<&MachineSetSpec::cluster_name>(
        "clusterName", {.min_length = 1, .max_length = 63, .required = true, .doc = field_doc::kClusterName}),
    member<&MachineSetSpec::replicas>(
        "replicas",
        {.doc =
             "How many Machines are wanted. When left out: within the limits of the autoscaler annotations "
             "where both are given, 1 otherwise."}),
    member<&MachineSetSpec::selector>(
        "selector",
        {.required = true,
         .doc = "Which Machines count as this set's own. Has to match the labels of the template."}),
    member<&MachineSetSpec::machine_template>("template",
                                              {.required = true, .doc = "What new Machines look like."}),
    member<&MachineSetSpec::machine_naming>("machineNaming", {.doc = "How new Machines are named."}),
    member<&MachineSetSpec::deletion>("deletion", {.doc = "How Machines are chosen for deletion."}),
};

// status.deprecated.v1beta1 of a MachineSet. The counters are written even when zero.
struct V1Beta1MachineSetStatus {
  V1Beta1Conditions conditions = {};
  Text failure_reason = {};
  FreeText failure_message = {};
  std::int32_t fully_labeled_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  UnknownFields unknown = {};
  bool operator==(const V1Beta1MachineSetStatus&) const = default;
};
template <>
inline constexpr auto members<V1Beta1MachineSetStatus> = std::array{
    member<&V1Beta1MachineSetStatus::conditions>("conditions", {.doc = field_doc::kV1Beta1Conditions}),
    member<&V1Beta1MachineSetStatus::failure_reason>("failureReason", {.doc = field_doc::kFailureReason}),
    member<&V1Beta1MachineSetStatus::failure_message>(
        "failureMessage", {.min_length = 1, .max_length = 10240, .doc = field_doc::kFailureMessage}),
    member<&V1Beta1MachineSetStatus::fully_labeled_replicas>(
        "fullyLabeledReplicas",
        {.keep_empty = true, .doc = "Machines that carry every label of the template."}),
    member<&V1Beta1MachineSetStatus::ready_replicas>(
        "readyReplicas", {.keep_empty = true, .doc = "Machines whose Node is ready."}),
    member<&V1Beta1MachineSetStatus::available_replicas>(
        "availableReplicas",
        {.keep_empty = true, .doc = "Machines whose Node has been ready for minReadySeconds."}),
};

struct MachineSetStatus {
  Conditions conditions = {};
  Text selector = {};
  std::optional<std::int32_t> replicas = {};
  std::optional<std::int32_t> ready_replicas = {};
  std::optional<std::int32_t> available_replicas = {};
  std::optional<std::int32_t> up_to_date_replicas = {};
  List<VersionCount> versions = {};
  std::int64_t observed_generation = 0;
  Boxed<Deprecated<V1Beta1MachineSetStatus>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const MachineSetStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineSetStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineSetStatus> = std::array{
    member<&MachineSetStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&MachineSetStatus::selector>(
        "selector", {.min_length = 1,
                     .max_length = 4096,
                     .doc = "The selector as a string, for the scale subresource: autoscalers read it."}),
    member<&MachineSetStatus::replicas>("replicas",
                                        {.doc = "Machines there are, those being deleted included."}),
    member<&MachineSetStatus::ready_replicas>("readyReplicas",
                                              {.doc = "Machines whose condition Ready is True."}),
    member<&MachineSetStatus::available_replicas>("availableReplicas",
                                                  {.doc = "Machines whose condition Available is True."}),
    member<&MachineSetStatus::up_to_date_replicas>("upToDateReplicas",
                                                   {.doc = "Machines whose condition UpToDate is True."}),
    member<&MachineSetStatus::versions>("versions",
                                        {.min_items = 1,
                                         .max_items = 100,
                                         .list_keys = "version",
                                         .doc = "Kubernetes versions of the Machines, oldest first."}),
    member<&MachineSetStatus::observed_generation>("observedGeneration",
                                                   {.minimum = 1, .doc = field_doc::kObservedGeneration}),
    member<&MachineSetStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct MachineSet {
  ObjectMeta metadata = {};
  MachineSetSpec spec = {};
  MachineSetStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const MachineSet&) const = default;
};
inline constexpr std::array kMachineSetColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
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
           .description = "Machines that are as their owner wants them"},
    Column{.name = "Paused",
           .json_path = ".status.conditions[?(@.type==\"Paused\")].status",
           .priority = 10,
           .description = "Whether controllers leave it alone"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.template.spec.version",
           .description = "Kubernetes version wanted"},
};
template <>
inline constexpr ResourceInfo resource<MachineSet> = {.group = group::kCluster,
                                                      .version = "v1beta2",
                                                      .kind = kind::kMachineSet,
                                                      .plural = "machinesets",
                                                      .short_names = "ms",
                                                      .categories = kCategory,
                                                      .columns = kMachineSetColumns,
                                                      .status_subresource = true,
                                                      .scale = {.spec_replicas_path = ".spec.replicas",
                                                                .status_replicas_path = ".status.replicas",
                                                                .label_selector_path = ".status.selector"},
                                                      .labels = kContractLabels,
                                                      .doc = "A number of equal Machines."};
template <>
inline constexpr auto members<MachineSet> = std::array{
    member<&MachineSet::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&MachineSet::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&MachineSet::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
