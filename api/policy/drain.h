// What a MachineLifecyclePolicy says of drains that evictions alone can't end: the timeout is over, or the
// kubelet can't end Pods any more. Each is off while it is left out. Plain values; their defaults are in the
// schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/v1beta2/common.h"

namespace capstan::api {

// What becomes of Pods that are left when the drain timeout is over.
struct DrainOnTimeout {
  static constexpr std::string_view kContinue = "Continue";

  Text action = {};  // empty: the default of its schema
  UnknownFields unknown = {};
  bool force_deletes() const { return action != kContinue; }
  bool operator==(const DrainOnTimeout&) const = default;
};
template <>
inline constexpr auto members<DrainOnTimeout> = std::array{
    member<&DrainOnTimeout::action>(
        "action",
        {.one_of = "ForceDelete|Continue",
         .default_json = R"("ForceDelete")",
         .doc = "ForceDelete deletes the Pods that are left, without grace and whatever their budgets say, "
                "before the deletion of the Machine goes on; Continue goes on with the Pods running, as "
                "Cluster API does."}),
};

// When a Node counts as one that evictions can't empty any more.
struct NotReadyForce {
  static constexpr std::int32_t kAfterSeconds = 300;

  std::optional<std::int32_t> after_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const NotReadyForce&) const = default;
};
template <>
inline constexpr auto members<NotReadyForce> = std::array{
    member<&NotReadyForce::after_seconds>(
        "afterSeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "300",
         .doc = "For how long the Node's condition Ready has not been True, or ReadonlyFilesystem has been "
                "True, before its Pods are deleted without grace and whatever their budgets say. Counted "
                "from the condition's transition, and not from before the cluster was reached again."}),
};

}  // namespace capstan::api
