#include "controllers/fleetpolicy/plan.h"

#include "controllers/shared/plan_words.h"

namespace capstan::controllers::fleetpolicy {
namespace {

std::string called(const api::Machine& machine) {
  return "Machine " + machine.metadata.namespace_.str() + "/" + machine.metadata.name.str();
}

struct InWords {
  std::string operator()(const GiveGrant& action) const {
    return "grant the deletion of " + called(*action.machine);
  }
  std::string operator()(const TakeBack& action) const {
    return "take back the grant of " + called(*action.machine);
  }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::fleetpolicy
