// What became of a plan. A plain value.
#pragma once

#include <vector>

#include "base/result.h"

namespace capstan::controllers::lifecyclepolicy {

struct Effects {
  std::vector<Error> errors = {};  // at most one: the actions behind it are left to the next turn
};

}  // namespace capstan::controllers::lifecyclepolicy
