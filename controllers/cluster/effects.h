// What became of a plan. A plain value.
#pragma once

#include <optional>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "base/result.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::cluster {

struct Effects {
  api::Cluster cluster = {};     // as the server has it after our patches of spec and metadata
  bool gone = false;             // its last finalizer was ours, and has been taken off
  bool deletion_failed = false;  // a step of it; the errors say why
  bool lacks_finalizer = false;  // it could not be put on: nothing else was done
  std::vector<Error> errors = {};
  std::vector<Note> notes = {};
  std::optional<Seconds> recheck = {};
};

}  // namespace capstan::controllers::cluster
