#include "controllers/fleetpolicy/plan.h"

#include <fmt/format.h>

#include "controllers/shared/plan_words.h"

namespace capstan::controllers::fleetpolicy {
namespace {

template <typename T>
std::string called(const T& object) {
  return fmt::format("{} {}/{}", api::resource<T>.kind, object.metadata.namespace_.view(),
                     object.metadata.name.view());
}

struct InWords {
  std::string operator()(const GiveGrant& action) const {
    return "grant the deletion of " + called(*action.machine);
  }
  std::string operator()(const TakeBack& action) const {
    return "take back the grant of " + called(*action.machine);
  }
  std::string operator()(const GrantOrphan& action) const {
    return "grant the deletion of an orphan of " + called(*action.cluster);
  }
  std::string operator()(const EndOrphanGrant& action) const {
    return "end the grant for an orphan of " + called(*action.cluster);
  }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::fleetpolicy
