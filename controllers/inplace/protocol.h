// The next step of each Machine that is being updated in place, or is not any more: from the label
// capstan.dev/selected-for-update to the result that the agent on its Node reports, and what follows from it.
// Which Machines begin is chosen by selection.h, how they change their MachineSet by moves.h. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "controllers/inplace/situation.h"

namespace capstan::controllers::inplace {

struct Progress {
  std::vector<const MachineSeen*> to_move = {};  // updated for a MachineSet that is there and is not theirs
  bool stopped = false;                          // an update to the newest MachineSet has failed
};
// Adds actions, notes and rechecks to `plan`.
Progress go_on(const Situation& now, Plan& plan);

// What agents report in the label capstan.dev/update-result.
inline constexpr std::string_view kSuccessful = "successful";
inline constexpr std::string_view kFailed = "failed";

}  // namespace capstan::controllers::inplace
