// Keeping new Pods off a Node that is being drained, and remembering who did it: a cordon without our mark
// belongs to a user or another program and always stays. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string_view>

#include "api/core/node.h"
#include "api/meta/object_key.h"

namespace capstan::controllers::drain {

// On Nodes that we have cordoned: "<namespace>/<name>" of the Machine for whose sake.
inline constexpr std::string_view kCordonedBy = "capstan.dev/cordoned-by";

// The merge patch that cordons, bound to the version of the Node it was made from: a cordon that a user sets
// at the same moment must not get our mark. Nothing when the Node is cordoned already.
std::optional<boost::json::value> cordon_patch(const api::Node& node, const api::ObjectKey& machine);

// Its kubelet has been silent for so long that its Ready condition is Unknown.
bool is_unreachable(const api::Node& node);

}  // namespace capstan::controllers::drain
