// What wakes a Machine while its Node is emptied, and no longer. DrainWatch: the Pods of the Node and the
// budgets over those that would not go; every change wakes. VolumeWatch: the volumes that the Node's status
// has; another list than the one that was seen wakes. Made, asked and dropped by the Machine's turns, one at
// a time; the wake comes from the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/core/pod.h"
#include "api/core/pod_disruption_budget.h"
#include "api/core/volume_attachment.h"
#include "kube/watcher.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/store.h"

namespace capstan::controllers::drain {

class DrainWatch {
 public:
  using Wake = std::function<void()>;
  using Cluster = std::shared_ptr<kubeconfig::WorkloadCluster>;

  DrainWatch(kube::WatchLoop& loop, Cluster cluster, const std::string& node, Wake wake);
  ~DrainWatch();
  DrainWatch(const DrainWatch&) = delete;
  DrainWatch& operator=(const DrainWatch&) = delete;

  // Waits for a wake that is under way. It may throw where a simulated process dies: call it before the
  // destructor, unless the thread is being unwound.
  void stop();

  // The connection it watches through: another one means another watch.
  const kubeconfig::WorkloadCluster* cluster() const { return cluster_.get(); }
  // Nothing until the first list is complete.
  std::optional<std::vector<api::Pod>> pods() const;

  // Of these Namespaces and of no others.
  void watch_budgets(const std::set<std::string>& namespaces);
  // Nothing while they are not watched or not complete.
  std::optional<std::vector<runtime::Snapshot<api::PodDisruptionBudget>>> budgets(
      const std::string& namespace_) const;
  // Everything that is watched is complete: an event will come when something changes.
  bool complete() const;

 private:
  template <kube::Watchable T>
  class Feed;

  kube::WatchLoop& loop_;
  const Cluster cluster_;  // outlives the feeds
  const Wake wake_;
  std::unique_ptr<Feed<api::Pod>> pods_;
  std::map<std::string, std::unique_ptr<Feed<api::PodDisruptionBudget>>> budgets_;
};

using VolumesOfNode = api::List<api::AttachedVolume>;

class VolumeWatch {
 public:
  using Wake = DrainWatch::Wake;
  using Cluster = DrainWatch::Cluster;

  struct Subject {
    std::string node = {};
    VolumesOfNode seen = {};
  };
  VolumeWatch(kube::WatchLoop& loop, Cluster cluster, Subject subject, Wake wake);
  ~VolumeWatch();
  VolumeWatch(const VolumeWatch&) = delete;
  VolumeWatch& operator=(const VolumeWatch&) = delete;

  void stop();  // as a DrainWatch's

  const kubeconfig::WorkloadCluster* cluster() const { return cluster_.get(); }

 private:
  class Feed;

  const Cluster cluster_;  // outlives the feed
  std::unique_ptr<Feed> feed_;
};

}  // namespace capstan::controllers::drain
