// What a FleetPolicy keeps in its status: the deletions it has granted. Written by its controller before a
// Machine gets its annotation, so that a restart loses none. Plain values.
#pragma once

#include "api/policy/fleet_names.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

// A Machine may be deleted, or is being deleted because it might; or one VM of a Cluster that is no object's.
struct FleetGrant {
  Text namespace_ = {};
  Text name = {};
  Uid uid = {};
  Text cluster_name = {};
  Text reason = {};
  Time granted_at = {};
  Time begun_at = {};  // not set: its deletion has not begun
  UnknownFields unknown = {};
  bool operator==(const FleetGrant&) const = default;
};
template <>
inline constexpr auto members<FleetGrant> = std::array{
    member<&FleetGrant::namespace_>(
        "namespace",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "Of the Machine or the Cluster."}),
    member<&FleetGrant::name>("name",
                              {.min_length = 1,
                               .max_length = 253,
                               .required = true,
                               .doc = "Of the Machine, or for a VM that no object has, of its Cluster."}),
    member<&FleetGrant::uid>("uid", {.required = true, .doc = "Of that object."}),
    member<&FleetGrant::cluster_name>(
        "clusterName",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "The Cluster in that namespace."}),
    member<&FleetGrant::reason>(
        "reason", {.min_length = 1, .max_length = 63, .required = true, .doc = "Why it is to be deleted."}),
    member<&FleetGrant::granted_at>("grantedAt", {.required = true, .doc = "When it was granted."}),
    member<&FleetGrant::begun_at>("begunAt",
                                  {.doc = "When the deletion was seen to have begun. Absent until then."}),
};

// Machines of one Cluster that are gone, and whose granted deletions began within one minute for one reason.
struct FleetBucket {
  Time minute = {};
  Text namespace_ = {};
  Text cluster_name = {};
  Text reason = {};
  std::int32_t count = 0;
  UnknownFields unknown = {};
  bool operator==(const FleetBucket&) const = default;
};
template <>
inline constexpr auto members<FleetBucket> = std::array{
    member<&FleetBucket::minute>("minute",
                                 {.required = true, .doc = "The minute in which their deletions began."}),
    member<&FleetBucket::namespace_>(
        "namespace",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "Of the Cluster and its Machines."}),
    member<&FleetBucket::cluster_name>(
        "clusterName",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "The Cluster of the Machines."}),
    member<&FleetBucket::reason>(
        "reason",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "Why the Machines were deleted."}),
    member<&FleetBucket::count>("count", {.minimum = 1, .required = true, .doc = "How many Machines."}),
};

}  // namespace capstan::api
