#include "api/core/node.h"

#include <algorithm>

namespace capstan::api {

const NodeCondition* Node::condition(std::string_view type) const {
  const auto found =
      std::ranges::find(status.conditions, type, [](const NodeCondition& each) { return each.type.view(); });
  return found == status.conditions.end() ? nullptr : &*found;
}

}  // namespace capstan::api
