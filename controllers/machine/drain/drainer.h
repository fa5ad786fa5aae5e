// Empties the Node of a Machine that is being deleted: one turn looks at the Node's Pods, makes a plan
// (drain_plan.h), cordons, evicts what may go now and tells what is left. Everything that has to outlive a
// turn stands on objects (the start in status.deletion, the cordon and its author on the Node); what is
// remembered here only spares evictions. Safe from any thread, one turn at a time per Machine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "controllers/machine/drain/stage_report.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/store.h"

namespace capstan::controllers::machine {

struct DrainerDeps {
  const Clock& clock;
  Threads& threads;
  // "Look at this Machine again": a Pod or a budget of its Node has changed. Called from any thread.
  std::function<void(const kube::ObjectKey& machine)> wake = {};
};

// What is to be drained. All of it lives as long as the turn.
struct DrainRequest {
  const api::Machine& machine;
  const api::Cluster& cluster;
  std::vector<runtime::Snapshot<api::MachineDrainRule>> rules;  // of the Machine's namespace
  kubeconfig::WorkloadCluster& workload;
  std::string node = {};
  Time started = {};  // status.deletion.nodeDrainStartTime
  Time now = {};
};

class Drainer {
 public:
  explicit Drainer(DrainerDeps deps);
  ~Drainer();
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;

  StageReport turn(const DrainRequest& request, const Deadline& deadline);
  // Waits until the volumes of Pods that have gone are detached (drain/volumes.h). `started` is
  // status.deletion.waitForNodeVolumeDetachStartTime.
  StageReport check_volumes(const DrainRequest& request, const Deadline& deadline);
  // The Machine is gone, or its drain is over.
  void forget(const kube::ObjectKey& machine);
  // How many drains are remembered; for tests and /debug.
  std::size_t size() const;

 private:
  struct Memory;

  const DrainerDeps deps_;
  Guarded<std::map<kube::ObjectKey, std::shared_ptr<Memory>>> drains_;
};

}  // namespace capstan::controllers::machine
