// What users set of the Machine controller with flags; a part of each Observation. A plain value.
#pragma once

#include "base/time.h"
#include "controllers/machine/node_sync.h"

namespace capstan::controllers::machine {

struct Settings {
  NodeSyncRules node_sync = {};
  // How long conditions of a Node are believed when its cluster can't be reached
  // (--remote-conditions-grace-period).
  Seconds conditions_grace = std::chrono::minutes(5);
  // How long a status that no controller acts upon may wait for more news.
  Nanoseconds gather = std::chrono::seconds(1);
};

}  // namespace capstan::controllers::machine
