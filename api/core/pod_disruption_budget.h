// PodDisruptionBudget: how many Pods an eviction may take down at once. A projection, watched while a Node
// drains. A plain value.
#pragma once

#include "api/meta/label_selector.h"
#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct PodDisruptionBudgetSpec {
  std::optional<IntOrString> min_available = {};
  std::optional<IntOrString> max_unavailable = {};
  std::optional<LabelSelector> selector = {};  // absent selects nothing, empty everything
  Text unhealthy_pod_eviction_policy = {};     // empty: IfHealthyBudget
  bool operator==(const PodDisruptionBudgetSpec&) const = default;
};
template <>
inline constexpr auto members<PodDisruptionBudgetSpec> = std::array{
    member<&PodDisruptionBudgetSpec::min_available>("minAvailable"),
    member<&PodDisruptionBudgetSpec::max_unavailable>("maxUnavailable"),
    member<&PodDisruptionBudgetSpec::selector>("selector"),
    member<&PodDisruptionBudgetSpec::unhealthy_pod_eviction_policy>("unhealthyPodEvictionPolicy"),
};

struct PodDisruptionBudgetStatus {
  std::int64_t observed_generation = 0;
  std::int32_t disruptions_allowed = 0;
  std::int32_t current_healthy = 0;
  std::int32_t desired_healthy = 0;
  std::int32_t expected_pods = 0;
  bool operator==(const PodDisruptionBudgetStatus&) const = default;
};
template <>
inline constexpr auto members<PodDisruptionBudgetStatus> = std::array{
    member<&PodDisruptionBudgetStatus::observed_generation>("observedGeneration"),
    member<&PodDisruptionBudgetStatus::disruptions_allowed>("disruptionsAllowed"),
    member<&PodDisruptionBudgetStatus::current_healthy>("currentHealthy"),
    member<&PodDisruptionBudgetStatus::desired_healthy>("desiredHealthy"),
    member<&PodDisruptionBudgetStatus::expected_pods>("expectedPods"),
};

struct PodDisruptionBudget {
  ObjectMeta metadata = {};
  PodDisruptionBudgetSpec spec = {};
  PodDisruptionBudgetStatus status = {};
  bool operator==(const PodDisruptionBudget&) const = default;
};
template <>
inline constexpr ResourceInfo resource<PodDisruptionBudget> = {.group = "policy",
                                                               .version = "v1",
                                                               .kind = "PodDisruptionBudget",
                                                               .plural = "poddisruptionbudgets",
                                                               .status_subresource = true};
template <>
inline constexpr auto members<PodDisruptionBudget> = std::array{
    member<&PodDisruptionBudget::metadata>("metadata"),
    member<&PodDisruptionBudget::spec>("spec"),
    member<&PodDisruptionBudget::status>("status"),
};

}  // namespace capstan::api
