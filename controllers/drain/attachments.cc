#include "controllers/drain/attachments.h"

#include <algorithm>

#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/drain/cordon.h"
#include "kube/typed.h"

namespace capstan::controllers::drain {
namespace {

// The caches may be behind. True: the Node is gone, and its attachments are no matter of ours.
Result<bool> is_node_gone(const AttachmentRemoval& removal, const Deadline& deadline) {
  const std::string name(removal.node);
  const auto live = kube::get<api::Node>(removal.client, {.name = name}, deadline);
  if (!live && live.error().code == Code::NotFound) return true;
  if (!live) return fail(live.error());
  if (live->metadata.uid != removal.clearance.object())
    return fail(Code::Conflict, "Node " + name + " is another one by now");
  if (!may_lose_attachments(*live, removal.vm_is_gone))
    return fail(Code::Conflict, "Node " + name + " is not out of reach any more");
  return false;
}

}  // namespace

std::vector<const api::VolumeAttachment*> left_attachments(std::span<const api::VolumeAttachment> listed,
                                                           std::string_view node) {
  std::vector<const api::VolumeAttachment*> left;
  for (const auto& attachment : listed) {
    const bool is_of_node = attachment.spec.node_name == node || is_off(Safeguard::AttachmentsOfNode);
    if (is_of_node && !attachment.metadata.deleting()) left.push_back(&attachment);
  }
  std::ranges::sort(left, {}, [](const auto* each) { return each->metadata.name.view(); });
  return left;
}

bool may_lose_attachments(const api::Node& node, bool vm_is_gone) {
  return vm_is_gone || is_unreachable(node) || is_off(Safeguard::AttachmentsAwaitVm);
}

Result<StageReport> delete_attachments(const AttachmentRemoval& removal, const Deadline& deadline) {
  const auto left = left_attachments(removal.listed, removal.node);
  if (left.empty() || TRY(is_node_gone(removal, deadline))) return StageReport::finished();
  StageReport report = StageReport::finished();
  Result<void> failed;
  for (const api::VolumeAttachment* attachment : left) {
    const std::string name = attachment->metadata.name.str();
    const auto removed = claims::detach(removal.client, attachment->metadata, removal.clearance, deadline);
    if (removed) report.detached.push_back(name);
    const bool is_left = !removed && removed.error().code != Code::NotFound;
    if (is_left && failed) failed = fail(removed.error().context("delete VolumeAttachment " + name));
  }
  TRY(failed);
  return report;
}

}  // namespace capstan::controllers::drain
