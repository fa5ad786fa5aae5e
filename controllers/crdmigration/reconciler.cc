#include "controllers/crdmigration/reconciler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/try.h"
#include "controllers/crdmigration/act.h"
#include "controllers/crdmigration/decide.h"
#include "controllers/crdmigration/observe.h"
#include "controllers/shared/turn_steps.h"

namespace capstan::controllers::crdmigration {
namespace {

constexpr auto kAtOnce = std::chrono::milliseconds(1);
// Leaves room for the requests of others.
constexpr auto kBetweenPages = std::chrono::milliseconds(100);

}  // namespace

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  if (!is_migrated(key.name)) return runtime::Outcome::done();
  const auto cached = deps_.caches.crds.get(key);
  if (!cached) {
    memory_.erase(key.name);
    return runtime::Outcome::done();
  }
  Remembered& memory = memory_[key.name];
  if (memory.finished == cached->metadata.generation) return runtime::Outcome::done();
  return take_turn(context, key, memory);
}

Result<runtime::Outcome> Reconciler::take_turn(const runtime::Context& context, const kube::ObjectKey& key,
                                               Remembered& memory) {
  const ObserveContext with{.deps = deps_, .host = *host_, .context = context};
  const auto seen = observe(with, memory, settings_, key);
  if (!seen && seen.error().code == Code::Gone) {
    memory.pass = {.generation = memory.pass.generation};
    return runtime::Outcome::after(kAtOnce);
  }
  if (!seen) return fail(seen.error());
  if (!*seen) return runtime::Outcome::done();
  const Plan plan = decide(**seen);
  log_plan(context.log, plan);
  const Effects effects =
      TRY(act({.deps = deps_, .host = *host_, .contests = contests_, .context = context}, **seen, plan));
  if (plan.step == Step::RewritePage) count(**seen, effects, memory);
  return conclude(context, **seen, plan, memory);
}

void Reconciler::count(const Observation& seen, const Effects& effects, Remembered& memory) const {
  probes_.objects[ObjectResult::Written].add(static_cast<double>(effects.written));
  probes_.objects[ObjectResult::Failed].add(static_cast<double>(effects.failures.size()));
  Pass& pass = memory.pass;
  pass.written += effects.written;
  pass.changed_meanwhile += effects.changed_meanwhile;
  pass.failed += effects.failures.size();
  for (const std::string& failure : effects.failures)
    if (pass.failures.size() < kNamedFailures) pass.failures.push_back(failure);
  pass.continue_token = seen.continue_token;
  pass.ended = seen.continue_token.empty();
  if (!pass.ended || pass.failed > 0) return;
  if (pass.changed_meanwhile > 0) {
    pass = {.generation = pass.generation};  // once more, for the managers of what has changed meanwhile
  } else {
    memory.passed = seen.definition.served;
  }
}

Result<runtime::Outcome> Reconciler::conclude(const runtime::Context& context, const Observation& seen,
                                              const Plan& plan, Remembered& memory) {
  const auto& definition = seen.definition;
  switch (plan.step) {
    case Step::Nothing: memory.finished = definition.generation; return runtime::Outcome::done();
    case Step::Wait: return runtime::Outcome::after(plan.again.value_or(kBetweenPages));
    case Step::RewritePage: return runtime::Outcome::after(kBetweenPages);
    case Step::GiveUp:
      memory.pass = {.generation = definition.generation};
      ++memory.given_up;
      context.log.error("the pass will be repeated", {{"why", plan.why}, {"after", *plan.again}});
      return runtime::Outcome::after(*plan.again);
    case Step::PruneVersions:
      context.log.info("stored objects were migrated",
                       {{"definition", definition.name},
                        {"from", fmt::format("{}", fmt::join(plan.stored_versions.from, ","))},
                        {"to", plan.stored_versions.to},
                        {"written", memory.pass.written}});
      return runtime::Outcome::after(kAtOnce);
    case Step::Note: memory.finished = definition.generation; return runtime::Outcome::done();
  }
  return runtime::Outcome::done();
}

}  // namespace capstan::controllers::crdmigration
