// What became of the plan of a turn. Made by act.h, shown by report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "controllers/machinepool/plan.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::machinepool {

// What the deletion of a pool waits for, where only act() can tell.
struct Waiting {
  std::string_view reason = {};
  std::string message = {};
  std::optional<Seconds> recheck = {};
};

struct Effects {
  api::MachinePool pool = {};  // as the server has it now
  Nodes kept = {};             // to be retired, but not deleted yet
  bool gone = false;           // the last finalizer is off
  bool unfinished = false;     // there was too much for one turn
  std::vector<Error> errors = {};
  std::string node_trouble = {};          // why Nodes could not be written or deleted
  std::string draining = {};              // what holds up Nodes that are to go
  std::optional<Waiting> waits_for = {};  // instead of what the plan says
  std::optional<Seconds> recheck = {};    // for the drains
  std::vector<Note> notes = {};           // of the drains
};

}  // namespace capstan::controllers::machinepool
