// A world for stories of the life of Machines: the core's real controllers (but that of Clusters) on an
// embedded API server, a provider that makes VMs and Nodes, and people and accidents that act at given times.
// Second by second it writes down what changed, with Machines called by their number. Runs inside a Baton;
// one thread besides the controllers' own.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/fleet_policy.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine_health_check.h"
#include "apiserver/api.h"
#include "controllers/controllers.h"
#include "test/fakes/baton.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"
#include "test/scenarios/lifecycle/node_agent.h"

namespace capstan::scenarios {

namespace json = boost::json;

class LifecycleWorld;

// At that moment of the story.
struct LifecycleAct {
  Seconds at{0};
  std::string text = {};
  std::function<void(LifecycleWorld&)> then = {};
};

// Machines are numbered as they are made: m1, m2, ...
struct LifecycleStory {
  std::string name = {};   // of its file
  std::string title = {};  // its first line
  int replicas = 3;
  bool stands_alone = false;              // a MachineSet without a MachineDeployment
  std::optional<int> max_in_flight = {};  // of the MachineDeployment's own
  std::optional<api::MachineLifecyclePolicy> policy = {};
  std::optional<api::MachineHealthCheck> check = {};
  std::set<int> never_made = {};  // Machines whose VM can't be made
  std::set<int> never_join = {};
  std::map<int, std::string> born_tainted = {};  // Machines whose Node starts with the taint of this key
  bool preserves = false;                        // what the autoscaler reads on Nodes is told, too
  bool brakes = false;                           // what is frozen, and why no Machine is made, is told, too
  std::vector<std::string> told_of_nodes =
      {};                                     // labels, annotations, taints, resources: what becomes of them
  std::vector<std::string> told_events = {};  // of which reasons
  bool drains_nodes = false;  // there is a control plane Machine, without which no Node is ever drained
  bool mcm_aliases = false;   // as a manager that was started with --mcm-aliases
  bool tells_waits = false;   // what owners of Machines say of deletions that wait
  std::optional<NodeAgent> agent = {};  // on every Node; the story shows updates in place, too
  std::vector<LifecycleAct> acts = {};
  Seconds length{900};
  // Of what is promised beside the text, in any order of events; empty: it holds.
  std::function<std::string(const LifecycleWorld&)> broken = {};
  std::optional<api::FleetPolicy> fleet = {};
  int neighbours = 0;  // replicas of MachineDeployment db in a second Cluster; 0: there is none
};

class LifecycleWorld {
 public:
  LifecycleWorld(fakes::Baton& baton, const LifecycleStory& story);
  ~LifecycleWorld();
  LifecycleWorld(const LifecycleWorld&) = delete;
  LifecycleWorld& operator=(const LifecycleWorld&) = delete;

  // Until the fleet is there, which is no part of the story; then the story.
  void run();

  // --- people and accidents; Machines by their numbers ---
  void node_turns(int machine, std::string_view type, std::string_view status);
  void node_vanishes(int machine);
  // In the manager's cache alone, as after a watch that has lost an event.
  void node_is_overlooked(int machine);
  void node_is_seen_again(int machine);
  void remove_taints(int machine);
  void annotate(int machine, std::string_view key, std::string_view value);
  void take_off(int machine, std::string_view annotation);
  // Without a value the annotation goes.
  void annotate_node(int machine, std::string_view key, std::optional<std::string> value);
  // Without a value the label goes.
  void label_node(int machine, std::string_view key, std::optional<std::string> value);
  void run_pod(int machine, std::string_view name);
  int pods() const;  // that have not been evicted
  void mend_agent(int machine) { agent_.fails.erase(machine); }
  void make_templates(std::string_view name);
  void cordon(int machine);
  void preserve_for(int machine, Seconds span);  // from now on
  void relabel(int machine, std::string_view key, std::string_view value);
  void delete_machine(int machine);
  void patch_owner(const json::value& body);  // of the MachineDeployment, or the MachineSet that stands alone
  void confirm_release();                     // by the MachineDeployment, of what its selector lost
  void delete_lost_sets();
  void patch_policy(const json::value& body);
  void delete_policy();
  void resize_neighbour(int replicas);
  void patch_fleet(const json::value& body);
  void delete_fleet();
  void stop_granting();  // the manager is restarted without the controller of the FleetPolicy
  void lose_cluster();
  void doubt_cluster();  // one probe fails, a moment after another one was answered
  void find_cluster();
  // A request for an object is answered still.
  void lose_watches() { deaf_to_ = kAllKinds; }
  void find_watches() { deaf_to_.clear(); }
  void find_watches_but(std::string_view kind) { deaf_to_ = kind; }
  // On the owner that asks for it, with the hash in its condition; nothing happens where none asks.
  void confirm_deletion();
  void restart();  // of the manager
  // It dies with that write of it from now on, to whichever cluster, and comes back a second later.
  void die_with_write(int number) { writes_to_live_ = number; }
  // Stale caches: so long a piece of a watch takes from now on.
  void slow_down(Nanoseconds lag) { lag_ = lag; }

  // "m2~2026-..." with the names that the Machines really have.
  std::string victim(int machine) const;

  // --- what has become of it ---
  int deleted() const { return deleted_; }  // Machines, whatever deleted them
  bool is_deleted(int machine) const;
  // Of each Machine that was deleted, in their order.
  const std::vector<Seconds>& deletions() const { return deletions_; }
  int most_gone() const { return most_gone_; }  // of those wanted, not there or on their way, at a time
  int made_by(Seconds then) const;
  int made() const { return static_cast<int>(numbers_.size()); }
  std::string phase(int machine) const;    // "Unhealthy"
  std::string message(int machine) const;  // of its condition
  bool is_preserved(int machine) const;
  bool is_cordoned(int machine) const;
  std::string node_annotation(int machine, std::string_view key) const;  // "none"
  // Of its label, annotation or resource of that name, or the effect of its taint; "none".
  std::string node_value(int machine, std::string_view key) const;
  json::value policy() const;
  int most_there() const { return most_there_; }        // Machines at a time, in whatever state
  int most_updated() const { return most_updated_; }    // of them in the middle of an update in place
  std::string machine_version(int machine) const;       // "none": it is gone
  std::string bootstrap_source(int machine) const;      // the template its configuration says it is of
  bool died() const { return died_; }                   // as die_with_write() wants it
  int sets() const { return sets_; }                    // MachineSets, those without Machines included
  bool mixed() const { return mixed_; }                 // Machines of two versions were there at a time
  std::string version() const;                          // that the MachineDeployment wants
  std::string frozen() const { return frozen_shown_; }  // of the owner: the reason of its condition, or "no"
  std::string progress() const { return progress_shown_; }              // "True NewMachineSetAvailable"
  std::size_t writes() const { return writes_; }                        // of the manager, to Machines
  const std::vector<std::string>& written() const { return written_; }  // "Patch Machine", all kinds
  const std::vector<std::string>& log() const { return log_; }
  void forget_writes();

 private:
  struct Shown {
    std::string lifecycle = {};
    std::string preservation = {};
    std::string autoscaler = {};
    std::map<std::string, std::string> node = {};  // by the keys that the story tells of
    bool granted = false;
    bool deleting = false;
    std::string fleet = {};
    std::string update = {};
    std::string set = {};
  };

  void start_manager();
  void stop_manager();
  void make(const kube::Resource& resource, json::value object);
  void patch(const kube::Resource& resource, std::string_view name, const json::value& body,
             std::string_view subresource = {});
  void set_stage();
  void make_owner();
  void make_cluster(std::string_view name);
  void make_control_plane_machine();
  void make_neighbour();
  kube::ObjectKey cluster_of(std::string_view node) const;
  void show_contact(bool reached);
  void one_second();
  void look();
  void live_of_vms();
  void make_vm(const api::Machine& machine);
  void make_node(const api::Machine& machine);
  void remove_vms();
  void mirror_nodes();
  void tell_machines();
  void tell_machine(const api::Machine& machine);
  void tell_preservation(const api::Machine& machine, std::string_view who, Shown& shown);
  void tell_fleet_request(const api::Machine& machine, std::string_view who, Shown& shown);
  void tell_update(const api::Machine& machine, std::string_view who, Shown& shown);
  void count_deletion();
  void tell_node(int machine, std::string_view who, Shown& shown);
  void tell_events();
  void tell_policy();
  void tell_fleet();
  void tell_rollout();
  void tell_brakes();
  template <typename T>
  void tell_brakes_of(const T& object, std::string_view who);
  void tell_waits();
  template <typename Owner>
  void tell_wait_of(std::string_view condition);
  void count_gone();
  void count_updates();
  void count_effect(const fakes::FaultPoint& at);
  fakes::FaultPlan network_plan();
  fakes::FaultPlan management_plan();
  void tell(std::string_view who, std::string_view text);
  std::string with_numbers(std::string text) const;
  const std::string& name_of(int machine) const;
  Time now() const { return Time::from(baton_.now()); }

  fakes::Baton& baton_;
  const LifecycleStory& story_;
  apiserver::Api api_;
  apiserver::Api workload_api_;
  fakes::MemoryClient user_;
  fakes::MemoryClient manager_;
  fakes::MemoryClient workload_;
  Nanoseconds lag_ = {};
  fakes::FaultyClient network_;
  fakes::FaultyClient workload_network_;  // of the manager to the workload cluster
  int writes_to_live_ = 0;                // 0: it dies of none
  bool dead_ = false;
  static constexpr std::string_view kAllKinds = "*";
  std::string deaf_to_ = {};  // watches of that kind of the management cluster, or of all, get no answer
  bool died_ = false;
  NodeAgent agent_ = {};
  std::unique_ptr<fakes::FakeWorkloadClusters> workload_clusters_ =
      std::make_unique<fakes::FakeWorkloadClusters>();
  bool reached_ = false;
  SeededRandomness randomness_{1};
  kube::WatchLoop loop_;
  runtime::OpenBrake brake_;
  bool granting_ = true;
  std::unique_ptr<controllers::Controllers> core_;

  std::vector<LifecycleAct> acts_;
  std::map<std::string, int> numbers_ = {};
  std::map<std::string, api::Machine> machines_ = {};
  std::map<std::string, Time> going_since_ = {};  // infrastructure objects
  std::map<std::string, std::string> nodes_shown_ = {};
  std::map<std::string, Shown> shown_ = {};
  std::set<std::string> events_shown_ = {};              // their names
  std::map<std::string, std::string> waits_shown_ = {};  // by kind and name of the owner
  struct {
    kube::Resource owner = {};
    std::string name = {};
    std::string hash = {};
  } to_confirm_;
  std::string policy_shown_ = {};
  std::string fleet_shown_ = {};
  std::string progress_shown_ = {};
  std::string frozen_shown_ = "no";
  std::map<std::string, std::string> brakes_shown_ = {};  // by what they are about
  int sets_ = 0;
  bool mixed_ = false;
  Time began_ = {};
  int deleted_ = 0;
  std::vector<Seconds> deletions_ = {};
  std::vector<Seconds> creations_ = {};
  int most_gone_ = 0;
  int most_there_ = 0;
  int most_updated_ = 0;
  bool telling_ = false;
  std::size_t writes_ = 0;
  std::vector<std::string> written_ = {};
  std::vector<std::string> log_ = {};
};

}  // namespace capstan::scenarios
