// MachineSet in v1beta1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/machine_spec.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kNamingMembers = {like<MachineNaming>("template")};
inline constexpr TypeInfo kNaming = object(kNamingMembers);
inline constexpr TypeInfo kNamingPointer = pointer(kNaming);

inline constexpr std::array kMachineSetSpecMembers = {
    always(like<MachineSetSpec>("clusterName")),
    like<MachineSetSpec>("replicas"),
    field("minReadySeconds", kInt32,
          {.doc = "How long a Machine has to be Ready before it counts as Available."}),
    field("deletePolicy", kText,
          {.one_of = "Random|Newest|Oldest", .doc = "Which Machines go first when there are too many."}),
    always(like<MachineSetSpec>("selector")),
    always(optional(as(kTemplate, like<MachineSetSpec>("template")))),
    field("machineNamingStrategy", kNamingPointer, {.doc = "How new Machines are named."}),
};
inline constexpr TypeInfo kMachineSetSpec = object(kMachineSetSpecMembers);

inline constexpr std::array kMachineSetStatusMembers = {
    like<MachineSetStatus>("selector"),
    always(as(kInt32, like<MachineSetStatus>("replicas"))),
    like<V1Beta1MachineSetStatus>("fullyLabeledReplicas"),
    like<V1Beta1MachineSetStatus>("readyReplicas"),
    like<V1Beta1MachineSetStatus>("availableReplicas"),
    kObservedGeneration,
    kFailureReason,
    kFailureMessage,
    kConditions,
    like<MachineSetStatus>("versions"),
    field("v1beta2", kNewCountersPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kMachineSetStatus = object(kMachineSetStatusMembers);

inline constexpr std::array kMachineSetColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "Desired",
           .json_path = ".spec.replicas",
           .type = "integer",
           .priority = 10,
           .description = "Machines wanted"},
    Column{.name = "Replicas",
           .json_path = ".status.replicas",
           .type = "integer",
           .description = "Machines there are"},
    Column{.name = "Ready",
           .json_path = ".status.readyReplicas",
           .type = "integer",
           .description = "Machines whose Node is ready"},
    Column{.name = "Available",
           .json_path = ".status.availableReplicas",
           .type = "integer",
           .description = "Machines whose Node has been ready for minReadySeconds"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.template.spec.version",
           .description = "Kubernetes version wanted"},
};
inline constexpr ResourceInfo kMachineSetResource = old_version_of(resource<MachineSet>, kMachineSetColumns);
inline constexpr std::array kMachineSetMembers = {
    like<MachineSet>("metadata"),
    always(optional(as(kMachineSetSpec, like<MachineSet>("spec")))),
    always(as(kMachineSetStatus, like<MachineSet>("status"))),
};
inline constexpr TypeInfo kMachineSetType = top(kMachineSetMembers, kMachineSetResource);

inline constexpr std::array kMachineSetRows = {
    kTemplateRow,
    kTemplateMinReadyRow,
    Row{.old_path = "spec.deletePolicy", .new_path = "spec.deletion.order"},
    Row{.old_path = "spec.machineNamingStrategy.template", .new_path = "spec.machineNaming.template"},
    Row{.old_path = "status.fullyLabeledReplicas",
        .new_path = "status.deprecated.v1beta1.fullyLabeledReplicas"},
    kOldReadyRow,
    kOldAvailableRow,
    kReplicasRow,
    kConditionsRow,
    kFailureReasonRow,
    kFailureMessageRow,
    kNewConditionsRow,
    kNewReadyRow,
    kNewAvailableRow,
    kNewUpToDateRow,
};
// Without the annotation, as upstream's: what v1beta1 has no place for is lost.
inline constexpr Kind kMachineSet = {.old_type = &kMachineSetType,
                                     .new_type = &type_of<MachineSet>,
                                     .rows = kMachineSetRows,
                                     .always_there = kOldCounters};

}  // namespace capstan::api::v1beta1
