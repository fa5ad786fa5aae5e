// Whether a Node is well by what a policy asks for, and what is wrong in the words of its conditions. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/core/node.h"
#include "controllers/lifecycle/rules.h"

namespace capstan::controllers::lifecycle {

struct Wellness {
  std::string_view code = {};                     // the worst of it; empty: it is well
  std::vector<std::string> troubles = {};         // "Ready is False"
  std::vector<std::string> blocking_taints = {};  // "taint key:effect"

  bool well() const { return troubles.empty(); }
};
// Null: there is no such Node.
Wellness wellness_of(const api::Node* node, const Rules& rules);

}  // namespace capstan::controllers::lifecycle
