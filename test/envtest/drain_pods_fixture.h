// Scheduler and kubelets of a workload server that has none: puts Pods on Nodes, calls them Ready, ends those
// that have a deletionTimestamp, and writes down every event of their watch. For the drain suite. Starts with
// the constructor; takes a thread of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/core/pod.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "kube/remote_client.h"
#include "kube/watch_loop.h"
#include "kube/watcher.h"
#include "net/io_pool.h"
#include "test/envtest/drain_history.h"

namespace capstan::envtest {

class Kubelets final : private kube::WatchHandler<api::Pod> {
 public:
  explicit Kubelets(const std::filesystem::path& kubeconfig);
  ~Kubelets() override;

  // At first Pods are spread evenly. From now on the youngest Nodes are filled first, as a scheduler
  // would that knows that the others are about to go.
  void prefer_young_nodes() { prefer_young_ = true; }
  // Every event so far, in the server's order.
  std::vector<PodEvent> history() const;
  // How often the watch had to begin anew: once, or there is a gap in the history.
  int beginnings() const { return beginnings_; }
  // What the server did not let us do.
  std::vector<std::string> refusals() const;

 private:
  void on_init_start() override { ++beginnings_; }
  void on_item(api::Pod&& pod) override { note(std::move(pod)); }
  void on_init_done(const kube::InitDone&) override {}
  void on_apply(api::Pod&& pod) override { note(std::move(pod)); }
  void on_delete(api::Pod&& pod) override;
  void on_quarantine(const kube::Quarantine&) override {}

  struct Desk {
    std::vector<PodEvent> history = {};
    std::map<std::string, api::Pod> news = {};       // by name
    std::map<std::string, std::string> placed = {};  // Pod to Node
    std::vector<std::string> refusals = {};
  };
  void note(api::Pod&& pod);
  void work(const std::stop_token& stop);
  bool look_after(const api::Pod& pod);
  bool place(const api::Pod& pod);
  std::string choose_node();
  template <typename T>
  void expect(const Result<T>& result);

  SystemClock clock_;
  SystemThreads threads_;
  net::IoPool io_;
  std::unique_ptr<kube::RemoteClient> client_;
  kube::WatchLoop loop_{threads_, clock_};
  Guarded<Desk> desk_;
  Signal news_{"news of Pods"};
  std::atomic<bool> prefer_young_ = false;
  std::atomic<int> beginnings_ = 0;
  std::unique_ptr<kube::Watcher<api::Pod>> watcher_;
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

}  // namespace capstan::envtest
