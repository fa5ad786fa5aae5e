// The auditor of a simulated fleet: looks at everything that is sent and at everything that took effect,
// keeps the history that promises refer to (who wanted what since when, what the manager's caches had seen)
// and asks invariants.h. Lives in the world; called by the thread that holds the baton.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "infrastructure/sim/cloud.h"
#include "test/fakes/baton.h"
#include "test/fakes/relay_client.h"
#include "test/simulation/fleet_apps.h"
#include "test/simulation/fleet_manager.h"
#include "test/simulation/invariants.h"
#include "test/simulation/write_history.h"

namespace capstan::simulation {

namespace json = boost::json;
using fakes::Asked;

class Auditor {
 public:
  struct Deps {
    const fakes::Baton& baton;
    const apiserver::Api& api;
    const infrastructure::sim::SimCloud& cloud;
    std::function<apiserver::Api*()> workload = {};  // of the workload cluster; null: there is none
    std::function<bool()> lost = {};                 // the workload cluster is out of reach
    std::function<int()> pods_needed = {};           // by the budget of its app; 0: there is no app
    std::function<void(std::string)> broke = {};
    std::function<void(std::string)> tell = {};
    // How long ago a rollout may have looked that is still carried out: longer where brakes hold it.
    Nanoseconds memory = std::chrono::minutes(3);
  };
  explicit Auditor(Deps deps) : deps_(std::move(deps)), reader_(deps_.api) {}

  // A manager process begins (subscribe before its informers run) and ends.
  void manager_starts(FleetManager& manager);
  void manager_ends();

  // A process sends that, whatever becomes of it; and that took effect, and was answered so.
  void sent(const Asked& asked);
  void took_effect(const Asked& asked, const json::value& answer);
  // The world was changed by something else than the manager.
  void look();

  // Why there may be fewer than promised; a user deletes a Machine; a VM vanishes.
  void excuse(LegalCase legal);
  void machine_taken();
  // Its set gets a Machine that it did not make: a label edit, or an owner reference that went.
  void machine_given(const std::string& name) { given_.insert(name); }
  // Its infrastructureRef names a kind that there is not, by an edit.
  void kind_edited(const std::string& name) { edited_.insert(name); }
  // A selector is changed, without a word that its Machines are to be released; and it is put back.
  void selector_changes(bool changed) { released_ = changed ? std::optional(0) : std::nullopt; }
  // No owner is left on a pool's infrastructure object, and only a live read shows it; until it can be listed
  // again.
  void object_disowned(const std::string& name) { disowned_.emplace(name, deps_.baton.steady_now()); }
  void objects_owned_again() { disowned_.clear(); }
  // Another manager leads, too: what this one decides is not what is sent; and it does no more.
  void another_leads(bool leads);
  void vm_vanished(const std::string& name) { vanished_.insert(name); }
  // The Nodes of these Machines fall silent together, and a policy says what that means; and it is over.
  void silence_begins(std::set<std::string> machines) { silent_ = std::move(machines); }
  void silence_ends() { silent_.clear(); }
  // A user names it as one to go, whatever the replicas are then.
  void machine_named(const std::string& name) { named_.insert(name); }
  // A user deletes it by force: the Pods of its Node go whatever budgets want.
  void machine_forced(const std::string& name) { forced_.insert(name); }
  // The pool has Nodes emptied before they go, each for so long at most; 0: for as long as it takes.
  void pool_drains(Seconds timeout) { pool_drain_ = timeout; }
  // A policy lets one Machine of each MachineDeployment be replaced at a time, also where a health check has
  // found it sick.
  void one_replacement_at_a_time() { one_at_a_time_ = true; }
  // A stranger's finalizer, which has to stay in the list others write to until it is taken back. `where` is
  // "group/plural".
  void mark_left(const std::string& where, const std::string& name) { marks_.emplace(where, name); }
  void mark_taken_back(const std::string& where, const std::string& name) { marks_.erase({where, name}); }

  const FleetFacts& facts() const { return facts_; }
  // Empty: there is no such Pod.
  std::string node_of_pod(const std::string& pod) const;
  // Whether the pool has ever noted the Node of that uid as one of its own.
  bool was_noted(const std::string& node) const { return noted_since_.contains(node); }
  // How often a Node of the pool came before its provider listed it, and how often after; how often an
  // instance took the name of one whose Node was still there, and a Node that of one the pool still noted.
  const std::map<std::string, std::uint64_t>& came_of_pool() const { return came_of_pool_; }
  const std::map<LegalCase, std::uint64_t>& excused() const { return counted_; }

 private:
  struct Seen {
    SteadyTime at = {};
    std::uint64_t version = 0;
  };
  // What the sender may have known.
  struct Sent {
    std::string owner = {};     // uid of the MachineSet
    std::uint64_t version = 0;  // of it, that its turn saw at least
    SteadyTime at = {};
  };

  void correct_facts();
  void look_at_pods();
  void look_at_nodes();
  std::string uid_of_node(const std::string& name) const;
  void note_node_of_pool(const NodeFacts& node, const std::string& provider_id);
  void note_replaced_instance(const infrastructure::Vm& vm);
  void note_wants();
  void note_growth(const std::string& deployment, SteadyTime now);
  void note_pause(SteadyTime now);
  SteadyTime looked_since(SteadyTime now) const;
  void note_reach();
  void note_pool_drain();
  void note_losses(const FleetFacts& before);
  void note_releases(const FleetFacts& before);
  bool was_released(const MachineFacts& machine, const FleetFacts& before) const;
  std::uint64_t version_seen(std::string_view controller, const std::string& name,
                             const std::string& uid) const;
  void check(const Broken& broken) const;
  void check_always(const Broken& broken) const;

  std::optional<SteadyTime> turn_began(std::string_view controller, const std::string& name) const;
  void set_change_sent(const Asked& asked) const;
  void machine_create_sent(const Asked& asked);
  void machine_made(const std::string& name);
  void infrastructure_made(const std::string& name, const std::string& uid);
  void machine_removal_sent(const Asked& asked);
  void machine_removed(const FleetFacts& before, const std::string& name);
  void machine_changed(const FleetFacts& before, const std::string& name) const;
  void remediation_begun(const FleetFacts& before, const MachineFacts& machine);
  void replacement_begun(const FleetFacts& before, const MachineFacts& machine);
  int in_flight_below(const DeploymentFacts& deployment, const std::set<std::string>& replaced) const;
  void check_both_sources(const DeploymentFacts& deployment) const;
  void note_preserved();
  bool has_long_been_its_template(const SetFacts& set, const DeploymentFacts& deployment) const;
  void check_preserved(const FleetFacts& before, const MachineRemoval& removal) const;
  void note_write(const Asked& asked, const json::value& answer);
  void pod_sent_away(const std::string& name, const std::vector<PodFacts>& before) const;
  bool is_forced_node(const std::string& node) const;
  void check_eviction(const std::string& name, const std::vector<PodFacts>& before) const;
  void check_object_of_pool(const Asked& asked) const;
  void check_disowned(const Asked& asked) const;
  void check_drained(const std::string& infrastructure);
  void node_removed(const NodeFacts& node) const;
  bool is_of_a_misplaced(const NodeFacts& node) const;
  void check_drained_by_pool(const NodeFacts& node, SteadyTime since) const;
  void check_group_drained();
  void check_pool_size() const;
  bool is_claimed_by_its_group_alone(const std::string& name) const;
  void object_removed(const Asked& asked, const FleetFacts& before);
  int losses_since(SteadyTime time) const;
  int gains_since(SteadyTime time, std::string_view set) const;
  int taken_since(SteadyTime time) const;
  void check_vms();
  void check_edited();
  void check_marks();

  Deps deps_;
  FleetReader reader_;
  FleetFacts facts_;
  std::vector<apiserver::ObjectPtr> stored_pods_;
  std::vector<PodFacts> pods_;
  std::map<std::string, Wants> set_wants_;  // by uid
  // By uid of a MachineSet: its MachineDeployment, and the first version of the set that may have the size
  // which that one gave it: not yet the one in which it was adopted.
  std::map<std::string, std::pair<std::string, std::uint64_t>> led_since_;
  std::map<std::string, Wants> deployment_wants_;  // by uid
  std::map<std::string, Wants> pool_wants_;        // by uid
  struct Growth {
    int replicas = 0;  // of all sets together
    SteadyTime at = {};
  };
  std::map<std::string, Growth> grown_;  // by uid of a MachineDeployment
  std::vector<apiserver::ObjectPtr> stored_nodes_;
  std::map<std::string, std::string> provider_ids_;  // by uid of a Node that ever was
  std::map<std::string, std::string> instances_;     // of the pool: provider IDs by name, the last ones
  std::map<std::string, std::uint64_t> came_of_pool_;
  FleetManager* manager_ = nullptr;
  std::map<std::string, std::vector<Seen>> cached_;  // by uid of a MachineSet: what the caches had when
  std::map<std::string, SteadyTime> known_since_;    // by uid of a MachineDeployment: first in the cache
  std::map<std::pair<fakes::Call, std::string>, Sent> sent_;  // by verb and name of a Machine
  std::vector<SteadyTime> losses_;
  std::vector<SteadyTime> taken_;
  std::set<std::string> vanished_;
  std::set<std::string> edited_;                      // Machines
  std::map<std::string, SteadyTime> disowned_;        // since when
  std::optional<int> released_;                       // Machines, since a selector was changed
  std::set<std::string> given_;                       // Machines
  std::map<std::string, std::string> first_objects_;  // by uid of a Machine: its own infrastructure object
  std::map<std::string, int> last_replicas_;          // by uid of a MachineSet or MachineDeployment
  std::set<std::string> orphaning_;                   // uids of those deleted so that what they own stays
  std::set<std::string> made_for_orphaning_;          // Machines and sets: their creation was on its way then
  WriteHistory writes_;
  std::set<std::string> silent_;                       // Machines
  std::set<std::string> remediating_;                  // Machines that their sets deleted for that
  std::set<std::string> replacing_;                    // ... because a policy gave them up
  bool one_at_a_time_ = false;                         // both together
  std::set<std::string> named_;                        // Machines
  std::set<std::string> forced_;                       // Machines
  std::map<std::string, SteadyTime> available_since_;  // by Machine
  std::map<std::string, SteadyTime> preserved_since_;  // by Machine
  std::map<std::string, std::pair<std::string, SteadyTime>> template_since_;  // by uid of a MachineDeployment
  std::set<std::string> vms_;
  std::set<std::string> told_to_go_;                   // DriverMachines
  std::map<std::string, std::string> infrastructure_;  // their uids, by name
  std::map<std::string, SteadyTime> has_node_since_;   // by Machine
  std::map<std::string, SteadyTime> noted_since_;      // by uid of a Node that a pool ever had
  std::optional<Seconds> pool_drain_;                  // the timeout; nothing: the pool does not drain
  std::optional<SteadyTime> pool_going_since_;
  struct Pause {
    SteadyTime from = {};
    SteadyTime until = {};
  };
  std::optional<SteadyTime> lost_since_;  // the workload cluster
  std::optional<Pause> pause_;            // of the Cluster: the last one, or two that are close to each other
  bool two_lead_ = false;
  std::optional<SteadyTime> two_led_until_;
  std::optional<SteadyTime> group_told_to_go_;  // the pool's, with all its instances
  std::map<std::string, SteadyTime> vm_seen_;   // by provider ID, the last time; where the pool drains
  std::set<std::pair<std::string, std::string>> marks_;  // where, and the object's name
  std::map<LegalCase, std::uint64_t> counted_;
};

// A finalizer of another controller: it stays in the list until its owner takes it back.
inline constexpr std::string_view kStranger = "example.com/stranger";

// So begins the name of a Node that no Machine stands for.
inline constexpr std::string_view kHandMade = "hand-made-";

}  // namespace capstan::simulation
