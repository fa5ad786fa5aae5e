#include "api/core/node.h"

#include <algorithm>

#include "base/hash.h"

namespace capstan::api {

const NodeCondition* Node::condition(std::string_view type) const {
  const auto found =
      std::ranges::find(status.conditions, type, [](const NodeCondition& each) { return each.type.view(); });
  return found == status.conditions.end() ? nullptr : &*found;
}

}  // namespace capstan::api

// No two Nodes have all three IDs in common.
std::size_t std::hash<capstan::api::NodeSystemInfo>::operator()(
    const capstan::api::NodeSystemInfo& system) const noexcept {
  using capstan::hash_combine;
  return hash_combine(hash_combine(system.machine_id.hash(), system.system_uuid.hash()),
                      system.boot_id.hash());
}
