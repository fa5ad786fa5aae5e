// Pod of a workload cluster: what draining its Node has to know. A projection, never cached for longer than a
// drain lasts. A plain value.
#pragma once

#include <string_view>

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct ClaimVolume {
  Text claim_name = {};
  bool operator==(const ClaimVolume&) const = default;
};
template <>
inline constexpr auto members<ClaimVolume> = std::array{member<&ClaimVolume::claim_name>("claimName")};

// One of the kinds of volume we tell apart, or none of them.
struct PodVolume {
  Text name = {};
  RawJson empty_dir = {};
  RawJson ephemeral = {};  // its claim is called "<pod>-<volume>"
  std::optional<ClaimVolume> persistent_volume_claim = {};

  bool operator==(const PodVolume&) const = default;
};
template <>
inline constexpr auto members<PodVolume> = std::array{
    member<&PodVolume::name>("name"),
    member<&PodVolume::empty_dir>("emptyDir"),
    member<&PodVolume::ephemeral>("ephemeral"),
    member<&PodVolume::persistent_volume_claim>("persistentVolumeClaim"),
};

struct PodSpec {
  Text node_name = {};
  List<PodVolume> volumes = {};
  Text priority_class_name = {};
  std::optional<std::int32_t> priority = {};
  std::optional<std::int64_t> termination_grace_period_seconds = {};
  bool operator==(const PodSpec&) const = default;
};
template <>
inline constexpr auto members<PodSpec> = std::array{
    member<&PodSpec::node_name>("nodeName"),
    member<&PodSpec::volumes>("volumes"),
    member<&PodSpec::priority_class_name>("priorityClassName"),
    member<&PodSpec::priority>("priority"),
    member<&PodSpec::termination_grace_period_seconds>("terminationGracePeriodSeconds"),
};

struct PodCondition {
  Text type = {};
  Text status = {};
  bool operator==(const PodCondition&) const = default;
};
template <>
inline constexpr auto members<PodCondition> = std::array{
    member<&PodCondition::type>("type"),
    member<&PodCondition::status>("status"),
};

struct PodStatus {
  Text phase = {};
  List<PodCondition> conditions = {};
  bool operator==(const PodStatus&) const = default;
};
template <>
inline constexpr auto members<PodStatus> = std::array{
    member<&PodStatus::phase>("phase"),
    member<&PodStatus::conditions>("conditions"),
};

struct Pod {
  ObjectMeta metadata = {};
  PodSpec spec = {};
  PodStatus status = {};

  // Succeeded or Failed: it will not run again.
  bool finished() const;
  bool ready() const;
  // Put there by the kubelet itself; deleting it in the API has no effect.
  bool is_mirror() const;
  bool operator==(const Pod&) const = default;
};
template <>
inline constexpr ResourceInfo resource<Pod> = {
    .version = "v1", .kind = "Pod", .plural = "pods", .status_subresource = true};
template <>
inline constexpr auto members<Pod> = std::array{
    member<&Pod::metadata>("metadata"),
    member<&Pod::spec>("spec"),
    member<&Pod::status>("status"),
};

}  // namespace capstan::api
