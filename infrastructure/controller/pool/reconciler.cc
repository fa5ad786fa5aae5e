#include "infrastructure/controller/pool/reconciler.h"

#include <algorithm>

#include "infrastructure/controller/pool/act.h"
#include "infrastructure/controller/pool/decide.h"
#include "infrastructure/controller/pool/observe.h"
#include "infrastructure/controller/pool/report.h"
#include "infrastructure/controller/turn_steps.h"

namespace capstan::infrastructure::pool {
namespace {

using runtime::Outcome;

constexpr Seconds kSoon{1};

Outcome next_look(const Plan& plan, const Effects& effects, const Memory& memory) {
  Outcome next = Outcome::after(plan.recheck);
  if (effects.more) next = next.or_sooner(Outcome::after(kSoon));
  if (effects.trouble && effects.trouble->retry > Seconds(0))
    next = next.or_sooner(Outcome::after(effects.trouble->retry));
  const auto lists = [](const Action& action) { return std::holds_alternative<SizeGroup>(action); };
  const bool looks = memory.look_every > Nanoseconds(0) && std::ranges::any_of(plan.actions, lists);
  return looks ? next.or_sooner(Outcome::after(memory.look_every)) : next;
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  auto seen = observe({.deps = deps_, .context = context}, key);
  if (!seen) {
    remember(key, std::nullopt);
    return Outcome::done();
  }
  seen->refusal = last_refusal(key);
  return take_turn({.deps = deps_, .consistency = *consistency_, .context = context}, *seen);
}

Result<Outcome> Reconciler::take_turn(const ActContext& with, const Observation& seen) {
  const Plan plan = decide(seen);
  if (!plan.actions.empty()) with.context.log.debug("decided", {{"plan", describe(plan)}});
  const Effects effects = act(with, seen, plan);
  if (!plan.actions.empty()) remember(runtime::key_of(*seen.object), effects.refusal);
  if (effects.released) return Outcome::done();
  const api::DriverMachinePool& before = effects.object ? *effects.object : *seen.object;
  const Reported reported = report(seen, plan, effects);
  if (TRY(write_status(with, deps_.caches.driver_machine_pools, before, reported.after)))
    record_events(reported);
  if (effects.error) return fail(*effects.error);
  return next_look(plan, effects, memory_);
}

std::optional<Refusal> Reconciler::last_refusal(const ObjectKey& key) const {
  return refusals_.with([&](const auto& refusals) {
    const auto found = refusals.find(key);
    return found == refusals.end() ? std::optional<Refusal>() : found->second;
  });
}

void Reconciler::remember(const ObjectKey& key, const std::optional<Refusal>& refusal) {
  refusals_.with([&](auto& refusals) {
    if (refusal)
      refusals.insert_or_assign(key, *refusal);
    else
      refusals.erase(key);
  });
}

void Reconciler::record_events(const Reported& reported) {
  runtime::record_notes(
      deps_.events,
      runtime::reference_to(kube::resource_of<api::DriverMachinePool>(), reported.after.metadata),
      reported.notes);
}

}  // namespace capstan::infrastructure::pool
