#include "runtime/election_protocol.h"

#include <algorithm>

namespace capstan::runtime {
namespace {

bool is_held(const api::LeaseSpec& spec) { return !spec.holder_identity.view().empty(); }

Nanoseconds duration_of(const api::LeaseSpec& spec, const ElectionTimes& times) {
  if (!spec.lease_duration_seconds) return times.lease_duration;
  return std::chrono::seconds(*spec.lease_duration_seconds);
}

void remember(ElectionState& state, const api::LeaseSpec& spec, SteadyTime now) {
  if (state.seen && *state.seen == spec) return;
  state.seen = spec;
  state.changed_at = now;
}

}  // namespace

ElectionStep look_at_lease(ElectionState& state, const std::string& identity, const api::Lease* lease,
                           SteadyTime now, const ElectionTimes& times) {
  using Kind = ElectionStep::Kind;
  if (lease == nullptr) {
    state.seen.reset();
    return {.kind = Kind::Create};
  }
  remember(state, lease->spec, now);
  if (lease->spec.holder_identity.view() == identity) return {.kind = Kind::Renew};
  const bool silent = now - state.changed_at >= duration_of(lease->spec, times);
  if (!is_held(lease->spec) || silent) return {.kind = Kind::TakeOver};
  return {.kind = Kind::Wait, .holder = lease->spec.holder_identity.str()};
}

SteadyTime next_look(const ElectionState& state, SteadyTime looked, bool watching,
                     const ElectionTimes& times) {
  const SteadyTime usual = looked + times.retry_period;
  if (state.renewed_at || !state.seen) return usual;
  const SteadyTime runs_out = state.changed_at + duration_of(*state.seen, times);
  if (runs_out <= looked) return usual;
  return watching ? runs_out : std::min(usual, runs_out);
}

api::LeaseSpec claimed(const ElectionStep& step, const api::LeaseSpec* before, const std::string& identity,
                       WallTime now, const ElectionTimes& times) {
  api::LeaseSpec spec = before == nullptr ? api::LeaseSpec{} : *before;
  const bool ours_already = step.kind == ElectionStep::Kind::Renew;
  spec.holder_identity = Text(identity);
  spec.lease_duration_seconds = static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(times.lease_duration).count());
  spec.renew_time = MicroTime::from(now);
  if (!ours_already) spec.acquire_time = spec.renew_time;
  if (step.kind == ElectionStep::Kind::TakeOver)
    spec.lease_transitions = spec.lease_transitions.value_or(0) + 1;
  if (!spec.lease_transitions) spec.lease_transitions = 0;
  return spec;
}

api::LeaseSpec released(const api::LeaseSpec& before, WallTime now) {
  api::LeaseSpec spec = before;
  spec.holder_identity = Text();
  spec.lease_duration_seconds = 1;
  spec.renew_time = MicroTime::from(now);
  spec.acquire_time = spec.renew_time;
  return spec;
}

void won(ElectionState& state, SteadyTime sent) { state.renewed_at = sent; }

bool lost(const ElectionState& state, SteadyTime now, const ElectionTimes& times) {
  return state.renewed_at && now - *state.renewed_at >= times.renew_deadline;
}

}  // namespace capstan::runtime
