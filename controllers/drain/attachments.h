// VolumeAttachments that are left of a Node when its Machine goes: deleted, so that the volumes can be
// attached elsewhere without waiting for a kubelet that does not answer any more. Used by the drainer; blocks
// as the client does.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/core/node.h"
#include "api/core/volume_attachment.h"
#include "base/deadline.h"
#include "controllers/claims/clearance.h"
#include "controllers/drain/stage_report.h"
#include "kube/client.h"

namespace capstan::controllers::drain {

// Of that Node, whatever a list has brought, and not on their way out already. They belong to the list.
std::vector<const api::VolumeAttachment*> left_attachments(std::span<const api::VolumeAttachment> listed,
                                                           std::string_view node);

// A VM that runs may still write to its volumes: they are taken from it only when it is gone, or when its
// kubelet has been silent for so long that the Node is unreachable.
bool may_lose_attachments(const api::Node& node, bool vm_is_gone);

struct AttachmentRemoval {
  kube::Client& client;
  std::string_view node = {};
  const claims::Clearance& clearance;  // of that Node
  bool vm_is_gone = false;             // the API server has confirmed that its infrastructure object is gone
  std::span<const api::VolumeAttachment> listed = {};
};
// Asks the API server for the Node first: Conflict when that is another one by now, or answers again. Fails
// with the first deletion that failed, after all were tried.
Result<StageReport> delete_attachments(const AttachmentRemoval& removal, const Deadline& deadline);

}  // namespace capstan::controllers::drain
