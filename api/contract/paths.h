// Where things stand in the objects of providers: every path of the Cluster API contract, once. A path is a
// section (spec or status), a field in it, and what lies below. Constants only.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace capstan::api::contract {

enum class Section { Spec, Status };

struct Path {
  Section section = Section::Status;
  std::string_view field = {};
  std::array<std::string_view, 3> below = {};  // unused steps are empty

  // "status.initialization.provisioned"
  std::string str() const;
};

namespace field {
inline constexpr std::string_view kProviderId = "providerID";
inline constexpr std::string_view kProviderIdList = "providerIDList";
inline constexpr std::string_view kFailureDomain = "failureDomain";
inline constexpr std::string_view kControlPlaneEndpoint = "controlPlaneEndpoint";
inline constexpr std::string_view kVersion = "version";
inline constexpr std::string_view kReplicas = "replicas";

inline constexpr std::string_view kReady = "ready";
inline constexpr std::string_view kInitialized = "initialized";
inline constexpr std::string_view kInitialization = "initialization";
inline constexpr std::string_view kConditions = "conditions";
inline constexpr std::string_view kV1Beta2 = "v1beta2";
inline constexpr std::string_view kAddresses = "addresses";
inline constexpr std::string_view kFailureDomains = "failureDomains";
inline constexpr std::string_view kInterruptible = "interruptible";
inline constexpr std::string_view kDataSecretName = "dataSecretName";
inline constexpr std::string_view kFailureReason = "failureReason";
inline constexpr std::string_view kFailureMessage = "failureMessage";
inline constexpr std::string_view kInfrastructureMachineKind = "infrastructureMachineKind";
inline constexpr std::string_view kVersions = "versions";
inline constexpr std::string_view kReadyReplicas = "readyReplicas";
inline constexpr std::string_view kAvailableReplicas = "availableReplicas";
inline constexpr std::string_view kUnavailableReplicas = "unavailableReplicas";
inline constexpr std::string_view kUpToDateReplicas = "upToDateReplicas";
inline constexpr std::string_view kUpdatedReplicas = "updatedReplicas";
inline constexpr std::string_view kExternalManagedControlPlane = "externalManagedControlPlane";
}  // namespace field

namespace path {
inline constexpr Path kProviderId = {Section::Spec, field::kProviderId};
inline constexpr Path kProviderIdList = {Section::Spec, field::kProviderIdList};
inline constexpr Path kSpecFailureDomain = {Section::Spec, field::kFailureDomain};
inline constexpr Path kControlPlaneEndpoint = {Section::Spec, field::kControlPlaneEndpoint};
inline constexpr Path kVersion = {Section::Spec, field::kVersion};
inline constexpr Path kReplicas = {Section::Spec, field::kReplicas};

inline constexpr Path kProvisioned = {Section::Status, field::kInitialization, {"provisioned"}};
inline constexpr Path kDataSecretCreated = {Section::Status, field::kInitialization, {"dataSecretCreated"}};
inline constexpr Path kControlPlaneInitialized = {
    Section::Status, field::kInitialization, {"controlPlaneInitialized"}};
inline constexpr Path kReady = {Section::Status, field::kReady};              // contract v1beta1
inline constexpr Path kInitialized = {Section::Status, field::kInitialized};  // contract v1beta1
inline constexpr Path kConditions = {Section::Status, field::kConditions};
inline constexpr Path kV1Beta2Conditions = {Section::Status, field::kV1Beta2, {"conditions"}};
inline constexpr Path kAddresses = {Section::Status, field::kAddresses};
inline constexpr Path kFailureDomain = {Section::Status, field::kFailureDomain};
inline constexpr Path kFailureDomains = {Section::Status, field::kFailureDomains};
inline constexpr Path kInterruptible = {Section::Status, field::kInterruptible};
inline constexpr Path kDataSecretName = {Section::Status, field::kDataSecretName};
inline constexpr Path kFailureReason = {Section::Status, field::kFailureReason};
inline constexpr Path kFailureMessage = {Section::Status, field::kFailureMessage};
inline constexpr Path kInfrastructureMachineKind = {Section::Status, field::kInfrastructureMachineKind};
inline constexpr Path kStatusVersion = {Section::Status, field::kVersion};
inline constexpr Path kStatusVersions = {Section::Status, field::kVersions};
inline constexpr Path kStatusReplicas = {Section::Status, field::kReplicas};
inline constexpr Path kReadyReplicas = {Section::Status, field::kReadyReplicas};
inline constexpr Path kAvailableReplicas = {Section::Status, field::kAvailableReplicas};
inline constexpr Path kUnavailableReplicas = {Section::Status,
                                              field::kUnavailableReplicas};  // contract v1beta1
inline constexpr Path kUpToDateReplicas = {Section::Status, field::kUpToDateReplicas};
inline constexpr Path kUpdatedReplicas = {Section::Status, field::kUpdatedReplicas};  // contract v1beta1
inline constexpr Path kExternalManagedControlPlane = {Section::Status, field::kExternalManagedControlPlane};
}  // namespace path

}  // namespace capstan::api::contract
