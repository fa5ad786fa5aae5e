// What became of a plan. Made by act.h, read by report.h. A plain value.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace capstan::bootstrap::controller {

struct Effects {
  std::string secret_name = {};  // of the data Secret that is there; empty: none
  std::string token = {};        // what status.bootstrapToken is to say; empty: as before
  std::string taken = {};        // a Secret of another owner stands in the way: what to do about it
  bool object_changed = false;   // by a finalizer: the status waits for the turn that this brings
  std::optional<Error> error = {};
};

}  // namespace capstan::bootstrap::controller
