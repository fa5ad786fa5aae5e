// Pods with volumes that are evicted one after the other: whether the next one may go, or waits for a volume
// of the one before to be detached from this Node and attached to another. Pure; a round of a drain asks.
// What is remembered is safe to lose: a volume that no Pod uses any more is waited for anew, and for another
// Node not at all.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core/pod.h"
#include "api/core/volume_attachment.h"
#include "base/time.h"

namespace capstan::controllers::drain {

struct VolumeWaits {
  Seconds detach{0};
  Seconds reattach{0};
  bool operator==(const VolumeWaits&) const = default;
};

// Between the turns of one drain, by name of the PersistentVolume.
struct VolumeQueue {
  std::map<std::string, std::string> claims = {};  // "namespace/name" of its claim; empty: it has none
  std::map<std::string, Time> leaving = {};        // attached here without a Pod that uses it, since then
  std::map<std::string, Time> left = {};  // detached from here since then, not yet attached elsewhere
};

struct VolumeLook {
  Time now = {};
  std::string_view node = {};
  std::span<const api::Pod> pods = {};                      // on the Node
  std::span<const api::VolumeAttachment> attachments = {};  // of the whole cluster
  VolumeWaits waits = {};
};

// Volumes attached to the Node of which it is not known who claims them.
std::set<std::string> unknown_volumes(const VolumeLook& look, const VolumeQueue& queue);
// Brings the queue up to date. What the next Pod waits for, for users; empty: it may go.
std::string holds_up_next(const VolumeLook& look, VolumeQueue& queue);

bool has_volumes(const api::Pod& pod);
// In the order in which they go: the highest priority first, then by namespace and name.
std::vector<const api::Pod*> in_turn(std::vector<const api::Pod*> pods);

}  // namespace capstan::controllers::drain
