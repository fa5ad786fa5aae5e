// Machine: one Node-to-be, the infrastructure under it and the bootstrap data that turns one into the other.
// Read and written by every controller; a plain value, shared as an immutable snapshot.
#pragma once

#include "api/core/node_info.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

struct MachineBootstrap {
  std::optional<ContractRef> config_ref = {};
  std::optional<Text> data_secret_name = {};  // "" is a value: Machines of a MachinePool have it
  UnknownFields unknown = {};
  bool operator==(const MachineBootstrap&) const = default;
};
template <>
inline constexpr auto members<MachineBootstrap> = std::array{
    member<&MachineBootstrap::config_ref>(
        "configRef",
        {.doc = "The bootstrap provider's object that produces the bootstrap data. In a template it "
                "names the template to make such objects from."}),
    member<&MachineBootstrap::data_secret_name>(
        "dataSecretName",
        {.min_length = 0,
         .max_length = 253,
         .doc = "Name of the Secret with the bootstrap data. Filled in from the bootstrap object; "
                "give it yourself to do without a bootstrap provider."}),
};

// How patient the deletion of a Machine is. Absent and 0 both mean "for as long as it takes".
struct MachineDeletion {
  std::optional<std::int32_t> node_drain_timeout_seconds = {};
  std::optional<std::int32_t> node_volume_detach_timeout_seconds = {};
  std::optional<std::int32_t> node_deletion_timeout_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDeletion&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineDeletion> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineDeletion> = std::array{
    member<&MachineDeletion::node_drain_timeout_seconds>(
        "nodeDrainTimeoutSeconds",
        {.minimum = 0,
         .doc = "How long to go on draining the Node before deletion moves on. 0 waits forever."}),
    member<&MachineDeletion::node_volume_detach_timeout_seconds>(
        "nodeVolumeDetachTimeoutSeconds",
        {.minimum = 0, .doc = "How long to wait for volumes to be detached from the Node. 0 waits forever."}),
    member<&MachineDeletion::node_deletion_timeout_seconds>(
        "nodeDeletionTimeoutSeconds", {.minimum = 0,
                                       .doc = "How long after the start of the deletion to keep trying to "
                                              "delete the Node object. 0 tries forever; "
                                              "10 when left out."}),
};

namespace taint_propagation {
inline constexpr std::string_view kAlways = "Always";
inline constexpr std::string_view kOnInitialization = "OnInitialization";
}  // namespace taint_propagation

struct MachineTaint {
  Text key = {};
  Text value = {};
  Text effect = {};
  Text propagation = {};
  UnknownFields unknown = {};
  bool operator==(const MachineTaint&) const = default;
};
template <>
inline constexpr auto members<MachineTaint> = std::array{
    member<&MachineTaint::key>("key", {.min_length = 1,
                                       .max_length = 317,
                                       .pattern = pattern::kTaintKey,
                                       .required = true,
                                       .doc = "Key of the taint."}),
    member<&MachineTaint::value>(
        "value",
        {.min_length = 1, .max_length = 63, .pattern = pattern::kLabelValue, .doc = "Value of the taint."}),
    member<&MachineTaint::effect>("effect", {.one_of = "NoSchedule|PreferNoSchedule|NoExecute",
                                             .required = true,
                                             .doc = "What the taint does to Pods that don't tolerate it."}),
    member<&MachineTaint::propagation>(
        "propagation",
        {.one_of = "Always|OnInitialization",
         .required = true,
         .doc = "Always keeps the taint on the Node whatever others do; OnInitialization sets it once, "
                "when the Node is first seen."}),
};

struct MachineSpec {
  Text cluster_name = {};
  MachineBootstrap bootstrap = {};
  ContractRef infrastructure_ref = {};
  Text version = {};
  Text provider_id = {};
  Text failure_domain = {};
  std::optional<std::int32_t> min_ready_seconds = {};
  List<ConditionGate> readiness_gates = {};
  MachineDeletion deletion = {};
  List<MachineTaint> taints = {};
  UnknownFields unknown = {};
  bool operator==(const MachineSpec&) const = default;
};
template <>
inline constexpr auto members<MachineSpec> = std::array{
    member<&MachineSpec::cluster_name>(
        "clusterName", {.min_length = 1, .max_length = 63, .required = true, .doc = field_doc::kClusterName}),
    member<&MachineSpec::bootstrap>(
        "bootstrap",
        {.required = true, .doc = "Where the bootstrap data comes from: a provider's object or a Secret."}),
    member<&MachineSpec::infrastructure_ref>(
        "infrastructureRef",
        {.required = true,
         .doc = "The infrastructure provider's object behind the Machine. In a template it names "
                "the template to make such objects from."}),
    member<&MachineSpec::version>(
        "version", {.min_length = 1,
                    .max_length = 256,
                    .doc = "Kubernetes version the Node is meant to run, as v1.34.1. Bootstrap "
                           "providers need it."}),
    member<&MachineSpec::provider_id>(
        "providerID",
        {.min_length = 1,
         .max_length = 512,
         .doc = "The cloud's name for the instance, copied from the infrastructure object. The Node with "
                "the same ID is this Machine's Node."}),
    member<&MachineSpec::failure_domain>(
        "failureDomain",
        {.min_length = 1,
         .max_length = 256,
         .doc = "Failure domain to place the Machine in: the name of one that the Cluster's status lists."}),
    member<&MachineSpec::min_ready_seconds>(
        "minReadySeconds",
        {.minimum = 0,
         .doc = "How long the Machine has to be Ready before it counts as Available. 0 when left out."}),
    member<&MachineSpec::readiness_gates>(
        "readinessGates",
        {.min_items = 1,
         .max_items = 32,
         .list_keys = "conditionType",
         .doc = "Further conditions of this Machine that Ready depends on; another controller sets "
                "them. Types that Ready looks at anyway are counted once."}),
    member<&MachineSpec::deletion>("deletion", {.doc = "How patient the deletion of the Machine is."}),
    member<&MachineSpec::taints>(
        "taints",
        {.min_items = 1,
         .max_items = 64,
         .list_keys = "key|effect",
         .doc = "Taints for the Node. Taints that others put on the Node are left alone. Needs the feature "
                "gate MachineTaintPropagation."}),
};

// What MachineSets, MachineDeployments and MachinePools make Machines from.
struct MachineTemplate {
  TemplateMeta metadata = {};
  MachineSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const MachineTemplate&) const = default;
};
template <>
inline constexpr auto members<MachineTemplate> = std::array{
    member<&MachineTemplate::metadata>("metadata", {.doc = "Labels and annotations of the Machines."}),
    member<&MachineTemplate::spec>(
        "spec", {.required = true, .doc = "Spec of the Machines; its references name templates."}),
};

namespace address_type {
inline constexpr std::string_view kHostname = "Hostname";
inline constexpr std::string_view kExternalIp = "ExternalIP";
inline constexpr std::string_view kInternalIp = "InternalIP";
inline constexpr std::string_view kExternalDns = "ExternalDNS";
inline constexpr std::string_view kInternalDns = "InternalDNS";
}  // namespace address_type

struct MachineAddress {
  Text type = {};
  Text address = {};
  UnknownFields unknown = {};
  bool operator==(const MachineAddress&) const = default;
};
template <>
inline constexpr auto members<MachineAddress> = std::array{
    member<&MachineAddress::type>("type", {.one_of = "Hostname|ExternalIP|InternalIP|ExternalDNS|InternalDNS",
                                           .required = true,
                                           .doc = "What kind of address it is."}),
    member<&MachineAddress::address>(
        "address", {.min_length = 1, .max_length = 256, .required = true, .doc = "The address itself."}),
};

struct MachineInitialization {
  std::optional<bool> infrastructure_provisioned = {};  // once true it stays true
  std::optional<bool> bootstrap_data_secret_created = {};
  UnknownFields unknown = {};
  bool operator==(const MachineInitialization&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineInitialization> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineInitialization> = std::array{
    member<&MachineInitialization::infrastructure_provisioned>(
        "infrastructureProvisioned",
        {.doc = "True from the moment the infrastructure provider has reported its object as provisioned."}),
    member<&MachineInitialization::bootstrap_data_secret_created>(
        "bootstrapDataSecretCreated",
        {.doc = "True from the moment the bootstrap provider has reported its data Secret as created."}),
};

struct MachineNodeRef {
  Text name = {};
  UnknownFields unknown = {};
  bool operator==(const MachineNodeRef&) const = default;
};
template <>
inline constexpr auto members<MachineNodeRef> = std::array{
    member<&MachineNodeRef::name>("name", {.min_length = 1,
                                           .max_length = 253,
                                           .pattern = pattern::kDns1123Subdomain,
                                           .required = true,
                                           .doc = "Name of the Node in the workload cluster."}),
};

// When each slow step of a deletion began; timeouts are counted from here.
struct MachineDeletionStatus {
  Time node_drain_start_time = {};
  Time wait_for_node_volume_detach_start_time = {};
  Time wait_for_pre_drain_hook_start_time = {};
  Time wait_for_pre_terminate_hook_start_time = {};
  UnknownFields unknown = {};
  bool operator==(const MachineDeletionStatus&) const = default;
};
template <>
inline constexpr auto members<MachineDeletionStatus> = std::array{
    member<&MachineDeletionStatus::node_drain_start_time>("nodeDrainStartTime",
                                                          {.doc = "When draining of the Node began."}),
    member<&MachineDeletionStatus::wait_for_node_volume_detach_start_time>(
        "waitForNodeVolumeDetachStartTime", {.doc = "When waiting for volumes to be detached began."}),
    member<&MachineDeletionStatus::wait_for_pre_drain_hook_start_time>(
        "waitForPreDrainHookStartTime", {.doc = "When waiting for pre-drain hooks began."}),
    member<&MachineDeletionStatus::wait_for_pre_terminate_hook_start_time>(
        "waitForPreTerminateHookStartTime", {.doc = "When waiting for pre-terminate hooks began."}),
};

namespace machine_phase {
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kProvisioning = "Provisioning";
inline constexpr std::string_view kProvisioned = "Provisioned";
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kUpdating = "Updating";
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kDeleted = "Deleted";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kUnknown = "Unknown";
}  // namespace machine_phase

struct MachineStatus {
  Conditions conditions = {};
  MachineInitialization initialization = {};
  std::optional<MachineNodeRef> node_ref = {};
  NodeInfo node_info = {};
  Time last_updated = {};
  Time certificates_expiry_date = {};  // beside the other, or both would be padded
  List<MachineAddress> addresses = {};
  Text failure_domain = {};
  Text phase = {};
  Boxed<MachineDeletionStatus> deletion = {};
  std::int64_t observed_generation = 0;
  Boxed<Deprecated<V1Beta1Status>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const MachineStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineStatus> = std::array{
    member<&MachineStatus::conditions>("conditions",
                                       {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&MachineStatus::initialization>(
        "initialization", {.doc = "Progress of the first provisioning. What became true here stays true."}),
    member<&MachineStatus::node_ref>("nodeRef",
                                     {.doc = "The Node of this Machine. Set once, never changed."}),
    member<&MachineStatus::node_info>("nodeInfo",
                                      {.doc = "Facts about the Node's system, copied from its status."}),
    member<&MachineStatus::last_updated>("lastUpdated", {.doc = "When the phase last changed."}),
    member<&MachineStatus::addresses>(
        "addresses", {.max_items = 256,
                      .list = ListType::Atomic,
                      .doc = "Addresses of the Machine, as the infrastructure provider reports them."}),
    member<&MachineStatus::failure_domain>(
        "failureDomain",
        {.min_length = 1,
         .max_length = 256,
         .doc = "Failure domain the Machine runs in, as the infrastructure provider reports it."}),
    member<&MachineStatus::phase>(
        "phase",
        {.one_of = "Pending|Provisioning|Provisioned|Running|Updating|Deleting|Deleted|Failed|Unknown",
         .doc =
             "How far along the Machine is, in one word for people. Programs should read the conditions."}),
    member<&MachineStatus::certificates_expiry_date>(
        "certificatesExpiryDate", {.doc = "When the certificates of a control plane Machine run out."}),
    member<&MachineStatus::deletion>("deletion", {.doc = "When each slow step of the deletion began."}),
    member<&MachineStatus::observed_generation>("observedGeneration",
                                                {.minimum = 1, .doc = field_doc::kObservedGeneration}),
    member<&MachineStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct Machine {
  ObjectMeta metadata = {};
  MachineSpec spec = {};
  MachineStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const Machine&) const = default;
};
inline constexpr std::array kMachineColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "Node Name", .json_path = ".status.nodeRef.name", .description = "Node of this Machine"},
    Column{.name = "Provider ID",
           .json_path = ".spec.providerID",
           .priority = 10,
           .description = "The cloud's name of it"},
    Column{.name = "Failure domain", .json_path = ".status.failureDomain", .description = "Where it runs"},
    Column{.name = "Ready",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].status",
           .description = "Whether it works"},
    Column{.name = "Available",
           .json_path = ".status.conditions[?(@.type==\"Available\")].status",
           .description = "Whether it has worked for minReadySeconds"},
    Column{.name = "Up-to-date",
           .json_path = ".status.conditions[?(@.type==\"UpToDate\")].status",
           .description = "Whether it is what its owner wants it to be"},
    Column{.name = "Internal-IP",
           .json_path = ".status.addresses[?(@.type==\"InternalIP\")].address",
           .priority = 10,
           .description = "Address inside"},
    Column{.name = "External-IP",
           .json_path = ".status.addresses[?(@.type==\"ExternalIP\")].address",
           .priority = 10,
           .description = "Address outside"},
    Column{.name = "OS-Image",
           .json_path = ".status.nodeInfo.osImage",
           .priority = 10,
           .description = "Operating system the Node reports"},
    Column{.name = "Paused",
           .json_path = ".status.conditions[?(@.type==\"Paused\")].status",
           .priority = 10,
           .description = "Whether controllers leave it alone"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "How far along it is"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version", .json_path = ".spec.version", .description = "Kubernetes version wanted"},
};
template <>
inline constexpr ResourceInfo resource<Machine> = {.group = group::kCluster,
                                                   .version = "v1beta2",
                                                   .kind = kind::kMachine,
                                                   .plural = "machines",
                                                   .short_names = "ma",
                                                   .categories = kCategory,
                                                   .columns = kMachineColumns,
                                                   .status_subresource = true,
                                                   .labels = kContractLabels,
                                                   .doc = "One Node-to-be and everything under it."};
template <>
inline constexpr auto members<Machine> = std::array{
    member<&Machine::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&Machine::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&Machine::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
