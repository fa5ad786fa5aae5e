// What one turn of a slow stage of a Machine's deletion came to: the drain and the wait for volumes answer
// with it, controllers/machine/deletion.h reads it. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/instant.h"

namespace capstan::controllers::drain {

// Pods were deleted and not evicted.
struct ByForce {
  std::string why = {};
  std::vector<std::string> pods = {};  // "namespace/name"
  bool operator==(const ByForce&) const = default;
};

struct StageReport {
  bool done = false;
  std::string message = {};                // for the condition, whole: what holds it up, since when
  Seconds recheck = {};                    // while not done
  std::optional<Error> trouble = {};       // it could not even be tried
  std::vector<std::string> warnings = {};  // for Events, each said once
  std::optional<ByForce> by_force = {};    // of a drain that is done
  std::vector<std::string> given_up = {};  // Pods that were deleted as their evictions were refused too long
  std::vector<std::string> detached = {};  // VolumeAttachments that were deleted

  static StageReport finished() { return {.done = true}; }
  bool operator==(const StageReport&) const = default;
};

}  // namespace capstan::controllers::drain
