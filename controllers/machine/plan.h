// What a turn of a Machine is going to do, apart from its deletion, and what users should hear. Made by
// decide.h, carried out by act.h, turned into conditions by report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machine/providers.h"
#include "controllers/machine/settings.h"

namespace capstan::controllers::machine {

// An Event to be.
struct Note {
  bool warning = false;
  bool at_once = false;  // otherwise with the status that says the same
  std::string_view reason = {};
  std::string message = {};
  bool operator==(const Note&) const = default;
};

struct Plan {
  // Nothing can be said yet: a cache is still being filled. Write nothing, look again so soon.
  std::optional<Nanoseconds> too_early = {};

  api::Machine wanted = {};  // the Machine after this turn, conditions apart
  BootstrapFinding bootstrap = {};
  InfraFinding infra = {};
  std::optional<NodeChange> node_change = {};

  std::vector<Note> notes = {};
  std::vector<std::string> troubles = {};  // what can't go on; keeps observedGeneration back
  std::optional<Seconds> recheck = {};
};
}  // namespace capstan::controllers::machine
