// spec.topology of a Cluster, in both versions. ClusterClass is none of ours: the schemas carry a topology
// along as it is, and only the converter looks into it, for Clusters that another controller made. Included
// by cluster.h and form.cc; plain data.
#pragma once

#include "api/v1beta1/machine_deployment.h"
#include "api/v1beta1/machine_health_check.h"

namespace capstan::api::v1beta1 {

inline constexpr const TypeInfo& kTaints = type_of<List<MachineTaint>>;
inline constexpr const TypeInfo& kGates = type_of<List<ConditionGate>>;
inline constexpr const TypeInfo& kBooleanPointer = type_of<std::optional<bool>>;
inline constexpr const TypeInfo& kAnything = type_of<RawJson>;
inline constexpr std::array kRolloutAfterMembers = {field("after", type_of<Time>)};
inline constexpr TypeInfo kRolloutAfter = object(kRolloutAfterMembers);

// --- v1beta1 ---

inline constexpr std::array kOldVariableMembers = {
    always(field("name", kText)),
    field("definitionFrom", kText),
    always(field("value", kAnything)),
};
inline constexpr TypeInfo kOldVariable = object(kOldVariableMembers);
inline constexpr TypeInfo kOldVariableList = list(kOldVariable);
inline constexpr std::array kOldOverridesMembers = {field("overrides", kOldVariableList)};
inline constexpr TypeInfo kOldOverrides = object(kOldOverridesMembers);
inline constexpr TypeInfo kOldOverridesPointer = pointer(kOldOverrides);

inline constexpr std::array kOldHealthMembers = {
    field("enable", kBooleanPointer),
    field("unhealthyConditions", kUnhealthyNodes),
    field("unhealthyMachineConditions", kUnhealthyMachines),
    field("maxUnhealthy", kIntOrString),
    field("unhealthyRange", kTextPointer),
    field("nodeStartupTimeout", kDurationPointer),
    field("remediationTemplate", kReferencePointer),
};
inline constexpr TypeInfo kOldHealth = object(kOldHealthMembers);
inline constexpr TypeInfo kOldHealthPointer = pointer(kOldHealth);

inline constexpr std::array kOldControlPlaneMembers = {
    always(field("metadata", kTemplateMeta)),
    field("replicas", kInt32Pointer),
    field("rollout", kRolloutAfter),
    field("machineHealthCheck", kOldHealthPointer),
    field("nodeDrainTimeout", kDurationPointer),
    field("nodeVolumeDetachTimeout", kDurationPointer),
    field("nodeDeletionTimeout", kDurationPointer),
    field("taints", kTaints),
    field("readinessGates", kOldGates),
    field("variables", kOldOverridesPointer),
};
inline constexpr TypeInfo kOldControlPlane = object(kOldControlPlaneMembers);

inline constexpr std::array kOldDeploymentMembers = {
    always(field("metadata", kTemplateMeta)),
    always(field("class", kText)),
    always(field("name", kText)),
    field("failureDomain", kTextPointer),
    field("replicas", kInt32Pointer),
    field("machineHealthCheck", kOldHealthPointer),
    field("nodeDrainTimeout", kDurationPointer),
    field("nodeVolumeDetachTimeout", kDurationPointer),
    field("nodeDeletionTimeout", kDurationPointer),
    field("taints", kTaints),
    field("minReadySeconds", kInt32Pointer),
    field("readinessGates", kOldGates),
    field("rollout", kRolloutAfter),
    field("strategy", kStrategyPointer),
    field("variables", kOldOverridesPointer),
};
inline constexpr TypeInfo kOldDeployment = object(kOldDeploymentMembers);
inline constexpr TypeInfo kOldDeployments = list(kOldDeployment);

inline constexpr std::array kOldPoolMembers = {
    always(field("metadata", kTemplateMeta)),
    always(field("class", kText)),
    always(field("name", kText)),
    field("failureDomains", kTexts),
    field("nodeDrainTimeout", kDurationPointer),
    field("nodeVolumeDetachTimeout", kDurationPointer),
    field("nodeDeletionTimeout", kDurationPointer),
    field("taints", kTaints),
    field("minReadySeconds", kInt32Pointer),
    field("replicas", kInt32Pointer),
    field("variables", kOldOverridesPointer),
};
inline constexpr TypeInfo kOldPool = object(kOldPoolMembers);
inline constexpr TypeInfo kOldPools = list(kOldPool);

inline constexpr std::array kOldWorkersMembers = {
    field("machineDeployments", kOldDeployments),
    field("machinePools", kOldPools),
};
inline constexpr TypeInfo kOldWorkers = object(kOldWorkersMembers);
inline constexpr TypeInfo kOldWorkersPointer = pointer(kOldWorkers);

inline constexpr std::array kOldTopologyMembers = {
    always(field("class", kText)),
    field("classNamespace", kText),
    always(field("version", kText)),
    field("rolloutAfter", kTimePointer),
    always(field("controlPlane", kOldControlPlane)),
    field("workers", kOldWorkersPointer),
    field("variables", kOldVariableList),
};
inline constexpr TypeInfo kOldTopology = object(kOldTopologyMembers);

// --- v1beta2 ---

inline constexpr std::array kVariableMembers = {field("name", kText), field("value", kAnything)};
inline constexpr TypeInfo kVariable = object(kVariableMembers);
inline constexpr TypeInfo kVariableList = list(kVariable);
inline constexpr std::array kOverridesMembers = {field("overrides", kVariableList)};
inline constexpr TypeInfo kOverrides = object(kOverridesMembers);

inline constexpr std::array kHealthMembers = {
    field("enabled", kBooleanPointer),
    field("checks", type_of<HealthChecks>),
    field("remediation", type_of<HealthRemediation>),
};
inline constexpr TypeInfo kHealth = object(kHealthMembers);
inline constexpr std::array kLimitedRemediationMembers = {
    field("maxInFlight", kIntOrString),
    field("triggerIf", type_of<RemediationTrigger>),
    field("templateRef", type_of<RemediationTemplateRef>),
};
inline constexpr TypeInfo kLimitedRemediation = object(kLimitedRemediationMembers);
inline constexpr std::array kLimitedHealthMembers = {
    field("enabled", kBooleanPointer),
    field("checks", type_of<HealthChecks>),
    field("remediation", kLimitedRemediation),
};
inline constexpr TypeInfo kLimitedHealth = object(kLimitedHealthMembers);

inline constexpr std::array kControlPlaneMembers = {
    field("metadata", kTemplateMeta),
    field("replicas", kInt32Pointer),
    field("rollout", kRolloutAfter),
    field("healthCheck", kHealth),
    field("deletion", type_of<MachineDeletion>),
    field("taints", kTaints),
    field("readinessGates", kGates),
    field("variables", kOverrides),
};
inline constexpr TypeInfo kControlPlane = object(kControlPlaneMembers);

inline constexpr std::array kOrderedDeletionMembers = {
    field("order", kText),
    field("nodeDrainTimeoutSeconds", kInt32Pointer),
    field("nodeVolumeDetachTimeoutSeconds", kInt32Pointer),
    field("nodeDeletionTimeoutSeconds", kInt32Pointer),
};
inline constexpr TypeInfo kOrderedDeletion = object(kOrderedDeletionMembers);

inline constexpr std::array kDeploymentMembers = {
    field("metadata", kTemplateMeta),
    field("class", kText),
    field("name", kText),
    field("failureDomain", kText),
    field("replicas", kInt32Pointer),
    field("healthCheck", kLimitedHealth),
    field("deletion", kOrderedDeletion),
    field("taints", kTaints),
    field("minReadySeconds", kInt32Pointer),
    field("readinessGates", kGates),
    field("rollout", type_of<Rollout>),
    field("variables", kOverrides),
};
inline constexpr TypeInfo kDeployment = object(kDeploymentMembers);
inline constexpr TypeInfo kDeployments = list(kDeployment);

inline constexpr std::array kPoolMembers = {
    field("metadata", kTemplateMeta),
    field("class", kText),
    field("name", kText),
    field("failureDomains", kTexts),
    field("deletion", type_of<MachineDeletion>),
    field("taints", kTaints),
    field("minReadySeconds", kInt32Pointer),
    field("replicas", kInt32Pointer),
    field("variables", kOverrides),
};
inline constexpr TypeInfo kPool = object(kPoolMembers);
inline constexpr TypeInfo kPools = list(kPool);

inline constexpr std::array kWorkersMembers = {
    field("machineDeployments", kDeployments),
    field("machinePools", kPools),
};
inline constexpr TypeInfo kWorkers = object(kWorkersMembers);
inline constexpr std::array kClassRefMembers = {field("name", kText), field("namespace", kText)};
inline constexpr TypeInfo kClassRef = object(kClassRefMembers);

inline constexpr std::array kTopologyMembers = {
    field("classRef", kClassRef), field("version", kText),           field("controlPlane", kControlPlane),
    field("workers", kWorkers),   field("variables", kVariableList),
};
inline constexpr TypeInfo kTopology = object(kTopologyMembers);

// --- between them ---

inline constexpr std::array kVariableRows = {
    Row{.old_path = "definitionFrom", .change = Change::Dropped},
};
inline constexpr Row kOverridesRow = {.old_path = "variables.overrides",
                                      .new_path = "variables.overrides",
                                      .change = Change::Each,
                                      .items = kVariableRows};
inline constexpr std::array kHealthRows = {
    Row{.old_path = "machineHealthCheck.enable", .new_path = "healthCheck.enabled"},
    Row{.old_path = "machineHealthCheck.unhealthyConditions",
        .new_path = "healthCheck.checks.unhealthyNodeConditions",
        .change = Change::Collected,
        .items = kUnhealthyRows},
    Row{.old_path = "machineHealthCheck.unhealthyMachineConditions",
        .new_path = "healthCheck.checks.unhealthyMachineConditions",
        .change = Change::Collected,
        .items = kUnhealthyRows},
    Row{.old_path = "machineHealthCheck.nodeStartupTimeout",
        .new_path = "healthCheck.checks.nodeStartupTimeoutSeconds",
        .change = Change::Seconds},
    Row{.old_path = "machineHealthCheck.maxUnhealthy",
        .new_path = "healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo"},
    Row{.old_path = "machineHealthCheck.unhealthyRange",
        .new_path = "healthCheck.remediation.triggerIf.unhealthyInRange"},
    Row{.old_path = "machineHealthCheck.remediationTemplate",
        .new_path = "healthCheck.remediation.templateRef",
        .change = Change::TemplateRef},
};
inline constexpr std::array kControlPlaneRows = {
    kHealthRows[0], kHealthRows[1], kHealthRows[2], kHealthRows[3], kHealthRows[4], kHealthRows[5],
    kHealthRows[6], kDrainRow,      kDetachRow,     kNodeGoneRow,   kOverridesRow,
};
inline constexpr std::array kDeploymentRows = {
    kHealthRows[0],
    kHealthRows[1],
    kHealthRows[2],
    kHealthRows[3],
    kHealthRows[4],
    kHealthRows[5],
    kHealthRows[6],
    kDrainRow,
    kDetachRow,
    kNodeGoneRow,
    kOverridesRow,
    Row{.old_path = "strategy.type", .new_path = "rollout.strategy.type"},
    Row{.old_path = "strategy.rollingUpdate.maxUnavailable",
        .new_path = "rollout.strategy.rollingUpdate.maxUnavailable"},
    Row{.old_path = "strategy.rollingUpdate.maxSurge", .new_path = "rollout.strategy.rollingUpdate.maxSurge"},
    Row{.old_path = "strategy.rollingUpdate.deletePolicy", .new_path = "deletion.order"},
    Row{.old_path = "strategy.remediation.maxInFlight", .new_path = "healthCheck.remediation.maxInFlight"},
};
inline constexpr std::array kPoolRows = {kDrainRow, kDetachRow, kNodeGoneRow, kOverridesRow};
inline constexpr std::array kTopologyRows = {
    Row{.old_path = "class", .new_path = "classRef.name"},
    Row{.old_path = "classNamespace", .new_path = "classRef.namespace"},
    Row{.old_path = "rolloutAfter", .change = Change::Dropped},
    Row{.old_path = "controlPlane",
        .new_path = "controlPlane",
        .change = Change::Within,
        .items = kControlPlaneRows},
    Row{.old_path = "workers.machineDeployments",
        .new_path = "workers.machineDeployments",
        .change = Change::Each,
        .items = kDeploymentRows},
    Row{.old_path = "workers.machinePools",
        .new_path = "workers.machinePools",
        .change = Change::Each,
        .items = kPoolRows},
    Row{.old_path = "variables", .new_path = "variables", .change = Change::Each, .items = kVariableRows},
};
inline constexpr Row kTopologyRow = {.old_path = "spec.topology",
                                     .new_path = "spec.topology",
                                     .change = Change::Within,
                                     .items = kTopologyRows};

}  // namespace capstan::api::v1beta1
