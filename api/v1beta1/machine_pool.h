// MachinePool in v1beta1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/machine_spec.h"
#include "api/v1beta2/machine_pool.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kMachinePoolSpecMembers = {
    always(like<MachinePoolSpec>("clusterName")),
    like<MachinePoolSpec>("replicas"),
    always(as(kTemplate, like<MachinePoolSpec>("template"))),
    field("minReadySeconds", kInt32Pointer,
          {.doc = "How long an instance has to be Ready before it counts as Available."}),
    like<MachinePoolSpec>("providerIDList"),
    like<MachinePoolSpec>("failureDomains"),
};
inline constexpr TypeInfo kMachinePoolSpec = object(kMachinePoolSpecMembers);

inline constexpr std::array kMachinePoolStatusMembers = {
    like<MachinePoolStatus>("nodeRefs"),
    always(as(kInt32, like<MachinePoolStatus>("replicas"))),
    like<V1Beta1MachinePoolStatus>("readyReplicas"),
    like<V1Beta1MachinePoolStatus>("availableReplicas"),
    like<V1Beta1MachinePoolStatus>("unavailableReplicas"),
    kFailureReason,
    kFailureMessage,
    like<MachinePoolStatus>("phase"),
    field("bootstrapReady", kBoolean, {.keep_empty = true, .doc = kOldBootstrapReadyDoc}),
    field("infrastructureReady", kBoolean, {.keep_empty = true, .doc = kOldInfrastructureReadyDoc}),
    kObservedGeneration,
    kConditions,
    like<MachinePoolStatus>("versions"),
    field("v1beta2", kNewCountersPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kMachinePoolStatus = object(kMachinePoolStatusMembers);

inline constexpr std::array kMachinePoolColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "Desired",
           .json_path = ".spec.replicas",
           .type = "integer",
           .priority = 10,
           .description = "Instances wanted"},
    Column{.name = "Replicas", .json_path = ".status.replicas", .description = "Instances there are"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "What is going on"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.template.spec.version",
           .description = "Kubernetes version wanted"},
};
inline constexpr ResourceInfo kMachinePoolResource =
    old_version_of(resource<MachinePool>, kMachinePoolColumns);
inline constexpr std::array kMachinePoolMembers = {
    like<MachinePool>("metadata"),
    always(optional(as(kMachinePoolSpec, like<MachinePool>("spec")))),
    always(as(kMachinePoolStatus, like<MachinePool>("status"))),
};
inline constexpr TypeInfo kMachinePoolType = top(kMachinePoolMembers, kMachinePoolResource);

inline constexpr std::array kMachinePoolRows = {
    kTemplateRow,
    kTemplateMinReadyRow,
    Row{.old_path = "status.bootstrapReady",
        .new_path = "status.initialization.bootstrapDataSecretCreated",
        .change = Change::Flag},
    Row{.old_path = "status.infrastructureReady",
        .new_path = "status.initialization.infrastructureProvisioned",
        .change = Change::Flag},
    Row{.old_path = "status.unavailableReplicas",
        .new_path = "status.deprecated.v1beta1.unavailableReplicas"},
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
inline constexpr Kind kMachinePool = {.old_type = &kMachinePoolType,
                                      .new_type = &type_of<MachinePool>,
                                      .rows = kMachinePoolRows,
                                      .annotated = true,
                                      .always_there = kOldCounters};

}  // namespace capstan::api::v1beta1
