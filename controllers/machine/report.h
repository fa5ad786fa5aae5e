// The status a Machine deserves after a turn: conditions of both generations, phase, and the values of the
// plan. Pure functions; nothing new is read here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machine/decide.h"

namespace capstan::controllers::machine {

// How far a deletion has come, for the Deleting condition.
struct DeletionReport {
  std::string_view reason = {};
  std::string message = {};
  api::MachineDeletionStatus marks = {};
  std::vector<api::V1Beta1Condition> older = {};
  bool under_way = false;  // providers take their objects away; often they are gone at once
};

struct Done {
  api::Machine machine = {};       // as the API server has it after what was written in this turn
  std::vector<Error> errors = {};  // what could not be written; keeps observedGeneration back
  bool failed = false;             // so does this
  std::optional<DeletionReport> deletion = {};
};

struct Report {
  api::Machine machine = {};
  std::optional<Seconds> recheck = {};  // when time alone changes what is said
};
Report report(const Observation& seen, const Plan& plan, const Done& done, const Settings& settings);

// The condition types this controller answers for.
std::span<const std::string_view> owned_conditions();
std::span<const std::string_view> owned_v1beta1_conditions();

}  // namespace capstan::controllers::machine
