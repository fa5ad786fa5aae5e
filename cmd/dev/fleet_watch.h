// Keeps a picture of the fleet current by watching the management server like any other client. Used by `up`
// and `demo`. start(), stop() and waiting from one thread.
#pragma once

#include <functional>

#include "base/threads.h"
#include "cmd/dev/fleet.h"
#include "kube/watch_loop.h"
#include "runtime/informer.h"

namespace capstan::dev {

class FleetWatch {
 public:
  // All of it lives longer.
  FleetWatch(const Clock& clock, Threads& threads, kube::Client& client);
  ~FleetWatch();
  FleetWatch(const FleetWatch&) = delete;
  FleetWatch& operator=(const FleetWatch&) = delete;

  // Returns when the first lists are complete.
  Result<void> start(const Deadline& deadline);
  Fleet look() const { return look_at(caches_); }

  // Calls `seen` with every picture that differs from the last, until it answers true, the deadline passes
  // (false) or its stop token is triggered (false).
  bool follow(const Deadline& deadline, const std::function<bool(const Fleet&)>& seen);
  // Until that Machine is there and is so; false as above.
  bool await(const Deadline& deadline, const kube::ObjectKey& machine,
             const std::function<bool(const api::Machine&)>& wanted);

 private:
  Threads& threads_;
  const Clock& clock_;
  controllers::Caches caches_;
  Signal changed_{"a change of the fleet"};
  kube::WatchLoop loop_;
  runtime::Informer<api::Cluster> clusters_;
  runtime::Informer<api::MachineDeployment> deployments_;
  runtime::Informer<api::MachinePool> pools_;
  runtime::Informer<api::Machine> machines_;
};

}  // namespace capstan::dev
