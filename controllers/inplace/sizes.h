// How large MachineSets are while old Machines are updated in place and move to the new one. Pure.
#pragma once

#include <map>
#include <string>

#include "controllers/inplace/situation.h"
#include "controllers/rollout/fleet.h"

namespace capstan::controllers::inplace {

// The same fleet, counted by the Machines there are: what MachineSets report may not know yet of one that has
// changed its set, and then both would report it, or neither. `keeps_old`: the limits are those of updates in
// place, and what an old set lacks may be on its way as long as it makes Machines.
rollout::Fleet by_machines(rollout::Fleet fleet, const Question& ask, bool keeps_old);

// Each set with the replicas it is to have once these names are noted. A crash or a refused write may have
// left a Machine noted by one set alone, and both would count it: that is no Machine too many.
void count_hand_overs(const std::map<std::string, HandOver>& hand_overs, rollout::Fleet& fleet);

// Needs fleet.newest. The new MachineSet gets what the surge allows and what is missing; an old one makes no
// Machine any more, and gives one up only when more are there than replicas and surge. What moves is not in
// it: that is counted as it moves.
rollout::Scaling plan_sizes(const rollout::Fleet& fleet);

}  // namespace capstan::controllers::inplace
