// What a MachineLifecyclePolicy says of drains beyond Cluster API: when Pods are deleted and not evicted, in
// which order Pods with volumes go, what becomes of their volumes. Each is off while it is left out. Plain
// values; their defaults are in the schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/v1beta2/common.h"

namespace capstan::api {

// What becomes of Pods that are left when the drain timeout is over.
struct DrainOnTimeout {
  static constexpr std::string_view kContinue = "Continue";
  static constexpr std::int32_t kTimeoutSeconds = 7200;

  Text action = {};  // empty: the default of its schema
  std::optional<std::int32_t> timeout_seconds = {};
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
    member<&DrainOnTimeout::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "7200",
         .doc = "The drain timeout of Machines that have no spec.deletion.nodeDrainTimeoutSeconds, in "
                "deletions and in updates in place. That field wins, 0 in it means no timeout; the "
                "Machine's annotation capstan.dev/drain-timeout-seconds wins over both."}),
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

// How long evictions that are refused are tried.
struct EvictionRetries {
  static constexpr std::int32_t kMost = 360;
  static constexpr std::int32_t kPeriodSeconds = 20;

  std::optional<std::int32_t> most = {};
  UnknownFields unknown = {};
  bool operator==(const EvictionRetries&) const = default;
};
template <>
inline constexpr auto members<EvictionRetries> = std::array{
    member<&EvictionRetries::most>(
        "most",
        {.minimum = 1,
         .maximum = 30240,
         .default_json = "360",
         .doc = "After so many periods of 20 seconds of a drain, a Pod whose eviction is refused once more "
                "is deleted, without grace and whatever its budgets say. It is time that counts, and not "
                "attempts, so that a restart of the controller changes nothing."}),
};

// Pods with volumes are evicted one after the other.
struct VolumesInTurn {
  static constexpr std::int32_t kDetachSeconds = 120;
  static constexpr std::int32_t kReattachSeconds = 90;

  std::optional<std::int32_t> detach_seconds = {};
  std::optional<std::int32_t> reattach_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const VolumesInTurn&) const = default;
};
template <>
inline constexpr auto members<VolumesInTurn> = std::array{
    member<&VolumesInTurn::detach_seconds>(
        "detachSeconds",
        {.minimum = 1,
         .maximum = 86400,
         .default_json = "120",
         .doc = "How long the next Pod waits for the volumes of the one before to be detached from the "
                "Node, counted from when that Pod is gone."}),
    member<&VolumesInTurn::reattach_seconds>(
        "reattachSeconds",
        {.minimum = 1,
         .maximum = 86400,
         .default_json = "90",
         .doc = "How long the next Pod waits for those volumes to be attached to another Node, counted from "
                "when they are detached from this one."}),
};

// VolumeAttachments of a Node that is about to go are deleted.
struct AttachmentCleanup {
  UnknownFields unknown = {};
  bool operator==(const AttachmentCleanup&) const = default;
};
template <>
inline constexpr auto members<AttachmentCleanup> = std::array<Member, 0>{};

}  // namespace capstan::api
