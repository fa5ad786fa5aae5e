// DriverMachine: one VM behind a driver, from the wish for it to its removal. Its identity is
// spec.instanceKey, minted once and kept when the object moves to another management cluster; the VM carries
// it as a tag. Read and written by infrastructure/controller; a plain value.
#pragma once

#include "api/driver/driver_cluster.h"
#include "api/v1beta2/machine.h"

namespace capstan::api {

// Which driver makes the VMs. After a change it would be asked for VMs that another one has made.
inline constexpr Rules kDriverNameRules = {
    .min_length = 1,
    .max_length = 63,
    .pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    .doc =
        "Name of the driver, from the file the provider was started with. May be left out where there is "
        "only one."};
inline constexpr CelRule kDriverIsKept = {
    .rule = "has(oldSelf.driver) == has(self.driver) && (!has(self.driver) || self.driver == oldSelf.driver)",
    .message = "driver can't be changed: its VMs are where it made them"};

struct DriverMachineSpec {
  Text provider_id = {};
  Text instance_key = {};
  Text driver = {};
  Text account = {};
  Text vm_class = {};
  std::optional<CredentialsRef> credentials_ref = {};
  RawJson provider_spec = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachineSpec&) const = default;
};
inline constexpr std::array kDriverMachineSpecRules = {
    CelRule{.rule = "!has(oldSelf.instanceKey) || (has(self.instanceKey) && self.instanceKey == "
                    "oldSelf.instanceKey)",
            .message = "instanceKey is the identity of the VM and can't be changed"},
    CelRule{
        .rule = "!has(oldSelf.providerID) || (has(self.providerID) && self.providerID == oldSelf.providerID)",
        .message = "providerID can't be changed once it is known"},
    kDriverIsKept,
    kAccountRule,
};
template <>
inline constexpr auto members<DriverMachineSpec> = std::array{
    member<&DriverMachineSpec::provider_id>(
        "providerID",
        {.min_length = 1,
         .max_length = 512,
         .doc = "The cloud's name for the VM, filled in by the provider once there is one. Once "
                "known it is what the VM is found by."}),
    member<&DriverMachineSpec::instance_key>(
        "instanceKey",
        {.min_length = 1,
         .max_length = 63,
         .pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
         .doc = "Identity of the VM, minted by the provider before it asks for one and carried by the VM as "
                "a tag. However often creation is tried, and wherever this object is moved to, there is "
                "at most one VM of a key."}),
    member<&DriverMachineSpec::driver>("driver", kDriverNameRules),
    member<&DriverMachineSpec::account>("account", kAccountRules),
    member<&DriverMachineSpec::vm_class>(
        "class",
        {.min_length = 1, .max_length = 253, .doc = "Size of the VM in the cloud's words, as m5.large."}),
    member<&DriverMachineSpec::credentials_ref>(
        "credentialsRef", {.doc = "Secret with what the driver needs to speak to the cloud."}),
    member<&DriverMachineSpec::provider_spec>(
        "providerSpec", {.preserve_unknown = true, .doc = "For the driver; nobody else looks into it."}),
};

struct DriverMachineStatus {
  DriverInitialization initialization = {};
  Conditions conditions = {};
  List<MachineAddress> addresses = {};
  Text failure_domain = {};
  std::optional<bool> interruptible = {};
  FreeText last_known_state = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const DriverMachineStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DriverMachineStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<DriverMachineStatus> = std::array{
    member<&DriverMachineStatus::initialization>(
        "initialization", {.doc = "Progress of the first provisioning. What became true here stays true."}),
    member<&DriverMachineStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&DriverMachineStatus::addresses>(
        "addresses", {.max_items = 256, .list = ListType::Atomic, .doc = "Addresses of the VM."}),
    member<&DriverMachineStatus::failure_domain>(
        "failureDomain",
        {.min_length = 1, .max_length = 256, .doc = "Failure domain the VM runs in, as the cloud says."}),
    member<&DriverMachineStatus::interruptible>(
        "interruptible", {.doc = "Whether the cloud may take the VM back at any time (a spot instance)."}),
    member<&DriverMachineStatus::last_known_state>(
        "lastKnownState", {.max_length = 4096,
                           .doc = "What the driver remembers of a call that is not over; only it knows what "
                                  "it means, and gets it back with the next call."}),
    member<&DriverMachineStatus::observed_generation>("observedGeneration",
                                                      {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct DriverMachine {
  ObjectMeta metadata = {};
  DriverMachineSpec spec = {};
  DriverMachineStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachine&) const = default;
};
inline constexpr std::array kDriverMachineColumns = {
    Column{.name = "Cluster",
           .json_path = ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
           .description = "Cluster"},
    Column{.name = "Machine",
           .json_path = ".metadata.ownerReferences[?(@.kind==\"Machine\")].name",
           .description = "Machine it is the VM of"},
    Column{.name = "Provider ID", .json_path = ".spec.providerID", .description = "The cloud's name of it"},
    Column{.name = "Ready",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].status",
           .description = "Whether the VM is there"},
    Column{.name = "Reason",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
           .priority = 10,
           .description = "Why, in one word"},
    Column{.name = "Class", .json_path = ".spec.class", .priority = 10, .description = "Size of the VM"},
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
inline constexpr ResourceInfo resource<DriverMachine> = {.group = group::kInfrastructure,
                                                         .version = driver::kVersion,
                                                         .kind = driver::kind::kDriverMachine,
                                                         .plural = "drivermachines",
                                                         .categories = kCategory,
                                                         .columns = kDriverMachineColumns,
                                                         .status_subresource = true,
                                                         .labels = driver::kContractLabels,
                                                         .doc = "One VM behind a driver."};
template <>
inline constexpr auto members<DriverMachine> = std::array{
    member<&DriverMachine::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&DriverMachine::spec>("spec", {.cel = kDriverMachineSpecRules, .doc = field_doc::kSpec}),
    member<&DriverMachine::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
