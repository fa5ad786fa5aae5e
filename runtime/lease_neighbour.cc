#include "runtime/lease_neighbour.h"

#include "base/try.h"
#include "kube/typed.h"

namespace capstan::runtime {
namespace {

constexpr std::string_view kNotACandidate = "";
constexpr auto kLongestLook = std::chrono::minutes(3);  // a Lease may be as long as its holder likes

}  // namespace

Result<void> check_holder(const LeaderDeps& deps, const kube::ObjectKey& key, const Judge& judge,
                          const ElectionTimes& times, const Deadline& deadline) {
  ElectionState state;
  const SteadyTime enough = deps.clock.steady_now() + kLongestLook;
  for (;;) {
    const auto lease = kube::get<api::Lease>(deps.client, key, deadline);
    if (!lease && lease.error().code == Code::NotFound) return {};
    if (!lease) return Failure(lease.error());
    auto verdict = judge(*lease);
    if (verdict) return {};
    const bool looked_before = state.seen.has_value();
    const SteadyTime changed_before = state.changed_at;
    const auto step =
        look_at_lease(state, std::string(kNotACandidate), &*lease, deps.clock.steady_now(), times);
    if (step.kind == ElectionStep::Kind::TakeOver) return {};
    const bool alive = looked_before && state.changed_at != changed_before;
    if (alive || deps.clock.steady_now() >= enough) return verdict;
    if (!looked_before)
      deps.log.info("looking whether the holder of another Lease is alive",
                    {{"lease", key}, {"holder", step.holder}});
    deps.threads.pause(Deadline::in(deps.clock, times.retry_period, deadline.stop));
    if (deadline.passed(deps.clock.steady_now())) return fail(Code::Cancelled, "told to stop");
  }
}

Result<void> check_neighbour(const LeaderDeps& deps, const Neighbour& neighbour, const Deadline& deadline) {
  const auto judge = [&](const api::Lease& lease) { return may_act_beside(neighbour.rules, lease); };
  return check_holder(deps, neighbour.lease, judge, neighbour.times, deadline);
}

}  // namespace capstan::runtime
