#include "controllers/inplace/decide.h"

#include <iterator>
#include <utility>

#include "api/policy/names.h"
#include "controllers/inplace/moves.h"
#include "controllers/inplace/selection.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::inplace {
namespace {

void begin(const Situation& now, Plan& plan) {
  const auto& window = now.ask().seen.window;
  const auto next = next_machines(now);
  if (!next.empty() && !window.open) {
    plan.told.push_back(window.why);
    plan.held = window.why;
    return recheck_within(plan.recheck, window.opens_in);
  }
  for (const MachineSeen* each : next)
    plan.actions.push_back(
        MarkMachine{.machine = each->machine,
                    .to = UpdateMark{.set = std::string(now.newest()), .since = now.ask().now},
                    .news = api::NoteCode::InPlaceUpdateBegan});
}

}  // namespace

Plan decide(const Question& ask) {
  const Situation now(ask);
  Plan plan;
  const Progress progress = go_on(now, plan);
  auto moves = hand_overs(now, progress);
  plan.hand_overs = std::move(moves.by_set);
  plan.recounted = std::move(moves.recounted);
  plan.keeps_old = keeps_old_machines(now);
  if (!plan.keeps_old) return plan;
  std::ranges::move(waits_for(now), std::back_inserter(plan.told));
  const bool may_begin = ask.may_go_on && ask.choice.newest && !progress.stopped;
  if (may_begin) begin(now, plan);
  return plan;
}

}  // namespace capstan::controllers::inplace
