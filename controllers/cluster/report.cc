#include "controllers/cluster/report.h"

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::controllers::cluster {
namespace {

api::Condition paused_condition(const Plan& plan) {
  if (plan.paused)
    return api::conditions::make(api::condition::kPaused, "True", api::reason::kPaused, plan.why);
  return api::conditions::make(api::condition::kPaused, "False", api::reason::kNotPaused);
}

}  // namespace

api::Cluster report(const Observation& seen, const Plan& plan) {
  api::Cluster after = *seen.cluster;
  api::conditions::set(after.status.conditions, paused_condition(plan), after.metadata.generation, seen.now);
  return after;
}

}  // namespace capstan::controllers::cluster
