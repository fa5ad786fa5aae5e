#include "bootstrap/access/reconciler.h"

#include "base/try.h"
#include "bootstrap/access/act.h"
#include "bootstrap/access/decide.h"
#include "bootstrap/access/observe.h"

namespace capstan::bootstrap::access {

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  const TurnContext with{.deps = deps_, .context = context};
  const auto seen = TRY(observe(with, key));
  if (!seen) return runtime::Outcome::done();
  const Plan plan = decide(*seen);
  if (!plan.actions.empty()) {
    context.log.debug("decided", {{"plan", describe(plan)}});
    TRY(act(with, *seen, plan));
  }
  if (!seen->wanted) deps_.workloads.forget(key);  // it is asked nothing more
  return runtime::Outcome::done();
}

}  // namespace capstan::bootstrap::access
