// MachineDeployment in v1beta1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/machine_set.h"
#include "api/v1beta2/machine_deployment.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kRollingUpdateMembers = {
    like<RollingUpdate>("maxUnavailable"),
    like<RollingUpdate>("maxSurge"),
    field("deletePolicy", kTextPointer,
          {.one_of = "Random|Newest|Oldest", .doc = "Which Machines go first when there are too many."}),
};
inline constexpr TypeInfo kRollingUpdate = object(kRollingUpdateMembers);
inline constexpr TypeInfo kRollingUpdatePointer = pointer(kRollingUpdate);
inline constexpr std::array kRemediationMembers = {like<RemediationLimit>("maxInFlight")};
inline constexpr TypeInfo kRemediation = object(kRemediationMembers);
inline constexpr TypeInfo kRemediationPointer = pointer(kRemediation);
inline constexpr std::array kStrategyMembers = {
    optional(like<RolloutStrategy>("type")),
    as(kRollingUpdatePointer, like<RolloutStrategy>("rollingUpdate")),
    field("remediation", kRemediationPointer,
          {.doc = "How many unhealthy Machines are replaced at the same time."}),
};
inline constexpr TypeInfo kStrategy = object(kStrategyMembers);
inline constexpr TypeInfo kStrategyPointer = pointer(kStrategy);

inline constexpr std::array kMachineDeploymentSpecMembers = {
    always(like<MachineDeploymentSpec>("clusterName")),
    like<MachineDeploymentSpec>("replicas"),
    as(kTimePointer, field("rolloutAfter", kTimePointer,
                           {.doc = "Machines created before this moment are exchanged once it has passed."})),
    always(like<MachineDeploymentSpec>("selector")),
    always(as(kTemplate, like<MachineDeploymentSpec>("template"))),
    field("strategy", kStrategyPointer, {.doc = "How Machines are exchanged for newer ones."}),
    field("machineNamingStrategy", kNamingPointer, {.doc = "How new Machines are named."}),
    field("minReadySeconds", kInt32Pointer,
          {.doc = "How long a Machine has to be Ready before it counts as Available."}),
    field("revisionHistoryLimit", kInt32Pointer, {.doc = "Has no effect, and is not kept."}),
    as(kBoolean, like<MachineDeploymentSpec>("paused")),
    field("progressDeadlineSeconds", kInt32Pointer, {.doc = "Has no effect, and is not kept."}),
};
inline constexpr TypeInfo kMachineDeploymentSpec = object(kMachineDeploymentSpecMembers);

inline constexpr std::array kMachineDeploymentStatusMembers = {
    kObservedGeneration,
    like<MachineDeploymentStatus>("selector"),
    always(as(kInt32, like<MachineDeploymentStatus>("replicas"))),
    like<V1Beta1MachineDeploymentStatus>("updatedReplicas"),
    like<V1Beta1MachineDeploymentStatus>("readyReplicas"),
    like<V1Beta1MachineDeploymentStatus>("availableReplicas"),
    like<V1Beta1MachineDeploymentStatus>("unavailableReplicas"),
    like<MachineDeploymentStatus>("phase"),
    kConditions,
    like<MachineDeploymentStatus>("versions"),
    field("v1beta2", kNewCountersPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kMachineDeploymentStatus = object(kMachineDeploymentStatusMembers);

inline constexpr std::array kMachineDeploymentColumns = {
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
    Column{.name = "Updated",
           .json_path = ".status.updatedReplicas",
           .type = "integer",
           .description = "Machines of the newest MachineSet"},
    Column{.name = "Unavailable",
           .json_path = ".status.unavailableReplicas",
           .type = "integer",
           .description = "Machines missing until everything wanted is available"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "What is going on"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.template.spec.version",
           .description = "Kubernetes version wanted"},
};
inline constexpr ResourceInfo kMachineDeploymentResource =
    old_version_of(resource<MachineDeployment>, kMachineDeploymentColumns);
inline constexpr std::array kMachineDeploymentMembers = {
    like<MachineDeployment>("metadata"),
    always(optional(as(kMachineDeploymentSpec, like<MachineDeployment>("spec")))),
    always(as(kMachineDeploymentStatus, like<MachineDeployment>("status"))),
};
inline constexpr TypeInfo kMachineDeploymentType = top(kMachineDeploymentMembers, kMachineDeploymentResource);

inline constexpr std::array kMachineDeploymentRows = {
    kTemplateRow,
    kTemplateMinReadyRow,
    Row{.old_path = "spec.strategy.type", .new_path = "spec.rollout.strategy.type"},
    Row{.old_path = "spec.strategy.rollingUpdate.maxUnavailable",
        .new_path = "spec.rollout.strategy.rollingUpdate.maxUnavailable"},
    Row{.old_path = "spec.strategy.rollingUpdate.maxSurge",
        .new_path = "spec.rollout.strategy.rollingUpdate.maxSurge"},
    Row{.old_path = "spec.strategy.rollingUpdate.deletePolicy", .new_path = "spec.deletion.order"},
    Row{.old_path = "spec.strategy.remediation.maxInFlight", .new_path = "spec.remediation.maxInFlight"},
    Row{.old_path = "spec.rolloutAfter", .new_path = "spec.rollout.after"},
    Row{.old_path = "spec.machineNamingStrategy.template", .new_path = "spec.machineNaming.template"},
    Row{.old_path = "spec.revisionHistoryLimit", .change = Change::Dropped},
    Row{.old_path = "spec.progressDeadlineSeconds", .change = Change::Dropped},
    Row{.old_path = "spec.paused", .new_path = "spec.paused", .change = Change::Flag},
    Row{.old_path = "status.updatedReplicas", .new_path = "status.deprecated.v1beta1.updatedReplicas"},
    Row{.old_path = "status.unavailableReplicas",
        .new_path = "status.deprecated.v1beta1.unavailableReplicas"},
    kOldReadyRow,
    kOldAvailableRow,
    kReplicasRow,
    kConditionsRow,
    kNewConditionsRow,
    kNewReadyRow,
    kNewAvailableRow,
    kNewUpToDateRow,
};
inline constexpr Kind kMachineDeployment = {.old_type = &kMachineDeploymentType,
                                            .new_type = &type_of<MachineDeployment>,
                                            .rows = kMachineDeploymentRows,
                                            .annotated = true,
                                            .always_there = kOldCounters};

}  // namespace capstan::api::v1beta1
