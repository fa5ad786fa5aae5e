// Subresources other than status: scale, eviction, binding, token, a namespace's finalize. Internal to
// apiserver/.
#pragma once

#include "apiserver/core.h"

namespace capstan::apiserver {

// GET, PUT and PATCH of autoscaling/v1 Scale, over the paths the kind names.
Response scale_object(Core& core, const Target& target, const Request& request);
Response evict_pod(Core& core, const Target& target, const Request& request);
// Any of ExtraSubresource.
Response extra_subresource(Core& core, const Target& target, const Request& request);

}  // namespace capstan::apiserver
