// Pause, as upstream's controllers do it: by Cluster.spec.paused or by the annotation on the object itself,
// with a condition that says so. While paused nothing but that condition is written. Pure functions; the
// caller patches.
#pragma once

#include <string>
#include <string_view>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "base/time.h"

namespace capstan::runtime {

struct Paused {
  bool paused = false;
  std::string message = {};  // both reasons, where both apply
  bool operator==(const Paused&) const = default;
};
Paused paused(bool cluster_paused, const api::ObjectMeta& object, std::string_view kind);

// Without times and generation, as conditions::make().
api::Condition paused_condition(const Paused& pause);

enum class PauseStep {
  GoOn,   // not paused; `conditions` may differ in what the final patch of the turn brings along
  Stop,   // paused, and the condition says so already
  Write,  // patch `conditions` now and end the turn: the write's own event brings the next
};
struct PauseVerdict {
  PauseStep step = PauseStep::GoOn;
  api::Conditions conditions = {};
};
PauseVerdict judge_pause(const Paused& pause, const api::Conditions& conditions, std::int64_t generation,
                         Time now);

}  // namespace capstan::runtime
