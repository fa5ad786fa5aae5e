// The kubelets of all simulated VMs: each registers its Node in the API server of its workload cluster once
// the VM has booted, renews its Lease and falls silent when the VM goes. One agenda and a handful of threads
// serve ten thousand of them. When a VM vanishes, the Node is marked as Kubernetes' node controller would.
// start() and stop() from one thread, the listener's calls from any.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "infrastructure/sim/cloud.h"
#include "infrastructure/sim/control_plane.h"

namespace capstan::infrastructure::sim {

struct KubeletDeps {
  const Clock& clock;
  Threads& threads;
  SimCloud& cloud;
  ControlPlanes& control_planes;
  Log log = {};
};

class Kubelets final : private VmListener {
 public:
  explicit Kubelets(const KubeletDeps& deps, std::size_t workers = 4);  // listens to the cloud from now on
  ~Kubelets() override;
  Kubelets(const Kubelets&) = delete;
  Kubelets& operator=(const Kubelets&) = delete;

  void start();
  void stop();

  std::size_t count() const;  // kubelets there are, registered or not

 private:
  enum class Phase {
    Booting,    // no Node yet
    Starting,   // a Node that is not Ready yet
    Running,    // renews its Lease, now and then its status
    Abandoned,  // the VM vanished: the Node has yet to say so
  };
  struct Kubelet {
    SimVm vm = {};
    Phase phase = Phase::Booting;
    SteadyTime due = {};  // its place on the agenda
    bool has_lease = false;
    SteadyTime status_due = {};
    int failures = 0;
    bool at_work = false;
    bool gone = false;  // forget it when the work in progress is done
  };
  struct Agenda {
    std::map<std::string, Kubelet> kubelets = {};  // by provider ID
    std::set<std::pair<SteadyTime, std::string>> due = {};
  };
  // What is left to do for a kubelet after a step: nothing for ever, or the next step.
  using Later = std::optional<Nanoseconds>;

  void vm_started(const SimVm& vm) override;
  void vm_gone(const std::string& provider_id, Farewell farewell) override;

  void run(const std::stop_token& stop);
  bool work_on_one_due(const std::stop_token& stop);
  SteadyTime next_due();
  void put_back(const std::string& provider_id, const Kubelet& done, Later later);
  Later step(Kubelet& kubelet, const std::stop_token& stop);
  Later register_node(Kubelet& kubelet, kube::Client& client, const Deadline& deadline);
  Later report_ready(Kubelet& kubelet, kube::Client& client, const Deadline& deadline);
  Later beat(Kubelet& kubelet, kube::Client& client, const Deadline& deadline);
  Later declare_lost(Kubelet& kubelet, kube::Client& client, const Deadline& deadline);
  Result<void> renew_lease(Kubelet& kubelet, kube::Client& client, const Deadline& deadline);
  Later retry(Kubelet& kubelet, std::string_view what, const Error& error) const;
  Later first_beat(Kubelet& kubelet) const;

  const KubeletDeps deps_;
  const std::size_t workers_;
  Guarded<Agenda> agenda_;
  Signal changed_{"kubelets due"};
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace capstan::infrastructure::sim
