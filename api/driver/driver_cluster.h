// DriverCluster: what the VMs of one workload cluster share in the cloud behind a driver: the endpoint of its
// control plane and the failure domains. Read and written by infrastructure/controller; a plain value.
#pragma once

#include "api/driver/names.h"
#include "api/v1beta2/cluster.h"

namespace capstan::api {

// A Secret in the namespace of the object that names it.
struct CredentialsRef {
  Text name = {};
  UnknownFields unknown = {};
  bool operator==(const CredentialsRef&) const = default;
};
template <>
inline constexpr auto members<CredentialsRef> = std::array{
    member<&CredentialsRef::name>("name", {.min_length = 1,
                                           .max_length = 253,
                                           .pattern = pattern::kDns1123Subdomain,
                                           .required = true,
                                           .doc = "Name of the Secret, in the same namespace."}),
};

// Whose VMs an object's are: written before the first one is asked for.
inline constexpr Rules kAccountRules = {
    .min_length = 1,
    .max_length = 512,
    .doc =
        "Account of the cloud that the VMs are in, as the driver calls it, and its region; filled in by the "
        "provider. With credentials of another account a VM that is not found does not count as gone."};
inline constexpr CelRule kAccountRule = {
    .rule = "!has(oldSelf.account) || (has(self.account) && self.account == oldSelf.account)",
    .message = "account is where the VMs are and can't be changed"};

struct DriverClusterSpec {
  ApiEndpoint control_plane_endpoint = {};
  Text cluster_key = {};
  List<FailureDomain> failure_domains = {};
  std::optional<CredentialsRef> credentials_ref = {};
  RawJson provider_spec = {};
  UnknownFields unknown = {};
  bool operator==(const DriverClusterSpec&) const = default;
};
inline constexpr std::array kDriverClusterSpecRules = {
    CelRule{.rule = "!has(oldSelf.clusterKey) || (has(self.clusterKey) && self.clusterKey == "
                    "oldSelf.clusterKey)",
            .message = "clusterKey is what the VMs of the cluster carry and can't be changed"},
};
template <>
inline constexpr auto members<DriverClusterSpec> = std::array{
    member<&DriverClusterSpec::control_plane_endpoint>(
        "controlPlaneEndpoint",
        {.doc = "Where the API server of the workload cluster is reached. Filled in by the provider; give it "
                "yourself when you run the control plane by other means."}),
    member<&DriverClusterSpec::cluster_key>(
        "clusterKey",
        {.min_length = 1,
         .max_length = 63,
         .pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
         .doc = "Identity of the cluster in the cloud, minted by the provider and carried by each of its VMs "
                "as a tag. It moves with this object, and tells clusters of the same name apart."}),
    member<&DriverClusterSpec::failure_domains>(
        "failureDomains", {.min_items = 1,
                           .max_items = 100,
                           .list_keys = "name",
                           .doc = "Failure domains that Machines may be placed in; handed on to the "
                                  "Cluster."}),
    member<&DriverClusterSpec::credentials_ref>(
        "credentialsRef", {.doc = "Secret with what the driver needs to speak to the cloud."}),
    member<&DriverClusterSpec::provider_spec>(
        "providerSpec", {.preserve_unknown = true, .doc = "For the driver; nobody else looks into it."}),
};

struct DriverInitialization {
  std::optional<bool> provisioned = {};  // once true it stays true
  UnknownFields unknown = {};
  bool operator==(const DriverInitialization&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DriverInitialization> = {.min_properties = 1};
template <>
inline constexpr auto members<DriverInitialization> = std::array{
    member<&DriverInitialization::provisioned>(
        "provisioned", {.doc = "True from the moment everything this object stands for was there once."}),
};

// A VM that carries the key of the cluster and is no object's.
struct OrphanVm {
  Text provider_id = {};
  Text name = {};
  Text account = {};
  Time since = {};
  Text why = {};
  UnknownFields unknown = {};
  bool operator==(const OrphanVm&) const = default;
};
template <>
inline constexpr auto members<OrphanVm> = std::array{
    member<&OrphanVm::provider_id>(
        "providerID",
        {.min_length = 1, .max_length = 512, .required = true, .doc = "The cloud's name for the VM."}),
    member<&OrphanVm::name>("name", {.min_length = 1, .max_length = 253, .doc = "Name of the VM."}),
    member<&OrphanVm::account>("account",
                               {.min_length = 1, .max_length = 512, .doc = "Account whose list showed it."}),
    member<&OrphanVm::since>("since", {.doc = "When it was first found without an object."}),
    member<&OrphanVm::why>(
        "why", {.min_length = 1, .max_length = 1024, .doc = "What it lacks, and why it is still there."}),
};

struct DriverClusterStatus {
  DriverInitialization initialization = {};
  Conditions conditions = {};
  List<FailureDomain> failure_domains = {};
  List<OrphanVm> orphans = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const DriverClusterStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DriverClusterStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<DriverClusterStatus> = std::array{
    member<&DriverClusterStatus::initialization>(
        "initialization", {.doc = "Progress of the first provisioning. What became true here stays true."}),
    member<&DriverClusterStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&DriverClusterStatus::failure_domains>(
        "failureDomains", {.min_items = 1,
                           .max_items = 100,
                           .list_keys = "name",
                           .doc = "Failure domains the Cluster may use, sorted by name."}),
    member<&DriverClusterStatus::orphans>(
        "orphans",
        {.min_items = 1,
         .max_items = 50,
         .list_keys = "providerID",
         .doc = "VMs that carry the key of this cluster and have no object any more: the first 50, "
                "by the time they were found."}),
    member<&DriverClusterStatus::observed_generation>("observedGeneration",
                                                      {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct DriverCluster {
  ObjectMeta metadata = {};
  DriverClusterSpec spec = {};
  DriverClusterStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const DriverCluster&) const = default;
};
inline constexpr std::array kDriverClusterColumns = {
    Column{.name = "Cluster",
           .json_path = ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
           .description = "Cluster"},
    Column{.name = "Endpoint",
           .json_path = ".spec.controlPlaneEndpoint.host",
           .description = "Host of the API server"},
    Column{.name = "Port",
           .json_path = ".spec.controlPlaneEndpoint.port",
           .type = "integer",
           .description = "Port of the API server"},
    Column{.name = "Ready",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].status",
           .description = "Whether it can be used"},
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
inline constexpr ResourceInfo resource<DriverCluster> = {
    .group = group::kInfrastructure,
    .version = driver::kVersion,
    .kind = driver::kind::kDriverCluster,
    .plural = "driverclusters",
    .categories = kCategory,
    .columns = kDriverClusterColumns,
    .status_subresource = true,
    .labels = driver::kContractLabels,
    .doc = "What the VMs of one workload cluster share in the cloud."};
template <>
inline constexpr auto members<DriverCluster> = std::array{
    member<&DriverCluster::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&DriverCluster::spec>("spec", {.cel = kDriverClusterSpecRules, .doc = field_doc::kSpec}),
    member<&DriverCluster::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
