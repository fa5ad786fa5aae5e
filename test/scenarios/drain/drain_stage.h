// A world for stories of drains: a Machine on a Node of its name with its real controller, the workload
// cluster's API server with Pods and budgets, their kubelet, people and accidents that act at given times.
// Second by second it writes down what changed, and what MachineSet, MachineDeployment and MachinePool say of
// it, or would say where the story has none. Runs inside a Baton; one thread.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "test/scenarios/drain/drain_owners.h"

namespace capstan::scenarios {

// Of a Pod: a disk of its own, which is detached some time after the Pod is gone and then attached elsewhere.
struct StoryDisk {
  Seconds detaches{10};
  Seconds attaches{5};
  bool is_stuck = false;  // never detached by itself
};

struct StoryPod {
  std::string name = {};
  std::string app = "web";
  std::string drain = {};  // its label cluster.x-k8s.io/drain
  Seconds grace{30};
  Seconds takes{5};       // to end, once it is deleted
  bool stubborn = false;  // never ends by itself
  std::optional<StoryDisk> disk = {};
};

struct StoryRule {
  std::string name = {};
  std::string app = {};
  std::string behavior = "Drain";
  std::optional<int> order = {};
};

class DrainStage;

// At that moment of the story.
struct DrainAct {
  Seconds at{0};
  std::string text = {};
  std::function<void(DrainStage&)> then = {};
};

struct DrainStory {
  std::string name = {};   // of its file
  std::string title = {};  // its first line
  std::vector<StoryPod> pods = {};
  std::vector<StoryRule> rules = {};
  std::set<std::string> closed = {};                       // apps whose budget allows nothing
  bool by_force = false;                                   // Pods may go although it does
  std::optional<api::MachineLifecyclePolicy> policy = {};  // of the owner
  std::function<void(DrainStage&)> before = {};
  DrainOwner owner = DrainOwner::None;  // of the Machine, with its real controllers
  std::vector<DrainAct> acts = {};      // after the Machine was deleted
  Seconds length{600};
  std::uint64_t orders = 100;  // of events in which its promise is held: fewer where one takes long
  // Of what is promised beside the text, in any order of events; empty: it holds.
  std::function<std::string(const DrainStage&)> broken = {};
};

class DrainStage {
 public:
  DrainStage(fakes::Baton& with, const DrainStory& story);
  ~DrainStage();
  DrainStage(const DrainStage&) = delete;
  DrainStage& operator=(const DrainStage&) = delete;

  void run();

  // --- people, kubelets and accidents ---
  void make_pod(const StoryPod& pod);
  void make_rule(const StoryRule& rule);
  void delete_rule(std::string_view name);
  void close_budget(const std::string& app);
  void open_budget(const std::string& app);
  void complete(const std::string& pod);      // its work is done
  void end_by_force(const std::string& pod);  // as kubectl delete --force does
  void break_node();                          // its kubelet falls silent
  void sicken_node();                         // it says that it is not ready, and ends no Pod any more
  void reach_cluster();                       // the Cluster says since now that its API server answers
  void label(std::string_view key, std::string_view value);
  void cordon();
  void attach_disk() { attach("pv", "data"); }
  void detach_disk(const std::string& volume = "pv");
  void annotate(std::string_view key, std::string_view value = {});
  void unannotate(std::string_view key);
  void set_timeouts(int drain, int volumes);

  // --- what has become of it ---
  // The most Pods with disks that were on their way out, or whose disks were, at one time.
  std::size_t most_disks_at_once() const { return most_disks_at_once_; }
  std::size_t disks_attached() const;  // to the Node, by VolumeAttachments that are there
  bool machine_is_gone() const { return gone_; }
  const std::vector<std::string>& told_to_go() const { return told_to_go_; }  // Pods, in their order
  bool has_pod(const std::string& name) const { return pods_.contains(name); }
  // The owners that report the drain in a condition of their own: "set", "deployment", "pool".
  const std::set<std::string>& owners_told() const { return owners_told_; }
  const std::vector<std::string>& log() const { return log_; }
  const std::string& fault() const { return fault_; }

 private:
  struct Pod {
    StoryPod wish = {};
    std::optional<Time> told = {};  // to end
    bool is_gone = false;           // deleted without grace
  };

  void set_stage();
  void live();
  void run_kubelet();
  void run_workload_controllers();
  void run_csi();
  void count_disks();
  void attach(const std::string& volume, const std::string& claim);
  void attach_to(const std::string& volume, std::string_view node);
  void look_at_pods();
  void show_node_to_the_cache();
  void tell_evictions();
  void tell_removals();
  void tell_events();
  void tell_machine();
  void tell_node();
  void tell_owner();
  void tell_owners();
  api::Machine machine() const;
  void tell(std::string_view who, std::string_view text);
  void end(const std::string& pod);
  void budget(const std::string& app, int may_be_missing);
  void create(const kube::Resource& resource, std::string_view name, const boost::json::value& object);
  void change(const kube::Resource& resource, std::string_view name, const boost::json::value& patch,
              std::string_view subresource = {});
  Time now() const { return Time::from(world_.baton.now()); }

  const DrainStory& story_;
  controllers::machine::MachineFixture world_;
  std::unique_ptr<DrainOwners> owners_ = {};
  std::string name_ = "m1";  // of the Machine and its Node
  apiserver::Api api_;
  mutable fakes::MemoryClient memory_;  // asked by promises, too
  fakes::RecordingClient client_;
  std::vector<DrainAct> acts_;
  std::map<std::string, Pod> pods_ = {};
  struct Leaving {
    StoryDisk disk = {};
    Time since = {};
    bool detached = false;
  };
  std::map<std::string, Leaving> leaving_ = {};  // disks of Pods that are gone, by Pod
  std::size_t most_disks_at_once_ = 0;
  std::set<std::string> closed_ = {};
  std::set<std::string> budgets_ = {};
  std::vector<std::string> told_to_go_ = {};
  std::string node_version_ = {};
  std::string cordon_ = {};
  std::string deleting_ = {};
  std::string owner_says_ = {};
  std::map<std::string, std::string> owners_say_ = {};
  std::set<std::string> owners_told_ = {};
  std::string fault_ = {};
  std::size_t events_told_ = 0;
  Time began_ = {};
  bool silent_ = false;
  bool gone_ = false;
  bool telling_ = false;
  std::vector<std::string> log_ = {};
};

}  // namespace capstan::scenarios
