// What several kinds of v1beta1 are made of. Included by the kinds; plain data.
#pragma once

#include "api/core/object_reference.h"
#include "api/v1beta1/describe.h"
#include "api/v1beta1/rows.h"
#include "api/v1beta2/common.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::api::v1beta1 {

inline constexpr std::string_view kVersion = "v1beta1";
inline constexpr std::string_view kAlpha = "v1alpha1";

inline constexpr const TypeInfo& kReference = type_of<ObjectReference>;
inline constexpr TypeInfo kReferencePointer = pointer(kReference);

// The same kind under its older version; the names and the scope are those of v1beta2.
consteval ResourceInfo old_version_of(ResourceInfo resource, std::span<const Column> columns) {
  resource.version = kVersion;
  resource.columns = columns;
  resource.storage = false;
  resource.served = false;  // the patch that adds the conversion webhook changes that
  resource.deprecated = true;
  return resource;
}

inline constexpr std::array kGateMembers = {
    always(like<ConditionGate>("conditionType")),
    like<ConditionGate>("polarity"),
};
inline constexpr TypeInfo kGate = object(kGateMembers);
inline constexpr TypeInfo kOldGates = list(kGate);

// status.conditions: the older sort, with a severity.
inline constexpr Member kConditions = like<V1Beta1Status>("conditions");
inline constexpr Member kFailureReason = as(kTextPointer, like<V1Beta1Status>("failureReason"));
inline constexpr Member kFailureMessage = as(kTextPointer, like<V1Beta1Status>("failureMessage"));
inline constexpr Member kObservedGeneration = unbounded(like<MachineSetStatus>("observedGeneration"));
// status.v1beta2.conditions: what v1beta2 has at status.conditions.
inline constexpr Member kNewConditions = like<MachineSetStatus>("conditions");
inline constexpr std::string_view kNewStatusDoc = "What v1beta2 shows directly in its status.";

// status.v1beta2 of kinds that have nothing but conditions there, and of those that count.
inline constexpr std::array kConditionsOnlyMembers = {kNewConditions};
inline constexpr TypeInfo kConditionsOnly = object(kConditionsOnlyMembers);
inline constexpr TypeInfo kConditionsOnlyPointer = pointer(kConditionsOnly);
inline constexpr std::array kNewCountersMembers = {
    kNewConditions,
    like<MachineSetStatus>("readyReplicas"),
    like<MachineSetStatus>("availableReplicas"),
    like<MachineSetStatus>("upToDateReplicas"),
};
inline constexpr TypeInfo kNewCounters = object(kNewCountersMembers);
inline constexpr TypeInfo kNewCountersPointer = pointer(kNewCounters);

inline constexpr Row kConditionsRow = {.old_path = "status.conditions",
                                       .new_path = "status.deprecated.v1beta1.conditions"};
inline constexpr Row kFailureReasonRow = {.old_path = "status.failureReason",
                                          .new_path = "status.deprecated.v1beta1.failureReason"};
inline constexpr Row kFailureMessageRow = {.old_path = "status.failureMessage",
                                           .new_path = "status.deprecated.v1beta1.failureMessage"};
inline constexpr Row kNewConditionsRow = {.old_path = "status.v1beta2.conditions",
                                          .new_path = "status.conditions"};
inline constexpr std::array kMovedConditionsRows = {kConditionsRow, kNewConditionsRow};
inline constexpr Row kNewReadyRow = {.old_path = "status.v1beta2.readyReplicas",
                                     .new_path = "status.readyReplicas"};
inline constexpr Row kNewAvailableRow = {.old_path = "status.v1beta2.availableReplicas",
                                         .new_path = "status.availableReplicas"};
inline constexpr Row kNewUpToDateRow = {.old_path = "status.v1beta2.upToDateReplicas",
                                        .new_path = "status.upToDateReplicas"};
inline constexpr Row kReplicasRow = {
    .old_path = "status.replicas", .new_path = "status.replicas", .change = Change::Number};
inline constexpr Row kOldReadyRow = {.old_path = "status.readyReplicas",
                                     .new_path = "status.deprecated.v1beta1.readyReplicas"};
inline constexpr Row kOldAvailableRow = {.old_path = "status.availableReplicas",
                                         .new_path = "status.deprecated.v1beta1.availableReplicas"};
inline constexpr std::string_view kOldCounters = "status.deprecated.v1beta1";

inline constexpr std::string_view kOldBootstrapReadyDoc =
    "Whether the bootstrap data Secret has been there once.";
inline constexpr std::string_view kOldInfrastructureReadyDoc =
    "Whether the infrastructure has been ready once.";

}  // namespace capstan::api::v1beta1
