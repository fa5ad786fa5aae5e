// Empties the Node of a Machine that is being deleted: one turn looks at the Node's Pods, makes a plan
// (drain_plan.h), cordons, evicts what may go now and tells what is left. Everything that has to outlive a
// turn stands on objects (the start in status.deletion, the cordon and its author on the Node); what is
// remembered here only spares evictions. Safe from any thread, one turn at a time per Machine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "controllers/claims/clearance.h"
#include "controllers/drain/force.h"
#include "controllers/drain/lists_by_cluster.h"
#include "controllers/drain/probes.h"
#include "controllers/drain/stage_report.h"
#include "controllers/drain/volume_queue.h"
#include "kube/watch_loop.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/store.h"

namespace capstan::controllers::drain {

struct DrainMemory;

struct DrainerDeps {
  const Clock& clock;
  Threads& threads;
  // "Look at this Machine again": a Pod or a budget of its Node has changed. Called from any thread.
  std::function<void(const kube::ObjectKey& machine)> wake = {};
  Metrics* metrics = nullptr;
};

// What is to be drained. All of it lives as long as the turn.
struct DrainRequest {
  const api::Machine& machine;
  const api::Cluster& cluster;
  std::vector<runtime::Snapshot<api::MachineDrainRule>> rules = {};  // of the Machine's namespace
  std::shared_ptr<kubeconfig::WorkloadCluster> workload = {};        // never null
  std::string node = {};
  // Of that Node; asked for once per turn. Without one nothing is evicted.
  std::optional<claims::Clearance> clearance = {};
  Time started = {};  // when this stage began, as status.deletion says
  Time now = {};
  ForceRules force = {};
  bool cordons = true;
  bool explain_budgets = false;  // name what is wrong with budgets that never allow anything
  // After that, Pods whose evictions are refused are deleted.
  std::optional<Seconds> eviction_time = {};
  std::optional<VolumeWaits> volumes_in_turn = {};  // else all Pods go together
  bool vm_is_gone = false;                          // the API server has confirmed it
};

class Drainer {
 public:
  explicit Drainer(DrainerDeps deps);
  ~Drainer();
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;

  StageReport turn(const DrainRequest& request, const Deadline& deadline);
  // Whether the volumes of the Pods that have gone are detached (volumes.h).
  StageReport check_volumes(const DrainRequest& request, const Deadline& deadline);
  // Deletes what is left of VolumeAttachments of the Node (attachments.h).
  StageReport delete_attachments(const DrainRequest& request, const Deadline& deadline);
  // The Machine's drain is over: its Pods are not watched any more.
  void stop_watching_pods(const kube::ObjectKey& machine);
  // ... or interrupted: nothing is watched for it any more.
  void stop_watching(const kube::ObjectKey& machine);
  // It is gone, or its cluster is out of reach.
  void forget(const kube::ObjectKey& machine);
  // Machines of a namespace whose drains have been seen to: those whom a change of drain rules concerns.
  std::vector<kube::ObjectKey> drains_in(std::string_view namespace_) const;
  // No turn comes any more: when this returns, no Machine is woken.
  void stop();
  // How many drains are remembered; for tests and /debug.
  std::size_t size() const;
  // How many Pods and DaemonSets it remembers of one drain, between its turns; for tests.
  std::size_t remembered(const kube::ObjectKey& machine) const;

 private:
  std::shared_ptr<DrainMemory> memory_of(const DrainRequest& request);
  std::shared_ptr<DrainMemory> known_memory_of(const kube::ObjectKey& machine);  // null: none
  std::function<void()> wake_of(const kube::ObjectKey& machine) const;
  kube::WatchLoop& loop();

  const DrainerDeps deps_;
  Guarded<std::unique_ptr<kube::WatchLoop>> loop_;  // from the first drain on that is held up
  const Probes probes_;
  Guarded<std::map<kube::ObjectKey, std::shared_ptr<DrainMemory>>> drains_;
  ListsByCluster lists_;
};

}  // namespace capstan::controllers::drain
