// MachineHealthCheck in v1beta1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/common.h"
#include "api/v1beta2/machine_health_check.h"

namespace capstan::api::v1beta1 {

inline constexpr std::string_view kTimeoutDoc = "For how long before the Machine counts as sick, as 5m.";
inline constexpr std::array kUnhealthyNodeMembers = {
    always(like<UnhealthyNodeCondition>("type")),
    always(like<UnhealthyNodeCondition>("status")),
    field("timeout", kDuration, {.required = true, .keep_empty = true, .doc = kTimeoutDoc}),
};
inline constexpr TypeInfo kUnhealthyNode = object(kUnhealthyNodeMembers);
inline constexpr TypeInfo kUnhealthyNodes = list(kUnhealthyNode);
inline constexpr std::array kUnhealthyMachineMembers = {
    like<UnhealthyMachineCondition>("type"),
    like<UnhealthyMachineCondition>("status"),
    field("timeout", kDuration, {.required = true, .keep_empty = true, .doc = kTimeoutDoc}),
};
inline constexpr TypeInfo kUnhealthyMachine = object(kUnhealthyMachineMembers);
inline constexpr TypeInfo kUnhealthyMachines = list(kUnhealthyMachine);

inline constexpr std::array kMachineHealthCheckSpecMembers = {
    always(like<MachineHealthCheckSpec>("clusterName")),
    always(like<MachineHealthCheckSpec>("selector")),
    field("unhealthyConditions", kUnhealthyNodes,
          {.max_items = 100, .doc = "Conditions of the Node; one that matches is enough."}),
    field("unhealthyMachineConditions", kUnhealthyMachines,
          {.min_items = 1,
           .max_items = 100,
           .list = ListType::Atomic,
           .doc = "Conditions of the Machine; one that matches is enough."}),
    field("maxUnhealthy", kIntOrString,
          {.doc = "Go on only while no more Machines than this are unhealthy or not started: a number, or a "
                  "percentage."}),
    as(kTextPointer,
       field("unhealthyRange", kTextPointer,
             {.min_length = 1,
              .max_length = 32,
              .pattern = pattern::kRange,
              .doc = "Go on only while the number of such Machines lies in this range, as [3-5]."})),
    field("nodeStartupTimeout", kDurationPointer,
          {.doc = "How long a Machine may take to get its Node, as 10m."}),
    field("remediationTemplate", kReferencePointer,
          {.doc = "Have an external controller remediate: an object is made from this template for each sick "
                  "Machine."}),
};
inline constexpr TypeInfo kMachineHealthCheckSpec = object(kMachineHealthCheckSpecMembers);

inline constexpr std::array kMachineHealthCheckStatusMembers = {
    always(as(kInt32, like<MachineHealthCheckStatus>("expectedMachines"))),
    always(as(kInt32, like<MachineHealthCheckStatus>("currentHealthy"))),
    always(as(kInt32, like<MachineHealthCheckStatus>("remediationsAllowed"))),
    kObservedGeneration,
    like<MachineHealthCheckStatus>("targets"),
    kConditions,
    field("v1beta2", kConditionsOnlyPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kMachineHealthCheckStatus = object(kMachineHealthCheckStatusMembers);

inline constexpr std::array kMachineHealthCheckColumns = {
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Cluster"},
    Column{.name = "ExpectedMachines",
           .json_path = ".status.expectedMachines",
           .type = "integer",
           .description = "Machines that are checked"},
    Column{.name = "MaxUnhealthy",
           .json_path = ".spec.maxUnhealthy",
           .description = "How many may be in trouble at once"},
    Column{.name = "CurrentHealthy",
           .json_path = ".status.currentHealthy",
           .type = "integer",
           .description = "Machines found healthy"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
inline constexpr ResourceInfo kMachineHealthCheckResource =
    old_version_of(resource<MachineHealthCheck>, kMachineHealthCheckColumns);
inline constexpr std::array kMachineHealthCheckMembers = {
    like<MachineHealthCheck>("metadata"),
    always(optional(as(kMachineHealthCheckSpec, like<MachineHealthCheck>("spec")))),
    always(as(kMachineHealthCheckStatus, like<MachineHealthCheck>("status"))),
};
inline constexpr TypeInfo kMachineHealthCheckType =
    top(kMachineHealthCheckMembers, kMachineHealthCheckResource);

inline constexpr std::array kUnhealthyRows = {
    Row{.old_path = "timeout", .new_path = "timeoutSeconds", .change = Change::SecondsAlways},
};
inline constexpr std::array kMachineHealthCheckRows = {
    Row{.old_path = "spec.unhealthyConditions",
        .new_path = "spec.checks.unhealthyNodeConditions",
        .change = Change::Collected,
        .items = kUnhealthyRows},
    Row{.old_path = "spec.unhealthyMachineConditions",
        .new_path = "spec.checks.unhealthyMachineConditions",
        .change = Change::Collected,
        .items = kUnhealthyRows},
    Row{.old_path = "spec.nodeStartupTimeout",
        .new_path = "spec.checks.nodeStartupTimeoutSeconds",
        .change = Change::Seconds},
    Row{.old_path = "spec.maxUnhealthy", .new_path = "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"},
    Row{.old_path = "spec.unhealthyRange", .new_path = "spec.remediation.triggerIf.unhealthyInRange"},
    Row{.old_path = "spec.remediationTemplate",
        .new_path = "spec.remediation.templateRef",
        .change = Change::TemplateRef},
    Row{.old_path = "status.expectedMachines",
        .new_path = "status.expectedMachines",
        .change = Change::Count},
    Row{.old_path = "status.currentHealthy", .new_path = "status.currentHealthy", .change = Change::Count},
    Row{.old_path = "status.remediationsAllowed",
        .new_path = "status.remediationsAllowed",
        .change = Change::Count},
    kConditionsRow,
    kNewConditionsRow,
};
inline constexpr Kind kMachineHealthCheck = {.old_type = &kMachineHealthCheckType,
                                             .new_type = &type_of<MachineHealthCheck>,
                                             .rows = kMachineHealthCheckRows,
                                             .annotated = true};

}  // namespace capstan::api::v1beta1
