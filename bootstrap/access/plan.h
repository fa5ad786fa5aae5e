// What a turn is going to do in a workload cluster. Made by decide.h, carried out by act.h. A plain value.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bootstrap/access/bindings.h"

namespace capstan::bootstrap::access {

struct CreateBinding {
  Binding binding = {};
};
// Its labels and subjects are put right.
struct RepairBinding {
  Binding binding = {};
};
struct RemoveBinding {
  std::string name = {};
};
struct RemoveOrphan {
  std::string token_id = {};
};

using Action = std::variant<CreateBinding, RepairBinding, RemoveBinding, RemoveOrphan>;

struct Plan {
  std::vector<Action> actions = {};
};

// One line per action.
std::string describe(const Plan& plan);

}  // namespace capstan::bootstrap::access
