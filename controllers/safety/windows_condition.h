// The condition WindowsUnderstood of policies with windows: whether each of them can open. Used by their
// reports. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/meta/condition.h"
#include "base/time.h"

namespace capstan::controllers::safety {

struct WindowsSeen {
  bool any = false;
  std::vector<std::string> problems = {};  // of those that never open
};
// Gone where there are no windows.
void show_windows(const WindowsSeen& seen, api::Conditions& list, std::int64_t generation, Time now);

}  // namespace capstan::controllers::safety
