// DriverMachinePool: a group of equal VMs behind a driver, as large as its MachinePool wants. Either the
// group keeps its VMs itself and finds them by spec.groupKey, minted once, which each of them carries as a
// tag; or, with Machines, each VM is a DriverMachine of its own. Read and written by
// infrastructure/controller; a plain value.
#pragma once

#include "api/driver/driver_machine_template.h"

namespace capstan::api {

struct DriverMachinePoolSpec {
  List<Text> provider_id_list = {};
  Text group_key = {};
  Text account = {};
  std::optional<bool> with_machines = {};
  Text driver = {};
  Text vm_class = {};
  std::optional<CredentialsRef> credentials_ref = {};
  RawJson provider_spec = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachinePoolSpec&) const = default;
};
inline constexpr std::array kDriverMachinePoolSpecRules = {
    CelRule{.rule = "!has(oldSelf.groupKey) || (has(self.groupKey) && self.groupKey == oldSelf.groupKey)",
            .message = "groupKey is the identity of the group and can't be changed"},
    CelRule{.rule = "has(oldSelf.withMachines) == has(self.withMachines) && (!has(self.withMachines) || "
                    "self.withMachines == oldSelf.withMachines)",
            .message = "withMachines can't be changed: make another pool and move the work there"},
    kDriverIsKept,
    kAccountRule,
};
template <>
inline constexpr auto members<DriverMachinePoolSpec> = std::array{
    member<&DriverMachinePoolSpec::provider_id_list>(
        "providerIDList", {.max_items = 10000,
                           .items = {.min_length = 1, .max_length = 512},
                           .list = ListType::Atomic,
                           .doc = "The cloud's names for the VMs there are, filled in by the provider."}),
    member<&DriverMachinePoolSpec::group_key>(
        "groupKey",
        {.min_length = 1,
         .max_length = 50,
         .pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
         .doc = "Identity of the group, minted by the provider before it asks for the first VM."}),
    member<&DriverMachinePoolSpec::account>("account", kAccountRules),
    member<&DriverMachinePoolSpec::with_machines>(
        "withMachines", {.doc = "Whether each instance is a Machine of its own, which is drained before it "
                                "goes. Without, the group is one thing to everybody but the cloud."}),
    member<&DriverMachinePoolSpec::driver>("driver", kDriverNameRules),
    member<&DriverMachinePoolSpec::vm_class>(
        "class",
        {.min_length = 1, .max_length = 253, .doc = "Size of the VMs in the cloud's words, as m5.large."}),
    member<&DriverMachinePoolSpec::credentials_ref>(
        "credentialsRef", {.doc = "Secret with what the driver needs to speak to the cloud."}),
    member<&DriverMachinePoolSpec::provider_spec>(
        "providerSpec", {.preserve_unknown = true, .doc = "For the driver; nobody else looks into it."}),
};

struct DriverInstanceState {
  Text instance_key = {};
  FreeText last_known_state = {};
  UnknownFields unknown = {};
  bool operator==(const DriverInstanceState&) const = default;
};
template <>
inline constexpr auto members<DriverInstanceState> = std::array{
    member<&DriverInstanceState::instance_key>(
        "instanceKey",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "Identity of the instance's VM."}),
    member<&DriverInstanceState::last_known_state>(
        "lastKnownState", {.min_length = 1,
                           .max_length = 4096,
                           .required = true,
                           .doc = "What the driver remembers of a call that is not over; only it knows what "
                                  "it means, and gets it back with the next call."}),
};

struct DriverMachinePoolStatus {
  DriverInitialization initialization = {};
  std::optional<bool> ready = {};
  std::optional<std::int32_t> replicas = {};
  Text infrastructure_machine_kind = {};
  TextMap capacity = {};
  List<DriverInstanceState> last_known_states = {};
  Conditions conditions = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const DriverMachinePoolStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DriverMachinePoolStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<DriverMachinePoolStatus> = std::array{
    member<&DriverMachinePoolStatus::initialization>(
        "initialization", {.doc = "Progress of the first provisioning. What became true here stays true."}),
    member<&DriverMachinePoolStatus::ready>(
        "ready", {.doc = "The same in the older contract's words, which cores still read."}),
    member<&DriverMachinePoolStatus::replicas>("replicas", {.doc = "How many VMs there are."}),
    member<&DriverMachinePoolStatus::infrastructure_machine_kind>(
        "infrastructureMachineKind",
        {.min_length = 1,
         .max_length = 256,
         .doc = "Kind of the objects that stand for single instances; only where they have Machines."}),
    member<&DriverMachinePoolStatus::capacity>("capacity", kCapacityRules),
    member<&DriverMachinePoolStatus::last_known_states>(
        "lastKnownStates",
        {.max_items = 64,
         .list_keys = "instanceKey",
         .doc =
             "What the driver left about instances that are being made or removed; only where they have no "
             "Machines."}),
    member<&DriverMachinePoolStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&DriverMachinePoolStatus::observed_generation>(
        "observedGeneration", {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct DriverMachinePool {
  ObjectMeta metadata = {};
  DriverMachinePoolSpec spec = {};
  DriverMachinePoolStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachinePool&) const = default;
};
inline constexpr std::array kDriverMachinePoolColumns = {
    Column{.name = "Cluster",
           .json_path = ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
           .description = "Cluster"},
    Column{.name = "Replicas",
           .json_path = ".status.replicas",
           .type = "integer",
           .description = "VMs there are"},
    Column{.name = "Ready",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].status",
           .description = "Whether the group is as large as wanted"},
    Column{.name = "Reason",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
           .description = "Why, in one word"},
    Column{.name = "Message",
           .json_path = ".status.conditions[?(@.type==\"Ready\")].message",
           .priority = 10,
           .description = "What is missing"},
    Column{.name = "Class", .json_path = ".spec.class", .priority = 10, .description = "Size of the VMs"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<DriverMachinePool> = {.group = group::kInfrastructure,
                                                             .version = driver::kVersion,
                                                             .kind = driver::kind::kDriverMachinePool,
                                                             .plural = "drivermachinepools",
                                                             .categories = kCategory,
                                                             .columns = kDriverMachinePoolColumns,
                                                             .status_subresource = true,
                                                             .labels = driver::kContractLabels,
                                                             .doc = "A group of equal VMs behind a driver."};
template <>
inline constexpr auto members<DriverMachinePool> = std::array{
    member<&DriverMachinePool::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&DriverMachinePool::spec>("spec", {.cel = kDriverMachinePoolSpecRules, .doc = field_doc::kSpec}),
    member<&DriverMachinePool::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
