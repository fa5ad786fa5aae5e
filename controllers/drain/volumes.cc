#include "controllers/drain/volumes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "controllers/drain/drain_message.h"

namespace capstan::controllers::drain {
namespace {

constexpr std::string_view kClaimKind = "PersistentVolumeClaim";

void add_line(std::string& text, std::string_view what, const std::set<std::string>& names) {
  constexpr std::size_t kShown = 5;
  if (names.empty()) return;
  const std::vector<std::string> list(names.begin(), names.end());
  text += fmt::format("\n* {}: {}", what, some_of(list, kShown));
}

// Files the volume under what holds it, if anything does.
void add_volume(const api::PersistentVolume& volume, std::span<const std::string> ignored,
                AttachedVolumes& attached) {
  const auto& claim = volume.spec.claim_ref;
  if (!claim || claim->kind != kClaimKind) {
    attached.unclaimed.insert(volume.metadata.name.str());
    return;
  }
  std::string key = fmt::format("{}/{}", claim->namespace_.view(), claim->name.view());
  if (std::ranges::find(ignored, key) == ignored.end()) attached.claims.insert(std::move(key));
}

}  // namespace

Result<std::set<std::string>> attached_names(std::string_view node,
                                             std::span<const api::VolumeAttachment> attachments) {
  std::set<std::string> names;
  for (const auto& attachment : attachments) {
    if (!attachment.status.attached || attachment.spec.node_name != node) continue;
    if (attachment.spec.source.persistent_volume_name.empty()) {
      return fail(Code::Invalid,
                  fmt::format("VolumeAttachment {} spec.source.persistentVolumeName is not set",
                              attachment.metadata.name.view()));
    }
    names.insert(attachment.spec.source.persistent_volume_name.str());
  }
  return names;
}

Result<AttachedVolumes> attached_volumes(const VolumeInput& input) {
  AttachedVolumes attached;
  attached.attachments = TRY(attached_names(input.node, input.attachments));
  for (const auto& entry : input.attached_to_node.status.volumes_attached)
    attached.node_entries.insert(entry.name.str());
  const auto entries = attached.node_entries;
  for (const auto& volume : input.volumes) {
    const std::string entry = volume.spec.csi ? volume.spec.csi->attached_name() : std::string();
    const bool by_entry = entries.contains(entry);
    const bool by_attachment = attached.attachments.erase(volume.metadata.name.str()) > 0;
    if (by_entry) attached.node_entries.erase(entry);
    if (by_entry || by_attachment) add_volume(volume, input.ignored_claims, attached);
  }
  return attached;
}

std::vector<std::string> claims_of(const api::Pod& pod) {
  std::vector<std::string> claims;
  for (const auto& volume : pod.spec.volumes) {
    if (volume.persistent_volume_claim) {
      claims.push_back(fmt::format("{}/{}", pod.metadata.namespace_.view(),
                                   volume.persistent_volume_claim->claim_name.view()));
    } else if (!volume.ephemeral.empty()) {
      claims.push_back(fmt::format("{}/{}-{}", pod.metadata.namespace_.view(), pod.metadata.name.view(),
                                   volume.name.view()));
    }
  }
  return claims;
}

std::string AttachedVolumes::message(Time started) const {
  std::string text =
      fmt::format("Waiting for Node volumes to be detached (started at {})", started.to_string());
  add_line(text, "PersistentVolumeClaims", claims);
  add_line(text, "PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim", unclaimed);
  add_line(text, "Node with .status.volumesAttached entries not matching a PersistentVolume", node_entries);
  add_line(text, "VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume",
           attachments);
  return text;
}

}  // namespace capstan::controllers::drain
