#include "bootstrap/controller/decide.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "bootstrap/controller/join.h"
#include "bootstrap/controller/removal.h"
#include "bootstrap/controller/render.h"
#include "bootstrap/controller/stage.h"
#include "bootstrap/controller/token_times.h"

namespace capstan::bootstrap::controller {
namespace {

void provide(const Observation& seen, Plan& plan);
void provide_with_authority(const Observation& seen, Plan& plan);
void settle(const Observation& seen, Plan& plan);
bool restores_status(const Observation& seen, Plan& plan);
bool everything_leaves(const Observation& seen);
void wait(const Observation& seen, runtime::Waiting waiting, Plan& plan);

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan{.paused = paused_by(seen)};
  if (plan.paused.paused || !seen.fresh) return plan;
  if (stage_of(seen) == Stage::Leaving)
    plan_removal(seen, plan);
  else if (!seen.object->metadata.deleting())
    provide(seen, plan);
  return plan;
}

namespace {

void provide(const Observation& seen, Plan& plan) {
  const Stage stage = stage_of(seen);
  if (stage == Stage::Settled) return settle(seen, plan);
  if (data_created(seen) && stage != Stage::Joining) return;
  if (restores_status(seen, plan) || everything_leaves(seen)) return;
  if (auto waiting = obstacle(seen)) return wait(seen, std::move(*waiting), plan);
  if (stage == Stage::Plain) return create_secret(seen, std::nullopt, plan);
  if (seen.live && !seen.live->error) provide_with_authority(seen, plan);
}

// What the Secrets say is known.
void provide_with_authority(const Observation& seen, Plan& plan) {
  if (seen.live->authority_pem.empty()) {
    if (!data_created(seen)) wait(seen, no_authority(seen), plan);
    plan.recheck = kLookAgain;
    return;
  }
  if (stage_of(seen) == Stage::ControlPlane) return create_secret(seen, Token(), plan);
  if (seen.live->unreachable) {
    if (!data_created(seen)) wait(seen, no_workload(seen), plan);
    plan.recheck = kLookAgain;
    return;
  }
  join(seen, plan);
}

// A token that was missed when the machine came up is of no interest any more.
void settle(const Observation& seen, Plan& plan) {
  if (!data_created(seen)) {
    restores_status(seen, plan);
  } else if (!api::conditions::is_true(seen.object->status.conditions, api::condition::kReady)) {
    plan.actions.emplace_back(RestoreStatus{.secret_name = seen.object->status.data_secret_name.str()});
  }
}

bool restores_status(const Observation& seen, Plan& plan) {
  if (data_created(seen) || !seen.owner || seen.owner->data_secret.empty()) return false;
  plan.actions.emplace_back(RestoreStatus{.secret_name = seen.owner->data_secret});
  return true;
}

bool everything_leaves(const Observation& seen) {
  return (seen.owner && seen.owner->deleting) || (seen.cluster && seen.cluster->metadata.deleting());
}

void wait(const Observation& seen, runtime::Waiting waiting, Plan& plan) {
  plan.recheck = runtime::until_shown(seen.object->metadata, seen.now);
  waiting.shown = !plan.recheck;
  plan.waiting = std::move(waiting);
}

}  // namespace
}  // namespace capstan::bootstrap::controller
