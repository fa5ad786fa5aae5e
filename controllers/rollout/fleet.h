// What a planner knows and what it answers: the MachineSets of one MachineDeployment as numbers, and the
// replicas they should have next. Values.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "controllers/rollout/limits.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::rollout {

struct SetCounts {
  std::string name = {};
  Time created = {};
  Count spec = 0;       // spec.replicas
  Count status = 0;     // status.replicas: Machines there are, deleting ones included
  Count available = 0;  // status.availableReplicas
  Count leaving = 0;    // of `status`, known to be on their way out, and not counted as available
  Count held = 0;       // beyond spec: what it keeps because a window is shut or a guard waits
  bool settled = true;  // the status is about this spec: nothing asked for earlier is still being done

  Count machines() const { return std::max(spec, status); }  // that it has, or will have
  Count staying() const { return status - leaving; }
};

struct Fleet {
  Limits limits = {};
  std::optional<SetCounts> newest = {};
  std::vector<SetCounts> old = {};  // larger first, then older, then by name
  // How many Machines the new set gets before its first one is available; nothing: as many as the limits
  // allow.
  std::optional<Count> slow_start = {};

  // A set that was made smaller may still be making Machines as it was told before, and one that was made
  // larger may still be deleting some: until it has seen its new size, its numbers allow nothing.
  bool old_are_settled() const {
    return std::ranges::all_of(old, [](const SetCounts& set) { return set.settled; });
  }
};

struct Intent {
  std::string set = {};
  Count replicas = 0;
  bool operator==(const Intent&) const = default;
};

// In the order in which they came up; a set without an intent stays as it is.
class Scaling {
 public:
  std::optional<Count> of(std::string_view set) const {
    for (const Intent& intent : intents) {
      if (intent.set == set) return intent.replicas;
    }
    return std::nullopt;
  }
  void intend(const std::string& set, Count replicas) {
    for (Intent& intent : intents) {
      if (intent.set == set) return void(intent.replicas = replicas);
    }
    intents.push_back({.set = set, .replicas = replicas});
  }
  void intend(const std::string& set, Count replicas, std::string why) {
    intend(set, replicas);
    notes.push_back({.about = set, .code = api::NoteCode::RolloutStep, .text = std::move(why)});
  }

  std::vector<Intent> intents = {};
  std::vector<Note> notes = {};
};

}  // namespace capstan::controllers::rollout
