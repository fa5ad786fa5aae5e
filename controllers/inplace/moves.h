// How the MachineSets of a deployment count Machines that change from one to the other. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controllers/inplace/protocol.h"

namespace capstan::controllers::inplace {

struct HandOvers {
  // Of each MachineSet there is: the names it has to have noted, and what its replicas have to grow or shrink
  // by together with them.
  std::map<std::string, HandOver> by_set = {};
  std::vector<MachineSnapshot> recounted = {};  // whose place in those numbers changes now
};
HandOvers hand_overs(const Situation& now, const Progress& progress);

}  // namespace capstan::controllers::inplace
