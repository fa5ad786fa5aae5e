// Cluster in v1beta1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/common.h"
#include "api/v1beta1/topology.h"
#include "api/v1beta2/cluster.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kRangesMembers = {always(unbounded(like<NetworkRanges>("cidrBlocks")))};
inline constexpr TypeInfo kRanges = object(kRangesMembers);
inline constexpr TypeInfo kRangesPointer = pointer(kRanges);
inline constexpr std::array kNetworkMembers = {
    unbounded(as(kInt32Pointer, like<ClusterNetwork>("apiServerPort"))),
    as(kRangesPointer, like<ClusterNetwork>("services")),
    as(kRangesPointer, like<ClusterNetwork>("pods")),
    like<ClusterNetwork>("serviceDomain"),
};
inline constexpr TypeInfo kNetwork = object(kNetworkMembers);
inline constexpr TypeInfo kNetworkPointer = pointer(kNetwork);

inline constexpr std::array kEndpointMembers = {
    field("host", kText, {.max_length = 512, .keep_empty = true, .doc = "Host name or address."}),
    field("port", kInt32, {.keep_empty = true, .doc = "Port."}),
};
inline constexpr TypeInfo kEndpoint = object(kEndpointMembers);

inline constexpr std::array kClusterSpecMembers = {
    as(kBoolean, like<ClusterSpec>("paused")),
    as(kNetworkPointer, like<ClusterSpec>("clusterNetwork")),
    always(as(kEndpoint, like<ClusterSpec>("controlPlaneEndpoint"))),
    as(kReferencePointer, like<ClusterSpec>("controlPlaneRef")),
    as(kReferencePointer, like<ClusterSpec>("infrastructureRef")),
    like<ClusterSpec>("topology"),
    as(kOldGates, unbounded(like<ClusterSpec>("availabilityGates"))),
};
inline constexpr TypeInfo kClusterSpec = object(kClusterSpecMembers);

inline constexpr std::array kClusterNewStatusMembers = {
    kNewConditions,
    like<ClusterStatus>("controlPlane"),
    like<ClusterStatus>("workers"),
};
inline constexpr TypeInfo kClusterNewStatus = object(kClusterNewStatusMembers);
inline constexpr TypeInfo kClusterNewStatusPointer = pointer(kClusterNewStatus);

inline constexpr std::array kClusterStatusMembers = {
    field("failureDomains", kFailureDomainMap,
          {.preserve_unknown = true, .doc = "Failure domains the infrastructure provider offers, by name."}),
    kFailureReason,
    kFailureMessage,
    like<ClusterStatus>("phase"),
    field("infrastructureReady", kBoolean, {.keep_empty = true, .doc = kOldInfrastructureReadyDoc}),
    field("controlPlaneReady", kBoolean,
          {.keep_empty = true, .doc = "Whether the control plane has been ready once."}),
    kConditions,
    kObservedGeneration,
    field("v1beta2", kClusterNewStatusPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kClusterStatus = object(kClusterStatusMembers);

inline constexpr std::array kClusterColumns = {
    Column{.name = "ClusterClass",
           .json_path = ".spec.topology.class",
           .description = "ClusterClass, where used"},
    Column{.name = "Phase", .json_path = ".status.phase", .description = "How far along it is"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
    Column{.name = "Version",
           .json_path = ".spec.topology.version",
           .description = "Kubernetes version wanted, where a ClusterClass is used"},
};
inline constexpr ResourceInfo kClusterResource = old_version_of(resource<Cluster>, kClusterColumns);
inline constexpr std::array kClusterMembers = {
    like<Cluster>("metadata"),
    always(optional(as(kClusterSpec, like<Cluster>("spec")))),
    always(as(kClusterStatus, like<Cluster>("status"))),
};
inline constexpr TypeInfo kClusterType = top(kClusterMembers, kClusterResource);

inline constexpr std::array kClusterRows = {
    Row{.old_path = "spec.paused", .new_path = "spec.paused", .change = Change::Flag},
    Row{.old_path = "spec.controlPlaneRef",
        .new_path = "spec.controlPlaneRef",
        .change = Change::ContractRef},
    Row{.old_path = "spec.infrastructureRef",
        .new_path = "spec.infrastructureRef",
        .change = Change::ContractRef},
    kTopologyRow,
    Row{.old_path = "status.infrastructureReady",
        .new_path = "status.initialization.infrastructureProvisioned",
        .change = Change::Flag},
    Row{.old_path = "status.controlPlaneReady",
        .new_path = "status.initialization.controlPlaneInitialized",
        .change = Change::Flag},
    Row{.old_path = "status.failureDomains",
        .new_path = "status.failureDomains",
        .change = Change::FailureDomains},
    kConditionsRow,
    kFailureReasonRow,
    kFailureMessageRow,
    kNewConditionsRow,
    Row{.old_path = "status.v1beta2.controlPlane", .new_path = "status.controlPlane"},
    Row{.old_path = "status.v1beta2.workers", .new_path = "status.workers"},
};
inline constexpr Kind kCluster = {
    .old_type = &kClusterType, .new_type = &type_of<Cluster>, .rows = kClusterRows, .annotated = true};

}  // namespace capstan::api::v1beta1
