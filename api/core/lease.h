// Lease: the lock of leader election. Read and written whole, so every field survives; times stay text, because the API has
// microseconds there and whoever writes must give back what it read. A plain value.
#pragma once

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"
#include "base/time.h"

namespace capstan::api {

struct LeaseSpec {
  Text holder_identity = {};
  std::optional<std::int32_t> lease_duration_seconds = {};
  FreeText acquire_time = {};
  FreeText renew_time = {};
  std::optional<std::int32_t> lease_transitions = {};
  UnknownFields unknown = {};

  // Not set when absent or unreadable.
  MicroTime acquired() const;
  MicroTime renewed() const;
  void set_acquired(MicroTime time) { acquire_time = FreeText(time.to_string()); }
  void set_renewed(MicroTime time) { renew_time = FreeText(time.to_string()); }
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
