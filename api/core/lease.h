// Lease: the lock of leader election. Read and written whole, so every field survives. A plain value.
#pragma once

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct LeaseSpec {
  Text holder_identity = {};
  std::optional<std::int32_t> lease_duration_seconds = {};
  MicroTime acquire_time = {};
  MicroTime renew_time = {};
  std::optional<std::int32_t> lease_transitions = {};
  UnknownFields unknown = {};
  bool operator==(const LeaseSpec&) const = default;
};
template <>
inline constexpr auto members<LeaseSpec> = std::array{
    member<&LeaseSpec::holder_identity>("holderIdentity"),
    member<&LeaseSpec::lease_duration_seconds>("leaseDurationSeconds"),
    member<&LeaseSpec::acquire_time>("acquireTime"),
    member<&LeaseSpec::renew_time>("renewTime"),
    member<&LeaseSpec::lease_transitions>("leaseTransitions"),
};

struct Lease {
  ObjectMeta metadata = {};
  LeaseSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const Lease&) const = default;
};
template <>
inline constexpr ResourceInfo resource<Lease> = {
    .group = "coordination.k8s.io", .version = "v1", .kind = "Lease", .plural = "leases"};
template <>
inline constexpr auto members<Lease> = std::array{
    member<&Lease::metadata>("metadata"),
    member<&Lease::spec>("spec"),
};

}  // namespace capstan::api
