// IPAddress in v1beta1 and, the same, in v1alpha1. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/common.h"
#include "api/v1beta2/ip_address.h"

namespace capstan::api::v1beta1 {

consteval ResourceInfo alpha_version_of(ResourceInfo resource) {
  resource = old_version_of(resource, resource.columns);
  resource.version = kAlpha;
  return resource;
}

// A reference that may have no name; Go writes it whole.
inline constexpr std::array kOldNameRefMembers = {
    field("name", kText, {.doc = "Name of the object, in the same namespace."}),
};
inline constexpr TypeInfo kOldNameRef = object(kOldNameRefMembers);
inline constexpr std::array kOldPoolRefMembers = {
    field("apiGroup", kTextPointer,
          {.keep_empty = true, .doc = "API group of the pool. The core group when left out."}),
    field("kind", kText, {.required = true, .keep_empty = true, .doc = "Kind of the pool."}),
    field("name", kText, {.required = true, .keep_empty = true, .doc = "Name of the pool."}),
};
inline constexpr TypeInfo kOldPoolRef = object(kOldPoolRefMembers);

inline constexpr std::array kOldIpAddressSpecMembers = {
    always(as(kOldNameRef, like<IpAddressSpec>("claimRef"))),
    always(as(kOldPoolRef, like<IpAddressSpec>("poolRef"))),
    always(like<IpAddressSpec>("address")),
    always(unbounded(like<IpAddressSpec>("prefix"))),
    like<IpAddressSpec>("gateway"),
};
inline constexpr TypeInfo kOldIpAddressSpec = object(kOldIpAddressSpecMembers);
inline constexpr std::array kOldIpAddressMembers = {
    like<IpAddress>("metadata"),
    always(optional(as(kOldIpAddressSpec, like<IpAddress>("spec")))),
};
inline constexpr ResourceInfo kOldIpAddressResource =
    old_version_of(resource<IpAddress>, resource<IpAddress>.columns);
inline constexpr TypeInfo kOldIpAddressType = top(kOldIpAddressMembers, kOldIpAddressResource);
inline constexpr ResourceInfo kAlphaIpAddressResource = alpha_version_of(resource<IpAddress>);
inline constexpr TypeInfo kAlphaIpAddressType = top(kOldIpAddressMembers, kAlphaIpAddressResource);

inline constexpr std::array kIpAddressRows = {
    Row{.old_path = "spec.prefix", .new_path = "spec.prefix", .change = Change::Number},
};
inline constexpr Kind kIpAddress = {
    .old_type = &kOldIpAddressType, .new_type = &type_of<IpAddress>, .rows = kIpAddressRows};
inline constexpr Kind kAlphaIpAddress = {
    .old_type = &kAlphaIpAddressType, .new_type = &type_of<IpAddress>, .rows = kIpAddressRows};

}  // namespace capstan::api::v1beta1
