// Machine in v1beta1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/machine_spec.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kMachineDeletionMembers = {
    as(kTimePointer, like<MachineDeletionStatus>("nodeDrainStartTime")),
    as(kTimePointer, like<MachineDeletionStatus>("waitForNodeVolumeDetachStartTime")),
    as(kTimePointer, like<MachineDeletionStatus>("waitForPreDrainHookStartTime")),
    as(kTimePointer, like<MachineDeletionStatus>("waitForPreTerminateHookStartTime")),
};
inline constexpr TypeInfo kMachineDeletion = object(kMachineDeletionMembers);
inline constexpr TypeInfo kMachineDeletionPointer = pointer(kMachineDeletion);

inline constexpr std::array kAddressMembers = {
    always(like<MachineAddress>("type")),
    always(like<MachineAddress>("address")),
};
inline constexpr TypeInfo kAddress = object(kAddressMembers);
inline constexpr TypeInfo kAddresses = list(kAddress);

inline constexpr std::array kMachineStatusMembers = {
    field("nodeRef", kReferencePointer, {.doc = "The Node of this Machine."}),
    like<MachineStatus>("nodeInfo"),
    as(kTimePointer, like<MachineStatus>("lastUpdated")),
    kFailureReason,
    kFailureMessage,
    field("addresses", kAddresses,
          {.doc = "Addresses of the Machine, as the infrastructure provider reports them."}),
    field("phase", kText,
          {.one_of = "Pending|Provisioning|Provisioned|Running|Deleting|Deleted|Failed|Unknown",
           .doc = "How far along the Machine is, in one word for people."}),
    as(kTimePointer, like<MachineStatus>("certificatesExpiryDate")),
    field("bootstrapReady", kBoolean, {.keep_empty = true, .doc = kOldBootstrapReadyDoc}),
    field("infrastructureReady", kBoolean, {.keep_empty = true, .doc = kOldInfrastructureReadyDoc}),
    kObservedGeneration,
    kConditions,
    as(kMachineDeletionPointer, like<MachineStatus>("deletion")),
    field("v1beta2", kConditionsOnlyPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kMachineStatus = object(kMachineStatusMembers);

inline constexpr std::array kMachineColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "NodeName", .json_path = ".status.nodeRef.name", .description = "Node of this Machine"},
    Column{.name = "ProviderID", .json_path = ".spec.providerID", .description = "The cloud's name of it"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "How far along it is"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version", .json_path = ".spec.version", .description = "Kubernetes version wanted"},
};
inline constexpr ResourceInfo kMachineResource = old_version_of(resource<Machine>, kMachineColumns);
inline constexpr std::array kMachineMembers = {
    like<Machine>("metadata"),
    always(optional(as(kMachineSpec, like<Machine>("spec")))),
    always(as(kMachineStatus, like<Machine>("status"))),
};
inline constexpr TypeInfo kMachineType = top(kMachineMembers, kMachineResource);

inline constexpr std::array kMachineRows = {
    Row{.old_path = "spec", .new_path = "spec", .change = Change::Within, .items = kMachineSpecRows},
    Row{.new_path = "spec.minReadySeconds", .change = Change::FromAnnotation},
    Row{.old_path = "status.nodeRef", .new_path = "status.nodeRef", .change = Change::NodeRef},
    Row{.old_path = "status.bootstrapReady",
        .new_path = "status.initialization.bootstrapDataSecretCreated",
        .change = Change::Flag},
    Row{.old_path = "status.infrastructureReady",
        .new_path = "status.initialization.infrastructureProvisioned",
        .change = Change::Flag},
    Row{.old_path = "status.phase", .new_path = "status.phase", .change = Change::Phase},
    Row{.new_path = "status.failureDomain", .change = Change::FromAnnotation},
    kConditionsRow,
    kFailureReasonRow,
    kFailureMessageRow,
    kNewConditionsRow,
};
inline constexpr Kind kMachine = {
    .old_type = &kMachineType, .new_type = &type_of<Machine>, .rows = kMachineRows, .annotated = true};

}  // namespace capstan::api::v1beta1
