#include "controllers/drain/volume_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "controllers/drain/volumes.h"

namespace capstan::controllers::drain {
namespace {

using VolumeNames = std::set<std::string>;

VolumeNames volumes_on(const VolumeLook& look, bool on_this_node) {
  VolumeNames names;
  for (const auto& attachment : look.attachments) {
    const bool here = attachment.spec.node_name == look.node;
    if (attachment.status.attached && here == on_this_node)
      names.insert(attachment.spec.source.persistent_volume_name.str());
  }
  return names;
}

VolumeNames used_claims(const VolumeLook& look) {
  VolumeNames claims;
  for (const api::Pod& pod : look.pods) {
    if (!pod.finished()) std::ranges::move(claims_of(pod), std::inserter(claims, claims.end()));
  }
  return claims;
}

void note_leaving(const VolumeLook& look, const VolumeNames& here, VolumeQueue& queue) {
  const VolumeNames used = used_claims(look);
  for (const std::string& volume : here) {
    const auto claim = queue.claims.find(volume);
    const bool is_claimed = claim != queue.claims.end() && !claim->second.empty();
    if (is_claimed && !used.contains(claim->second)) {
      queue.leaving.try_emplace(volume, look.now);
    } else {
      queue.leaving.erase(volume);
    }
  }
}

void note_left(const VolumeLook& look, const VolumeNames& here, VolumeQueue& queue) {
  std::erase_if(queue.leaving, [&](const auto& each) {
    if (here.contains(each.first)) return false;
    queue.left.try_emplace(each.first, look.now);
    return true;
  });
  const VolumeNames elsewhere = volumes_on(look, false);
  std::erase_if(queue.left, [&](const auto& each) {
    return elsewhere.contains(each.first) || here.contains(each.first) ||
           look.now >= each.second + look.waits.reattach;
  });
}

std::string ends_first(const VolumeLook& look) {
  for (const api::Pod& pod : look.pods) {
    const bool is_going = pod.metadata.deleting() && has_volumes(pod) && !pod.finished();
    if (is_going && look.now < pod.metadata.deletion_timestamp + look.waits.detach)
      return fmt::format("Pod {}/{} to end", pod.metadata.namespace_.view(), pod.metadata.name.view());
  }
  return {};
}

}  // namespace

bool has_volumes(const api::Pod& pod) { return !claims_of(pod).empty(); }

std::vector<const api::Pod*> in_turn(std::vector<const api::Pod*> pods) {
  std::ranges::sort(pods, {}, [](const api::Pod* pod) {
    return std::tuple(-std::int64_t{pod->spec.priority.value_or(0)}, pod->metadata.namespace_.view(),
                      pod->metadata.name.view());
  });
  return pods;
}

std::set<std::string> unknown_volumes(const VolumeLook& look, const VolumeQueue& queue) {
  VolumeNames unknown = volumes_on(look, true);
  std::erase_if(unknown, [&](const std::string& volume) { return queue.claims.contains(volume); });
  return unknown;
}

std::string holds_up_next(const VolumeLook& look, VolumeQueue& queue) {
  const VolumeNames here = volumes_on(look, true);
  note_leaving(look, here, queue);
  note_left(look, here, queue);
  if (auto pod = ends_first(look); !pod.empty()) return pod;
  for (const auto& [volume, since] : queue.leaving) {
    if (look.now < since + look.waits.detach)
      return fmt::format("PersistentVolume {} to be detached, until {} at most", volume,
                         (since + look.waits.detach).to_string());
  }
  if (queue.left.empty()) return {};
  const auto& [volume, since] = *queue.left.begin();
  return fmt::format("PersistentVolume {} to be attached to another Node, until {} at most", volume,
                     (since + look.waits.reattach).to_string());
}

}  // namespace capstan::controllers::drain
