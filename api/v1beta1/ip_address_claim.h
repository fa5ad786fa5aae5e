// IPAddressClaim in v1beta1, and in v1alpha1, which names the Cluster in a label. Included by
// api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/ip_address.h"
#include "api/v1beta2/ip_address_claim.h"

namespace capstan::api::v1beta1 {

inline constexpr Member kOldAddressRef = always(as(kOldNameRef, like<IpAddressClaimStatus>("addressRef")));
inline constexpr std::array kAlphaIpAddressClaimSpecMembers = {
    always(as(kOldPoolRef, like<IpAddressClaimSpec>("poolRef"))),
};
inline constexpr TypeInfo kAlphaIpAddressClaimSpec = object(kAlphaIpAddressClaimSpecMembers);
inline constexpr std::array kOldIpAddressClaimSpecMembers = {
    like<IpAddressClaimSpec>("clusterName"),
    always(as(kOldPoolRef, like<IpAddressClaimSpec>("poolRef"))),
};
inline constexpr TypeInfo kOldIpAddressClaimSpec = object(kOldIpAddressClaimSpecMembers);

inline constexpr std::array kAlphaIpAddressClaimStatusMembers = {
    kOldAddressRef,
    kConditions,
};
inline constexpr TypeInfo kAlphaIpAddressClaimStatus = object(kAlphaIpAddressClaimStatusMembers);
inline constexpr std::array kOldIpAddressClaimStatusMembers = {
    kOldAddressRef,
    kConditions,
    field("v1beta2", kConditionsOnlyPointer, {.doc = kNewStatusDoc}),
};
inline constexpr TypeInfo kOldIpAddressClaimStatus = object(kOldIpAddressClaimStatusMembers);

inline constexpr ResourceInfo kOldIpAddressClaimResource =
    old_version_of(resource<IpAddressClaim>, resource<IpAddressClaim>.columns);
inline constexpr std::array kOldIpAddressClaimMembers = {
    like<IpAddressClaim>("metadata"),
    always(optional(as(kOldIpAddressClaimSpec, like<IpAddressClaim>("spec")))),
    always(as(kOldIpAddressClaimStatus, like<IpAddressClaim>("status"))),
};
inline constexpr TypeInfo kOldIpAddressClaimType = top(kOldIpAddressClaimMembers, kOldIpAddressClaimResource);
inline constexpr ResourceInfo kAlphaIpAddressClaimResource = alpha_version_of(resource<IpAddressClaim>);
inline constexpr std::array kAlphaIpAddressClaimMembers = {
    like<IpAddressClaim>("metadata"),
    always(optional(as(kAlphaIpAddressClaimSpec, like<IpAddressClaim>("spec")))),
    always(as(kAlphaIpAddressClaimStatus, like<IpAddressClaim>("status"))),
};
inline constexpr TypeInfo kAlphaIpAddressClaimType =
    top(kAlphaIpAddressClaimMembers, kAlphaIpAddressClaimResource);

inline constexpr Kind kIpAddressClaim = {
    .old_type = &kOldIpAddressClaimType, .new_type = &type_of<IpAddressClaim>, .rows = kMovedConditionsRows};
inline constexpr std::array kAlphaIpAddressClaimRows = {
    kConditionsRow,
    Row{.new_path = "status.conditions", .change = Change::FromAnnotation},
    Row{.new_path = "spec.clusterName", .change = Change::Dropped},
};
inline constexpr Kind kAlphaIpAddressClaim = {.old_type = &kAlphaIpAddressClaimType,
                                              .new_type = &type_of<IpAddressClaim>,
                                              .rows = kAlphaIpAddressClaimRows,
                                              .annotated = true,
                                              .cluster_in_label = true};

}  // namespace capstan::api::v1beta1
