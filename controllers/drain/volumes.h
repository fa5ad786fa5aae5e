// Which volumes are still attached to a Node after its Pods have gone. Pure: what the workload
// cluster says comes in, a verdict and its words for the condition go out.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core/pod.h"
#include "api/core/volume_attachment.h"
#include "base/result.h"
#include "base/time.h"

namespace capstan::controllers::drain {

// Sorted names of what holds up the Machine.
struct AttachedVolumes {
  std::set<std::string> claims = {};        // "namespace/name"
  std::set<std::string> unclaimed = {};     // PersistentVolumes that no claim has
  std::set<std::string> node_entries = {};  // of the Node's status, without a PersistentVolume
  std::set<std::string> attachments = {};   // to PersistentVolumes that do not exist

  bool none() const {
    return claims.empty() && unclaimed.empty() && node_entries.empty() && attachments.empty();
  }
  std::string message(Time started) const;
};

struct VolumeInput {
  std::string_view node = {};
  const api::NodeVolumes& attached_to_node;
  std::span<const api::VolumeAttachment> attachments = {};  // of this Node, others are left out
  std::span<const api::PersistentVolume> volumes = {};
  std::span<const std::string> ignored_claims = {};  // of Pods that stay on the Node
};
// Names of the PersistentVolumes attached to the Node. Invalid when an attachment does not name one.
Result<std::set<std::string>> attached_names(std::string_view node,
                                             std::span<const api::VolumeAttachment> attachments);
Result<AttachedVolumes> attached_volumes(const VolumeInput& input);

// "namespace/name" of the claims a Pod uses, those made for it alone included.
std::vector<std::string> claims_of(const api::Pod& pod);

}  // namespace capstan::controllers::drain
