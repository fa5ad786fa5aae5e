// The ClusterLists of all workload clusters whose Machines are drained. One that no drain holds is kept for a
// while: how many Pods its cluster has is known then when the next Machine of a rollout goes. Safe from any
// thread.
#pragma once

#include <map>
#include <memory>

#include "api/meta/object_key.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace capstan::controllers::drain {

class ClusterLists;

class ListsByCluster {
 public:
  ListsByCluster(const Clock& clock, Threads& threads) : clock_(clock), threads_(threads) {}

  std::shared_ptr<ClusterLists> of(const api::ObjectKey& cluster);
  std::size_t size() const;  // for tests

 private:
  struct Known {
    std::shared_ptr<ClusterLists> lists = {};
    SteadyTime asked = {};
  };

  const Clock& clock_;
  Threads& threads_;
  Guarded<std::map<api::ObjectKey, Known>> known_;
};

}  // namespace capstan::controllers::drain
