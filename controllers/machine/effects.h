// What became of a plan, and how far a deletion has come. Left by act.h and deletion_turn.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/machine.h"
#include "base/result.h"
#include "controllers/drain/stage_report.h"

namespace capstan::controllers::machine {

// How far a deletion has come, for the Deleting condition.
struct DeletionReport {
  std::string_view reason = {};
  std::string message = {};
  api::MachineDeletionStatus marks = {};
  std::vector<api::V1Beta1Condition> older = {};
  bool under_way = false;  // providers take their objects away; often they are gone at once
};

struct Effects {
  api::Machine machine = {};       // as the API server has it after what was written in this turn
  std::vector<Error> errors = {};  // what could not be written; keeps observedGeneration back
  bool stopped = false;            // after the last of them no further action was tried
  bool failed = false;             // the deletion met an error; keeps observedGeneration back, too
  std::optional<DeletionReport> deletion = {};
  std::optional<drain::StageReport> emptying = {};  // of the Node of a preserved Machine, if this turn did so
};

}  // namespace capstan::controllers::machine
