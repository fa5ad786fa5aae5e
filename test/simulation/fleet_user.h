// The people around a simulated fleet: a user who creates it and changes her mind, breaks things and repairs
// them, and a stranger who leaves finalizers in lists that controllers write to. What they do is drawn from
// the seed. Threads of the world.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "infrastructure/sim/cloud.h"
#include "kube/client.h"
#include "test/fakes/baton.h"
#include "test/simulation/auditor.h"
#include "test/simulation/fleet_clumsy.h"
#include "test/simulation/fleet_manifests.h"
#include "test/simulation/workload_servers.h"

namespace capstan::simulation {

class FleetUser {
 public:
  struct Deps {
    fakes::Baton& baton;
    kube::Client& client;
    kube::Client& at_once;  // no other actor does anything between two of its calls
    infrastructure::sim::SimCloud& cloud;
    WorkloadServers& workload;
    Auditor& auditor;
    std::function<void(std::string_view)> tell = {};
    std::function<void(std::string)> broke = {};
    std::function<void(std::string)> kill = {};          // a process, by name
    std::function<void(Nanoseconds)> close_budget = {};  // of the app: nothing may be evicted for so long
    std::function<void()> delay_deletion_of_node = {};   // by a pool: the next one takes effect late
    // The manager hears of the next change of the pool's infrastructure, and of the one after it late.
    std::function<void()> delay_news_of_group = {};
    std::function<void(Nanoseconds)> lead_twice = {};  // for so long two managers do
    bool brakes = false;                               // a policy and a FleetPolicy ask for them
    ClumsyUser& clumsy;                                // may hold up what this user deletes
  };
  explicit FleetUser(Deps deps) : deps_(std::move(deps)) {}

  void create_fleet();
  // A few changes of mind and mishaps, with time in between.
  void live_with_it(std::uint64_t acts, bool mishaps);
  // What a deletion guard asks for, of whatever asks.
  void confirm_deletions();
  // Takes back whatever would keep the fleet from becoming as wished.
  void make_peace();
  void delete_fleet();

  // The stranger; until stopped, then with all marks taken back.
  void meddle(const std::stop_token& stop);

  const Fleet& wishes() const { return wishes_; }
  // A policy governs the lives of Machines, and keeps MachineSets of earlier templates.
  bool has_life_cycle() const { return life_cycle_; }
  // A VM that vanished; by name, for those of a pool have it again.
  bool has_lost(const std::string& vm) const { return vanished_.contains(vm); }
  const std::map<std::string, std::uint64_t>& acts() const { return acts_; }

 private:
  using Act = void (FleetUser::*)();

  void scale();
  void roll();
  void change_strategy();
  void pause_rollout();
  void pause_cluster();
  void delete_machine();
  void take_apart();
  void ask_for_replacement();
  void preserve_machine();
  void name_victim();
  void delete_machine_by_force();
  void roll_back();
  std::string draw_worker() const;
  void annotate_machine(const std::string& name, std::string_view key, std::string_view value);
  void freeze_or_thaw();
  void freeze();
  void thaw();
  void write_freeze(const json::value& why);
  void want_while_frozen();
  void lead_twice();
  void leave_vm();
  void mislabel();
  void freeze_a_drain();
  void correct_labels();
  void write_label(const std::string& machine, std::string_view value);
  template <typename T>
  void confirm_deletions_of(const std::string& name);
  void replace_deployment();
  void replace_deployment_by_force();
  void lose_vm();
  void lose_workload_cluster();
  void lose_workload_cluster_for_an_hour();
  void want_while_api_is_away();
  void lose_kubeconfig_for_an_hour();
  void live_on_for_an_hour();
  void fill_cloud();
  void let_nodes_come_first();
  void let_the_list_come_first();
  void replace_instance();
  void lose(const std::string& name);
  void stutter_pool_list();
  void silence_nodes();
  void scale_pool();
  void autoscale();
  void autoscale_deployment();
  void autoscale_pool();
  void take_pool_back();
  std::string mark_machine(std::string MachineFacts::* owner);
  void size_pool(int replicas);
  void grow_pool();
  void grow_deployment();
  void perhaps_close_budget();
  void drop_pool();
  void empty_pool_list();
  void kill_manager();
  void kill_provider();

  // What can be frozen, or is.
  struct Freezable {
    kube::Resource resource = {};
    kube::ObjectKey key = {};
    bool is(std::string_view kind) const { return resource.kind == kind; }
  };
  std::vector<Freezable> freezables() const;

  // Of a MachineSet.
  struct Revision {
    std::string number = {};
    std::string version = {};
  };
  std::optional<Revision> draw_revision() const;
  void await_rollback(const Revision& target);

  std::set<std::string> working_machines() const;
  void write_nodes(const std::set<std::string>& machines, bool lost);
  Pool draw_pool();
  void make_deployment();
  kube::DeleteOptions draw_cascade();
  void await_no_deployment();
  void patch_deployment(const json::value& body, std::string_view what);
  void patch_pool(const json::value& body, std::string_view what);
  void patch_cluster(const json::value& body, std::string_view what);
  void repair();
  void sweep_nodes();
  void leave_mark();
  void take_back_mark();
  bool write_finalizers(const std::string& where, const std::string& name, bool leave);

  void put(const Document& what);
  void note(std::string_view act, const std::string& line);
  void rest(Nanoseconds span, std::stop_token stop = {});
  void rest_up_to(Nanoseconds span, std::stop_token stop = {});

  const Deps deps_;
  Fleet wishes_;
  bool paused_ = false;
  bool cluster_paused_ = false;
  bool health_check_ = false;
  bool policy_ = false;                                  // for shared causes
  bool life_cycle_ = false;                              // another policy, or the same one
  bool autoscaled_ = false;                              // the pool
  int left_vms_ = 0;                                     // that are no object's
  std::map<std::string, std::string> mislabelled_ = {};  // Machines, each with the uid of its MachineSet
  std::optional<Freezable> frozen_;                      // what carries the freeze; nothing: none does
  std::set<std::string> vanished_;
  std::set<std::pair<std::string, std::string>> marks_;  // "group/plural", name
  std::map<std::string, std::uint64_t> acts_;
};

}  // namespace capstan::simulation
