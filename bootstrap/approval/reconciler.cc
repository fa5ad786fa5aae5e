#include "bootstrap/approval/reconciler.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "bootstrap/approval/decide.h"
#include "bootstrap/approval/observe.h"

namespace capstan::bootstrap::approval {
namespace {

Result<void> answer(const TurnContext& with, const ObjectKey& cluster, const Request& request,
                    const Verdict& verdict) {
  const auto client = TRY(with.deps.workloads.of(cluster, with.context.deadline));
  TRY(client->patch(signing_requests(), {.name = request.name},
                    decision_patch(verdict.decision, verdict.why, request.version),
                    {.subresource = "approval"}, with.context.deadline));
  with.context.log.info(verdict.decision == Decision::Approve ? "approved" : "denied",
                        {{"request", request.name}, {"why", verdict.why}});
  return {};
}

}  // namespace

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  const TurnContext with{.deps = deps_, .context = context};
  const auto seen = TRY(observe(with, key));
  if (!seen) return runtime::Outcome::done();
  const auto verdicts = judge_all(seen->cases);
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i]) TRY(answer(with, seen->cluster, seen->cases[i].request, *verdicts[i]));
  return runtime::Outcome::after(seen->nodes_missing ? kWhileMachinesJoin : kForRenewals);
}

}  // namespace capstan::bootstrap::approval
