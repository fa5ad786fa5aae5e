// IPAddress: one address out of a pool, made by an IPAM provider for an IPAddressClaim. No controller of ours
// works on it; its CRD and its rules are part of the package, for providers that do. A plain value.
#pragma once

#include "api/v1beta2/common.h"

namespace capstan::api {

namespace group {
inline constexpr std::string_view kIpam = "ipam.cluster.x-k8s.io";
}  // namespace group

// An object in the namespace of the one that refers to it, of a kind that is known from the field.
struct NameRef {
  Text name = {};
  UnknownFields unknown = {};
  bool operator==(const NameRef&) const = default;
};
template <>
inline constexpr auto members<NameRef> = std::array{
    member<&NameRef::name>("name", {.min_length = 1,
                                    .max_length = 253,
                                    .pattern = pattern::kDns1123Subdomain,
                                    .required = true,
                                    .doc = "Name of the object, in the same namespace."}),
};

struct IpAddressSpec {
  NameRef claim_ref = {};
  ContractRef pool_ref = {};
  Text address = {};
  std::int32_t prefix = 0;
  Text gateway = {};
  UnknownFields unknown = {};
  bool operator==(const IpAddressSpec&) const = default;
};
template <>
inline constexpr auto members<IpAddressSpec> = std::array{
    member<&IpAddressSpec::claim_ref>(
        "claimRef", {.required = true, .doc = "The IPAddressClaim that this address was made for."}),
    member<&IpAddressSpec::pool_ref>("poolRef",
                                     {.required = true, .doc = "The pool that the address comes from."}),
    member<&IpAddressSpec::address>(
        "address",
        {.min_length = 1, .max_length = 39, .required = true, .doc = "The address, IPv4 or IPv6."}),
    member<&IpAddressSpec::prefix>("prefix", {.minimum = 0,
                                              .maximum = 128,
                                              .required = true,
                                              .doc = "Length of the prefix of its network, in bits."}),
    member<&IpAddressSpec::gateway>(
        "gateway", {.min_length = 1, .max_length = 39, .doc = "The gateway of its network."}),
};

struct IpAddress {
  ObjectMeta metadata = {};
  IpAddressSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const IpAddress&) const = default;
};
inline constexpr std::array kIpAddressColumns = {
    Column{.name = "Address", .json_path = ".spec.address", .description = "The address"},
    Column{.name = "Pool Name",
           .json_path = ".spec.poolRef.name",
           .description = "Name of the pool that the address comes from"},
    Column{.name = "Pool Kind",
           .json_path = ".spec.poolRef.kind",
           .description = "Kind of the pool that the address comes from"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<IpAddress> = {.group = group::kIpam,
                                                     .version = "v1beta2",
                                                     .kind = "IPAddress",
                                                     .plural = "ipaddresses",
                                                     .categories = kCategory,
                                                     .columns = kIpAddressColumns,
                                                     .labels = kContractLabels,
                                                     .doc = "An address out of a pool."};
template <>
inline constexpr auto members<IpAddress> = std::array{
    member<&IpAddress::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&IpAddress::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
};

}  // namespace capstan::api
