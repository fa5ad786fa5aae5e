// What the parts of act() share during one turn: what it was given, what has become of the plan so far, and
// the connection to the workload cluster. Lives as long as the turn; one thread.
#pragma once

#include <memory>

#include "controllers/claims/removal.h"
#include "controllers/machinepool/act.h"

namespace capstan::controllers::machinepool {

struct ActTurn {
  const ActContext& with;
  Memory& memory;
  const Observation& seen;
  const kube::ObjectKey key = {};  // of the pool
  Effects effects = {};
  std::shared_ptr<kubeconfig::WorkloadCluster> workload = {};  // null until it is asked for

  const Deadline& deadline() const { return with.context.deadline; }
  // Keeps the error for the end of the turn. True when there is none.
  template <typename T>
  bool keep(const Result<T>& done) {
    if (!done) effects.errors.push_back(done.error());
    return done.has_value();
  }

  claims::Server server() const {
    return {.caches = with.deps.caches, .client = with.deps.client, .deadline = deadline()};
  }
  claims::Deleting deleting() const {
    return {
        .client = with.deps.client, .consistency = with.host.consistency, .key = key, .deadline = deadline()};
  }
};

}  // namespace capstan::controllers::machinepool
