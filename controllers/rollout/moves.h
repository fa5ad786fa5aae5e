// The annotations by which another core (or a later version of this one) hands Machines from an old
// MachineSet to the new one for an update in place. No hand-over is begun here; one that is under way is
// counted once and left intact, so that the core that began it can go on. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/v1beta2/machine.h"
#include "controllers/rollout/new_set.h"

namespace capstan::controllers::rollout {

using MachineSnapshot = std::shared_ptr<const api::Machine>;

struct Arrivals {
  std::vector<std::string> pending = {};  // Machines of the new set that await their acknowledgement, sorted
  std::vector<std::string> fresh = {};  // those of them not acknowledged yet: spec.replicas grows by as many
  std::string acknowledged() const;     // the annotation's value; empty: no annotation
};
Arrivals arrivals(const api::MachineSet& newest, std::span<const MachineSnapshot> machines);

// Copies what is to be kept of the hand-over on a set. `newest` is the name of the new set.
void keep_moves(const api::MachineSet& present, std::string_view newest, api::TextMap& annotations);

}  // namespace capstan::controllers::rollout
