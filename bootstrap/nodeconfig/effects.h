// What became of a plan. Made by act.h, read by report.h. A plain value.
#pragma once

#include <optional>

#include "base/error.h"

namespace capstan::bootstrap::nodeconfig {

struct Effects {
  bool object_changed = false;  // by a finalizer: the status waits for the turn that this brings
  std::optional<Error> error = {};
};

}  // namespace capstan::bootstrap::nodeconfig
