#include "api/core/pod.h"

#include <algorithm>

#include "api/names.h"

namespace capstan::api {

bool Pod::finished() const { return status.phase == "Succeeded" || status.phase == "Failed"; }

bool Pod::ready() const {
  return std::ranges::any_of(status.conditions, [](const PodCondition& each) {
    return each.type == condition::kReady && each.status == status::kTrue;
  });
}

bool Pod::is_mirror() const { return metadata.annotations.contains(annotation::kMirrorPod); }

}  // namespace capstan::api
