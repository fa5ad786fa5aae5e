// Looks at a Lease that is not ours before we act, and says whether its holder, if it is alive, reconciles
// objects of ours (runtime/election_scope.h). Used by the programs' wiring and by `capstan cleanup`, on the
// thread that starts them.
#pragma once

#include <functional>

#include "runtime/election_protocol.h"
#include "runtime/election_scope.h"
#include "runtime/leader.h"

namespace capstan::runtime {

struct Neighbour {
  kube::ObjectKey lease = {};
  NeighbourRules rules = {};
  ElectionTimes times = {};
};

// A holder that the judge refuses counts as alive when it renews its Lease; one that is silent for the
// duration of the Lease is dead, whatever the clocks say. The judge's error: it is alive, or its Lease is too
// long to find out.
using Judge = std::function<Result<void>(const api::Lease&)>;
Result<void> check_holder(const LeaderDeps& deps, const kube::ObjectKey& key, const Judge& judge,
                          const ElectionTimes& times, const Deadline& deadline);
Result<void> check_neighbour(const LeaderDeps& deps, const Neighbour& neighbour, const Deadline& deadline);

}  // namespace capstan::runtime
