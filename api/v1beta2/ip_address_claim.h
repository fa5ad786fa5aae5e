// IPAddressClaim: asks the IPAM provider of a pool for one address. Made by infrastructure providers,
// answered by IPAM providers; no controller of ours works on it. A plain value.
#pragma once

#include "api/v1beta2/ip_address.h"

namespace capstan::api {

struct IpAddressClaimSpec {
  Text cluster_name = {};
  ContractRef pool_ref = {};
  UnknownFields unknown = {};
  bool operator==(const IpAddressClaimSpec&) const = default;
};
template <>
inline constexpr auto members<IpAddressClaimSpec> = std::array{
    member<&IpAddressClaimSpec::cluster_name>(
        "clusterName", {.min_length = 1, .max_length = 63, .doc = field_doc::kClusterName}),
    member<&IpAddressClaimSpec::pool_ref>(
        "poolRef", {.required = true, .doc = "The pool that the address shall come from."}),
};

struct V1Beta1IpAddressClaimStatus {
  V1Beta1Conditions conditions = {};
  UnknownFields unknown = {};
  bool operator==(const V1Beta1IpAddressClaimStatus&) const = default;
};
template <>
inline constexpr auto members<V1Beta1IpAddressClaimStatus> = std::array{
    member<&V1Beta1IpAddressClaimStatus::conditions>("conditions", {.doc = field_doc::kV1Beta1Conditions}),
};

struct IpAddressClaimStatus {
  Conditions conditions = {};
  std::optional<NameRef> address_ref = {};
  Boxed<Deprecated<V1Beta1IpAddressClaimStatus>> deprecated = {};
  UnknownFields unknown = {};
  bool operator==(const IpAddressClaimStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<IpAddressClaimStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<IpAddressClaimStatus> = std::array{
    member<&IpAddressClaimStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&IpAddressClaimStatus::address_ref>("addressRef",
                                               {.doc = "The IPAddress that was made for this claim."}),
    member<&IpAddressClaimStatus::deprecated>("deprecated", {.doc = field_doc::kDeprecated}),
};

struct IpAddressClaim {
  ObjectMeta metadata = {};
  IpAddressClaimSpec spec = {};
  IpAddressClaimStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const IpAddressClaim&) const = default;
};
inline constexpr std::array kIpAddressClaimColumns = {
    Column{.name = "Pool Name",
           .json_path = ".spec.poolRef.name",
           .description = "Name of the pool that the address shall come from"},
    Column{.name = "Pool Kind",
           .json_path = ".spec.poolRef.kind",
           .description = "Kind of the pool that the address shall come from"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<IpAddressClaim> = {.group = group::kIpam,
                                                          .version = "v1beta2",
                                                          .kind = "IPAddressClaim",
                                                          .plural = "ipaddressclaims",
                                                          .categories = kCategory,
                                                          .columns = kIpAddressClaimColumns,
                                                          .status_subresource = true,
                                                          .labels = kContractLabels,
                                                          .doc = "Asks a pool for an address."};
template <>
inline constexpr auto members<IpAddressClaim> = std::array{
    member<&IpAddressClaim::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&IpAddressClaim::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&IpAddressClaim::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
