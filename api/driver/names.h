// Every name of the infrastructure provider that comes with Capstan: kinds, finalizers, condition types and
// reasons, and the tags by which a VM says whose it is. Constants only, safe everywhere.
#pragma once

#include <array>
#include <string_view>

#include "api/schema/resource.h"

namespace capstan::api::driver {

// Our providers keep the contract of today only: an older core finds no label and says so.
inline constexpr std::array kContractLabels = {
    StaticLabel{.key = "cluster.x-k8s.io/v1beta2", .value = "v1beta2"},
};
inline constexpr std::string_view kVersion = "v1beta2";

namespace kind {
inline constexpr std::string_view kDriverCluster = "DriverCluster";
inline constexpr std::string_view kDriverMachine = "DriverMachine";
inline constexpr std::string_view kDriverMachineTemplate = "DriverMachineTemplate";
inline constexpr std::string_view kDriverMachinePool = "DriverMachinePool";
}  // namespace kind

namespace finalizer {
inline constexpr std::string_view kCluster = "drivercluster.capstan.dev";
inline constexpr std::string_view kMachine = "drivermachine.capstan.dev";
inline constexpr std::string_view kMachinePool = "drivermachinepool.capstan.dev";
}  // namespace finalizer

// What a VM carries. The first one is its identity, the others say for people and for the search for orphans
// whose it is.
namespace tag {
inline constexpr std::string_view kInstanceKey = "capstan.dev/instance-key";
inline constexpr std::string_view kCluster = "capstan.dev/cluster";
inline constexpr std::string_view kClusterKey =
    "capstan.dev/cluster-key";  // spec.clusterKey of its DriverCluster
inline constexpr std::string_view kNamespace = "capstan.dev/namespace";
inline constexpr std::string_view kName = "capstan.dev/name";
inline constexpr std::string_view kOrphanSince = "capstan.dev/orphan-since";  // when it was first no object's
inline constexpr std::string_view kGroup = "capstan.dev/group";  // spec.groupKey of a DriverMachinePool
inline constexpr std::string_view kPool = "capstan.dev/pool";    // and its name
}  // namespace tag

namespace annotation {
// On a DriverMachinePool: names of the instances that go first when it shrinks, with commas between them.
inline constexpr std::string_view kVictims = "capstan.dev/victims";
// On a DriverMachinePool whose MachinePool says that others decide its size: what the cloud's own autoscaler
// wants.
inline constexpr std::string_view kAutoscaledTo = "capstan.dev/autoscaled-to";
// On a DriverMachine that a pool made: where its VM is to be.
inline constexpr std::string_view kFailureDomain = "capstan.dev/failure-domain";
// On a DriverMachine or DriverMachinePool: a person gives up its VMs in this account, the one of
// spec.account.
inline constexpr std::string_view kAbandonVm = "capstan.dev/abandon-vm";
// On a DriverCluster whose control plane and endpoint the provider has made, so that it knows them for its
// own also after its finalizer was taken off.
inline constexpr std::string_view kMadeControlPlane = "capstan.dev/made-control-plane";
}  // namespace annotation

// Reasons of the condition Ready.
namespace reason {
inline constexpr std::string_view kWaitingForOwner = "WaitingForOwner";
inline constexpr std::string_view kWaitingForCluster = "WaitingForCluster";
inline constexpr std::string_view kWaitingForClusterInfrastructure = "WaitingForClusterInfrastructure";
inline constexpr std::string_view kWaitingForBootstrapData = "WaitingForBootstrapData";
inline constexpr std::string_view kBootstrapDataUnreadable = "BootstrapDataUnreadable";
inline constexpr std::string_view kCredentialsUnreadable = "CredentialsUnreadable";
inline constexpr std::string_view kCloudUnreadable = "CloudUnreadable";
inline constexpr std::string_view kCreateFailed = "CreateFailed";
inline constexpr std::string_view kResourceExhausted = "ResourceExhausted";
inline constexpr std::string_view kInstanceKeyTaken = "InstanceKeyTaken";
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kVmGone = "VMGone";
inline constexpr std::string_view kWrongAccount = "WrongAccount";
inline constexpr std::string_view kVmStopped = "VMStopped";
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kDeleteFailed = "DeleteFailed";
inline constexpr std::string_view kControlPlaneUnavailable = "ControlPlaneUnavailable";
inline constexpr std::string_view kEndpointDiffers = "EndpointDiffers";
inline constexpr std::string_view kAuthorityTaken = "CertificateAuthorityTaken";
inline constexpr std::string_view kDependentsLeft = "WaitingForMachines";
inline constexpr std::string_view kResizing = "Resizing";
inline constexpr std::string_view kInvalidSize = "InvalidSize";
inline constexpr std::string_view kInstanceNotReady = "InstanceNotReady";
// Of Events of a DriverCluster.
inline constexpr std::string_view kOrphanFound = "OrphanFound";
inline constexpr std::string_view kOrphanDeleted = "OrphanDeleted";
}  // namespace reason

}  // namespace capstan::api::driver
