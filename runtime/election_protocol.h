// Leader election by Lease as a pure state machine: what to write now, and until when we may believe that we
// lead. Other processes' clocks are never compared with ours: a lease is taken over when it has not changed
// for its duration on our own steady clock. Used by runtime/leader.h.
#pragma once

#include <optional>
#include <string>

#include "api/core/lease.h"
#include "base/instant.h"

namespace capstan::runtime {

struct ElectionTimes {
  Nanoseconds lease_duration = std::chrono::seconds(15);
  Nanoseconds renew_deadline = std::chrono::seconds(10);
  Nanoseconds retry_period = std::chrono::seconds(2);
};

// What one candidate remembers between two looks.
struct ElectionState {
  std::optional<api::LeaseSpec> seen = {};    // the lease as it was at the last look
  SteadyTime changed_at = {};                 // when it last looked different
  std::optional<SteadyTime> renewed_at = {};  // our last successful write; set while we lead
};

struct ElectionStep {
  enum class Kind {
    Create,    // there is no lease: make one
    TakeOver,  // it is not held, or its holder is silent for too long
    Renew,     // it is ours
    Wait,      // another process leads
  };
  Kind kind = Kind::Wait;
  std::string holder = {};  // for Wait: who
};

// `lease` is null when there is none. Remembers what it saw.
ElectionStep look_at_lease(ElectionState& state, const std::string& identity, const api::Lease* lease,
                           SteadyTime now, const ElectionTimes& times);

// When to look again, unless the lease changes before: a leader has to renew it, a standby may take it over
// the moment it runs out. `looked` is the last look; a standby that is `watching` hears of every change until
// then.
SteadyTime next_look(const ElectionState& state, SteadyTime looked, bool watching,
                     const ElectionTimes& times);

// The spec to write for this step.
api::LeaseSpec claimed(const ElectionStep& step, const api::LeaseSpec* before, const std::string& identity,
                       WallTime now, const ElectionTimes& times);
// The spec that lets the next candidate in at once.
api::LeaseSpec released(const api::LeaseSpec& before, WallTime now);

// A write succeeded: leading since `sent`, the moment before it was sent.
void won(ElectionState& state, SteadyTime sent);
// Must a leader step down now?
bool lost(const ElectionState& state, SteadyTime now, const ElectionTimes& times);

}  // namespace capstan::runtime
