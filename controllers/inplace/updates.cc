#include "controllers/inplace/updates.h"

#include "base/try.h"
#include "controllers/claims/clearance.h"
#include "controllers/drain/pace.h"
#include "controllers/shared/policies.h"
#include "kube/typed.h"

namespace capstan::controllers::inplace {
namespace {

// Nothing: it is another's; the drain waits until the claims are settled.
Result<std::optional<claims::Clearance>> clear(const ActContext& with, const DrainNode& what,
                                               const DrainGround& ground) {
  const claims::Instance instance{.cluster = kube::key_of(ground.cluster),
                                  .provider_id = what.machine->spec.provider_id,
                                  .node = what.node.get()};
  auto answer = TRY(claims::clear_node(
      {.caches = with.deps.caches, .client = with.deps.client, .deadline = with.context.deadline},
      with.host.externals, instance, {.machine = what.machine.get()}));
  return std::move(answer.clearance);
}

std::optional<Time> end_of_drain(const api::Machine& machine, const drain::DrainChoices& choices,
                                 Time began) {
  const auto seconds = drain::drain_timeout(machine, choices);
  if (seconds.value_or(0) <= 0) return std::nullopt;
  return began + Seconds(*seconds);
}

drain::ForceRules force_rules(const drain::DrainChoices& choices, bool out_of_time, Time reached_since) {
  drain::ForceRules rules{.reached_since = reached_since};
  if (out_of_time) rules.why = "the drain timeout is over, and the policy's drain.onTimeout is ForceDelete";
  if (choices.not_ready_seconds) rules.not_ready_for = Seconds(*choices.not_ready_seconds);
  return rules;
}

}  // namespace

UpdateDrain update_drain(const api::Machine& machine, const drain::DrainChoices& choices,
                         const DrainTimes& times) {
  const auto end = end_of_drain(machine, choices, times.began);
  const bool out_of_time = end && *end <= times.now;
  UpdateDrain how{.is_over = out_of_time && !choices.force_on_timeout,
                  .force = force_rules(choices, out_of_time, times.reached_since)};
  if (auto asked = drain::force_of_a_drain(machine.metadata); !asked.empty())
    how.force.why = std::move(asked);
  if (choices.eviction_seconds) how.eviction_time = Seconds(*choices.eviction_seconds);
  if (end && !out_of_time) how.ends_in = *end - times.now;
  return how;
}

Updates::Updates(const Deps& deps)
    : deps_(deps),
      node_writes_(deps.clock),
      drainer_({.clock = deps.clock,
                .threads = deps.threads,
                .wake = [this](const kube::ObjectKey& machine) { wake(machine); },
                .metrics = deps.metrics}) {}

void Updates::bind(const Host& host) { host_.emplace(host); }

void Updates::wake(const kube::ObjectKey& key) {
  const auto machine = deps_.caches.machines.get(key);
  const auto* owner = machine ? machine->metadata.controller() : nullptr;
  if (!host_ || owner == nullptr) return;
  const auto set = deps_.caches.machine_sets.get({.namespace_ = key.namespace_, .name = owner->name.str()});
  const auto deployment = set ? deployment_of(deps_.caches, *set) : nullptr;
  if (deployment) host_->queue.add(kube::key_of(*deployment));
}

drain::StageReport Updates::drain(const ActContext& with, const DrainNode& what, const DrainGround& ground) {
  const Time now = Time::from(deps_.clock.now());
  const Time began = update_mark_of(*what.machine)->since;
  const auto in_trouble = [&](Error error) {
    return drain::StageReport{.recheck = drain::pause_after(now - began), .trouble = std::move(error)};
  };
  const auto workload = deps_.workload_clusters.get(kube::key_of(ground.cluster));
  if (!workload) return in_trouble(workload.error());
  const auto clearance = clear(with, what, ground);
  if (!clearance) return in_trouble(clearance.error());
  if (!*clearance) return {.recheck = drain::kLongestPause};
  const auto choices = drain::drain_choices(what.machine->metadata, ground.policy);
  const UpdateDrain how = update_drain(*what.machine, choices,
                                       {.began = began, .now = now, .reached_since = ground.reached_since});
  if (how.is_over) return drain::StageReport::finished();
  auto report = drainer_.turn({.machine = *what.machine,
                               .cluster = ground.cluster,
                               .rules = deps_.caches.drain_rules_in(what.machine->metadata.namespace_.view()),
                               .workload = *workload,
                               .node = what.node->metadata.name.str(),
                               .clearance = **clearance,
                               .started = began,
                               .now = now,
                               .force = how.force,
                               .explain_budgets = choices.explain_budgets,
                               .eviction_time = how.eviction_time,
                               .volumes_in_turn = choices.volumes_in_turn},
                              with.context.deadline);
  if (!report.done && how.ends_in) report.recheck = std::min(report.recheck, *how.ends_in);
  return report;
}

void Updates::forget(const MachineSnapshot& machine) { drainer_.forget(kube::key_of(*machine)); }

}  // namespace capstan::controllers::inplace
