// Cluster: what the Machines of one workload cluster have in common, and the two provider objects behind it.
// Read by every controller, written by its own. A plain value; spec.topology belongs to another controller
// and is only carried along.
#pragma once

#include "api/v1beta2/common.h"

namespace capstan::api {

struct NetworkRanges {
  List<Text> cidr_blocks = {};
  UnknownFields unknown = {};
  bool operator==(const NetworkRanges&) const = default;
};
template <>
inline constexpr auto members<NetworkRanges> = std::array{
    member<&NetworkRanges::cidr_blocks>("cidrBlocks", {.min_items = 1,
                                                       .max_items = 100,
                                                       .items = {.min_length = 1, .max_length = 43},
                                                       .list = ListType::Atomic,
                                                       .required = true,
                                                       .doc = "Address ranges in CIDR notation."}),
};

struct ClusterNetwork {
  std::optional<std::int32_t> api_server_port = {};
  std::optional<NetworkRanges> services = {};
  std::optional<NetworkRanges> pods = {};
  Text service_domain = {};
  UnknownFields unknown = {};
  bool operator==(const ClusterNetwork&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<ClusterNetwork> = {.min_properties = 1};
template <>
inline constexpr auto members<ClusterNetwork> = std::array{
    member<&ClusterNetwork::api_server_port>(
        "apiServerPort", {.minimum = 1,
                          .maximum = 65535,
                          .doc = "Port the API server listens on; providers take 6443 when left out."}),
    member<&ClusterNetwork::services>("services", {.doc = "Addresses Services get."}),
    member<&ClusterNetwork::pods>("pods", {.doc = "Addresses Pods get."}),
    member<&ClusterNetwork::service_domain>(
        "serviceDomain",
        {.min_length = 1, .max_length = 253, .doc = "Domain the names of Services end with."}),
};

struct ApiEndpoint {
  Text host = {};
  std::optional<std::int32_t> port = {};
  UnknownFields unknown = {};
  // Usable, that is: both halves are there.
  bool valid() const { return !host.empty() && port.value_or(0) != 0; }
  bool operator==(const ApiEndpoint&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<ApiEndpoint> = {.min_properties = 1};
template <>
inline constexpr auto members<ApiEndpoint> = std::array{
    member<&ApiEndpoint::host>("host", {.min_length = 1, .max_length = 512, .doc = "Host name or address."}),
    member<&ApiEndpoint::port>("port", {.minimum = 1, .maximum = 65535, .doc = "Port."}),
};

struct ClusterSpec {
  std::optional<bool> paused = {};
  ClusterNetwork cluster_network = {};
  ApiEndpoint control_plane_endpoint = {};
  std::optional<ContractRef> control_plane_ref = {};
  std::optional<ContractRef> infrastructure_ref = {};
  RawJson topology = {};  // another controller's; never looked into
  List<ConditionGate> availability_gates = {};
  UnknownFields unknown = {};
  bool operator==(const ClusterSpec&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<ClusterSpec> = {.min_properties = 1};
template <>
inline constexpr auto members<ClusterSpec> = std::array{
    member<&ClusterSpec::paused>(
        "paused", {.doc = "Makes every controller leave the Cluster and all that belongs to it "
                          "alone, deletions included."}),
    member<&ClusterSpec::cluster_network>("clusterNetwork",
                                          {.doc = "Addresses and names inside the cluster."}),
    member<&ClusterSpec::control_plane_endpoint>(
        "controlPlaneEndpoint",
        {.doc = "Where the API server is reached. Filled in by whichever provider knows it, once."}),
    member<&ClusterSpec::control_plane_ref>(
        "controlPlaneRef",
        {.doc = "The control plane provider's object. Leave it out to run control plane Machines by hand."}),
    member<&ClusterSpec::infrastructure_ref>(
        "infrastructureRef", {.doc = "The infrastructure provider's object for what the Machines share."}),
    member<&ClusterSpec::topology>(
        "topology", {.preserve_unknown = true,
                     .doc = "Cluster described by a ClusterClass. Carried along untouched; the "
                            "topology controller's matter."}),
    member<&ClusterSpec::availability_gates>(
        "availabilityGates",
        {.min_items = 1,
         .max_items = 32,
         .list_keys = "conditionType",
         .doc = "Further conditions of this Cluster that Available depends on; another controller "
                "sets them."}),
};

struct ClusterInitialization {
  std::optional<bool> infrastructure_provisioned = {};  // once true they stay true
  std::optional<bool> control_plane_initialized = {};
  UnknownFields unknown = {};
  bool operator==(const ClusterInitialization&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<ClusterInitialization> = {.min_properties = 1};
template <>
inline constexpr auto members<ClusterInitialization> = std::array{
    member<&ClusterInitialization::infrastructure_provisioned>(
        "infrastructureProvisioned",
        {.doc = "True from the moment the infrastructure provider has reported its object as provisioned."}),
    member<&ClusterInitialization::control_plane_initialized>(
        "controlPlaneInitialized", {.doc = "True from the moment the control plane provider has reported an "
                                           "API server that takes requests."}),
};

struct UpgradeStep {
  Text version = {};
  UnknownFields unknown = {};
  bool operator==(const UpgradeStep&) const = default;
};
template <>
inline constexpr auto members<UpgradeStep> = std::array{
    member<&UpgradeStep::version>(
        "version",
        {.min_length = 1, .max_length = 256, .required = true, .doc = "Kubernetes version of this step."}),
};

// Counts over one half of the cluster: its control plane or its workers.
struct ReplicaCounts {
  std::optional<std::int32_t> desired_replicas = {};
  std::optional<std::int32_t> replicas = {};
  std::optional<std::int32_t> up_to_date_replicas = {};
  std::optional<std::int32_t> ready_replicas = {};
  std::optional<std::int32_t> available_replicas = {};
  List<VersionCount> versions = {};
  List<UpgradeStep> upgrade_plan = {};
  UnknownFields unknown = {};
  bool operator==(const ReplicaCounts&) const = default;
};
template <>
inline constexpr auto members<ReplicaCounts> = std::array{
    member<&ReplicaCounts::desired_replicas>("desiredReplicas", {.doc = "Machines wanted."}),
    member<&ReplicaCounts::replicas>("replicas",
                                     {.doc = "Machines there are, those being deleted included."}),
    member<&ReplicaCounts::up_to_date_replicas>("upToDateReplicas",
                                                {.doc = "Machines that are as their owner wants them."}),
    member<&ReplicaCounts::ready_replicas>("readyReplicas", {.doc = "Machines that work."}),
    member<&ReplicaCounts::available_replicas>("availableReplicas",
                                               {.doc = "Machines that have worked for minReadySeconds."}),
    member<&ReplicaCounts::versions>("versions",
                                     {.min_items = 1,
                                      .max_items = 32,
                                      .list = ListType::Atomic,
                                      .doc = "Kubernetes versions of the Machines, oldest first."}),
    member<&ReplicaCounts::upgrade_plan>("upgradePlan",
                                         {.min_items = 1,
                                          .max_items = 32,
                                          .list = ListType::Atomic,
                                          .doc = "Versions an upgrade still has to go through, next one "
                                                 "first. Written by the topology controller."}),
};

struct FailureDomain {
  Text name = {};
  std::optional<bool> control_plane = {};
  TextMap attributes = {};
  UnknownFields unknown = {};
  bool operator==(const FailureDomain&) const = default;
};
template <>
inline constexpr auto members<FailureDomain> = std::array{
    member<&FailureDomain::name>(
        "name", {.min_length = 1, .max_length = 256, .required = true, .doc = "Name of the failure domain."}),
    member<&FailureDomain::control_plane>("controlPlane",
                                          {.doc = "Whether control plane Machines may be placed here."}),
    member<&FailureDomain::attributes>("attributes",
                                       {.doc = "What else the infrastructure provider says about it."}),
};

namespace cluster_phase {
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kProvisioning = "Provisioning";
inline constexpr std::string_view kProvisioned = "Provisioned";
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kUnknown = "Unknown";
}  // namespace cluster_phase

struct ClusterStatus {
  Conditions conditions = {};
  ClusterInitialization initialization = {};
  std::optional<ReplicaCounts> control_plane = {};
  std::optional<ReplicaCounts> workers = {};
  List<FailureDomain> failure_domains = {};
  Text phase = {};
  std::int64_t observed_generation = 0;
  Boxed<Deprecated<V1Beta1Status>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const ClusterStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<ClusterStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<ClusterStatus> = std::array{
    member<&ClusterStatus::conditions>("conditions",
                                       {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&ClusterStatus::initialization>(
        "initialization", {.doc = "Progress of the first provisioning. What became true here stays true."}),
    member<&ClusterStatus::control_plane>("controlPlane", {.doc = "Counts over the control plane Machines."}),
    member<&ClusterStatus::workers>("workers", {.doc = "Counts over all other Machines."}),
    member<&ClusterStatus::failure_domains>(
        "failureDomains", {.min_items = 1,
                           .max_items = 100,
                           .list_keys = "name",
                           .doc = "Failure domains the infrastructure provider offers, sorted by name."}),
    member<&ClusterStatus::phase>(
        "phase", {.one_of = "Pending|Provisioning|Provisioned|Deleting|Failed|Unknown",
                  .doc = "How far along the Cluster is, in one word for people. Programs should read the "
                         "conditions."}),
    member<&ClusterStatus::observed_generation>("observedGeneration",
                                                {.minimum = 1, .doc = field_doc::kObservedGeneration}),
    member<&ClusterStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct Cluster {
  ObjectMeta metadata = {};
  ClusterSpec spec = {};
  ClusterStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const Cluster&) const = default;
};
inline constexpr std::array kClusterColumns = {
    Column{.name = "ClusterClass",
           .json_path = ".spec.topology.classRef.name",
           .description = "ClusterClass, where used"},
    Column{.name = "Available",
           .json_path = ".status.conditions[?(@.type==\"Available\")].status",
           .description = "Whether the cluster can be used"},
    Column{.name = "CP Desired",
           .json_path = ".status.controlPlane.desiredReplicas",
           .type = "integer",
           .description = "Control plane Machines wanted"},
    Column{.name = "CP Current",
           .json_path = ".status.controlPlane.replicas",
           .type = "integer",
           .priority = 10,
           .description = "Control plane Machines there are"},
    Column{.name = "CP Ready",
           .json_path = ".status.controlPlane.readyReplicas",
           .type = "integer",
           .priority = 10,
           .description = "Control plane Machines that work"},
    Column{.name = "CP Available",
           .json_path = ".status.controlPlane.availableReplicas",
           .type = "integer",
           .description = "Control plane Machines that have worked for minReadySeconds"},
    Column{.name = "CP Up-to-date",
           .json_path = ".status.controlPlane.upToDateReplicas",
           .type = "integer",
           .description = "Control plane Machines that are as wanted"},
    Column{.name = "W Desired",
           .json_path = ".status.workers.desiredReplicas",
           .type = "integer",
           .description = "Worker Machines wanted"},
    Column{.name = "W Current",
           .json_path = ".status.workers.replicas",
           .type = "integer",
           .priority = 10,
           .description = "Worker Machines there are"},
    Column{.name = "W Ready",
           .json_path = ".status.workers.readyReplicas",
           .type = "integer",
           .priority = 10,
           .description = "Worker Machines that work"},
    Column{.name = "W Available",
           .json_path = ".status.workers.availableReplicas",
           .type = "integer",
           .description = "Worker Machines that have worked for minReadySeconds"},
    Column{.name = "W Up-to-date",
           .json_path = ".status.workers.upToDateReplicas",
           .type = "integer",
           .description = "Worker Machines that are as wanted"},
    Column{.name = "Paused",
           .json_path = ".status.conditions[?(@.type==\"Paused\")].status",
           .priority = 10,
           .description = "Whether controllers leave it alone"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "How far along it is"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.topology.version",
           .description = "Kubernetes version wanted, where a ClusterClass is used"},
};
template <>
inline constexpr ResourceInfo resource<Cluster> = {
    .group = group::kCluster,
    .version = "v1beta2",
    .kind = kind::kCluster,
    .plural = "clusters",
    .short_names = "cl",
    .categories = kCategory,
    .columns = kClusterColumns,
    .status_subresource = true,
    .labels = kContractLabels,
    .doc = "A workload cluster: what its Machines have in common."};
template <>
inline constexpr auto members<Cluster> = std::array{
    member<&Cluster::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&Cluster::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&Cluster::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
