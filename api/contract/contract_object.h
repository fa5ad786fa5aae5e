// ContractObject: what the cache keeps of a provider's object: its metadata and the fields the contract
// names, as compact JSON. Values are not typed here on purpose: a field of the wrong type is that one field's
// error when it is read, never a reason to lose the object. Of the fields an object has few, so they are
// packed (api/contract/packed.h). A projection: it can't be encoded. A plain value, shared as an immutable
// snapshot.
#pragma once

#include <array>

#include "api/contract/packed.h"
#include "api/contract/paths.h"
#include "api/meta/object_meta.h"
#include "api/schema/field.h"

namespace capstan::api {

namespace contract {

struct ContractSpec {
  RawJson provider_id = {};
  RawJson provider_id_list = {};
  RawJson failure_domain = {};
  RawJson control_plane_endpoint = {};
  RawJson version = {};
  RawJson replicas = {};
  bool operator==(const ContractSpec&) const = default;
};

struct ContractStatus {
  RawJson ready = {};
  RawJson initialized = {};
  RawJson initialization = {};
  RawJson conditions = {};
  RawJson v1beta2 = {};
  RawJson addresses = {};
  RawJson failure_domain = {};
  RawJson failure_domains = {};
  RawJson interruptible = {};
  RawJson data_secret_name = {};
  RawJson failure_reason = {};
  RawJson failure_message = {};
  RawJson infrastructure_machine_kind = {};
  RawJson version = {};
  RawJson versions = {};
  RawJson replicas = {};
  RawJson ready_replicas = {};
  RawJson available_replicas = {};
  RawJson unavailable_replicas = {};
  RawJson up_to_date_replicas = {};
  RawJson updated_replicas = {};
  RawJson external_managed_control_plane = {};
  bool operator==(const ContractStatus&) const = default;
};

// Found by Packed: conditions that no controller reads are dropped before a status is packed.
void keep_what_is_read(ContractStatus& status);

struct ContractObject {
  Text api_version = {};
  Text kind = {};
  ObjectMeta metadata = {};
  Packed<ContractSpec> spec = {};
  Packed<ContractStatus> status = {};
  bool operator==(const ContractObject&) const = default;
};

// Found by the informer (runtime/informer.h): the annotations that no controller reads are dropped before an
// object is cached.
void keep_what_is_read(ContractObject& object);

}  // namespace contract

template <>
inline constexpr auto members<contract::ContractSpec> = std::array{
    member<&contract::ContractSpec::provider_id>(contract::field::kProviderId),
    member<&contract::ContractSpec::provider_id_list>(contract::field::kProviderIdList),
    member<&contract::ContractSpec::failure_domain>(contract::field::kFailureDomain),
    member<&contract::ContractSpec::control_plane_endpoint>(contract::field::kControlPlaneEndpoint),
    member<&contract::ContractSpec::version>(contract::field::kVersion),
    member<&contract::ContractSpec::replicas>(contract::field::kReplicas),
};
template <>
inline constexpr auto members<contract::ContractStatus> = std::array{
    member<&contract::ContractStatus::ready>(contract::field::kReady),
    member<&contract::ContractStatus::initialized>(contract::field::kInitialized),
    member<&contract::ContractStatus::initialization>(contract::field::kInitialization),
    member<&contract::ContractStatus::conditions>(contract::field::kConditions),
    member<&contract::ContractStatus::v1beta2>(contract::field::kV1Beta2),
    member<&contract::ContractStatus::addresses>(contract::field::kAddresses),
    member<&contract::ContractStatus::failure_domain>(contract::field::kFailureDomain),
    member<&contract::ContractStatus::failure_domains>(contract::field::kFailureDomains),
    member<&contract::ContractStatus::interruptible>(contract::field::kInterruptible),
    member<&contract::ContractStatus::data_secret_name>(contract::field::kDataSecretName),
    member<&contract::ContractStatus::failure_reason>(contract::field::kFailureReason),
    member<&contract::ContractStatus::failure_message>(contract::field::kFailureMessage),
    member<&contract::ContractStatus::infrastructure_machine_kind>(
        contract::field::kInfrastructureMachineKind),
    member<&contract::ContractStatus::version>(contract::field::kVersion),
    member<&contract::ContractStatus::versions>(contract::field::kVersions),
    member<&contract::ContractStatus::replicas>(contract::field::kReplicas),
    member<&contract::ContractStatus::ready_replicas>(contract::field::kReadyReplicas),
    member<&contract::ContractStatus::available_replicas>(contract::field::kAvailableReplicas),
    member<&contract::ContractStatus::unavailable_replicas>(contract::field::kUnavailableReplicas),
    member<&contract::ContractStatus::up_to_date_replicas>(contract::field::kUpToDateReplicas),
    member<&contract::ContractStatus::updated_replicas>(contract::field::kUpdatedReplicas),
    member<&contract::ContractStatus::external_managed_control_plane>(
        contract::field::kExternalManagedControlPlane),
};
template <>
inline constexpr auto members<contract::ContractObject> = std::array{
    member<&contract::ContractObject::api_version>("apiVersion"),
    member<&contract::ContractObject::kind>("kind"),
    member<&contract::ContractObject::metadata>("metadata"),
    member<&contract::ContractObject::spec>("spec"),
    member<&contract::ContractObject::status>("status"),
};

}  // namespace capstan::api
