// A tiny world for stories: one MachineDeployment, MachineSets that make and delete Machines, Machines that
// become available or stay broken, and a user. Deployment and sets are judged by their real decide; Machines
// pass through the phases that upstream's do. The objects with something to do take turns, in one fixed order
// or in one that a seed chooses. After every step the bounds are checked. One thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "controllers/machinedeployment/decide.h"
#include "controllers/machineset/observe.h"

namespace capstan::scenarios {

using controllers::machinedeployment::Count;
using controllers::machinedeployment::Observation;
using controllers::machinedeployment::Plan;

// Where upstream, too, leaves the bounds of a rollout. A story has to name what it allows.
enum class Exception {
  DeadlockBreaker,   // one available Machine less, so that a broken old one does not stop everything
  NewSetScalesDown,  // the new set follows spec.replicas downwards whatever is available
  PausedScaling,     // while paused the largest set takes the whole difference
  UnseenFailure,     // a Machine failed after its set last reported, the step was decided before
};
std::string_view to_string(Exception exception);

class RolloutWorld;

// What the user does, as soon as the world is so.
struct UserAct {
  std::string text = {};
  std::function<bool(const RolloutWorld&)> when = {};
  std::function<void(RolloutWorld&)> then = {};
};

struct Behaviour {
  std::vector<UserAct> user = {};
  std::set<Exception> allowed = {};
  std::function<bool(const api::Machine&)> stays_broken = {};  // it never becomes available
};

class RolloutWorld {
 public:
  RolloutWorld(api::MachineDeployment deployment, Behaviour behaviour);

  // Until no object has anything to do. With a seed the order is its own.
  void settle(std::optional<std::uint64_t> seed = {});
  // What happened so far is no part of the story; this is.
  void begin_story(Behaviour behaviour);

  // --- the user ---
  void change(const std::function<void(api::MachineDeployment&)>& edit);
  void scale(std::int32_t replicas);
  void upgrade(std::string_view version);
  void delete_deployment();
  void delete_machine(std::string_view name);  // by hand
  void break_machine(std::string_view name);
  void stall_machine(std::string_view name);  // no longer available, and not known to be unhealthy
  void heal_machine(std::string_view name);
  void hold_machine(std::string_view name);     // a finalizer of another controller: once deleted it stays
  void release_machine(std::string_view name);  // takes that finalizer back
  void let_time_pass(Seconds span);

  // --- what is there ---
  const std::optional<api::MachineDeployment>& deployment() const { return deployment_; }
  const std::map<std::string, api::MachineSet>& sets() const { return sets_; }
  const std::map<std::string, api::Machine>& machines() const { return machines_; }
  Time now() const { return now_; }
  bool at_rest() const { return awake_.empty(); }  // no object has anything to do
  Count total() const { return static_cast<Count>(machines_.size()); }
  Count available() const;
  Count available_of(std::string_view set) const;
  Count machines_of(std::string_view set) const;
  bool has_set(std::string_view name) const { return sets_.contains(std::string(name)); }

  const std::vector<std::string>& log() const { return log_; }
  const std::vector<std::string>& faults() const { return faults_; }  // broken bounds, not allowed by name
  const std::set<Exception>& met() const { return met_; }             // exceptions that were needed
  const std::vector<std::string>& unused() const { return unused_; }  // acts of the user that never came

 private:
  struct Bounds {
    Count most = 0;
    Count least = 0;
  };

  struct Decision {
    Bounds bounds = {};
    bool excused = false;  // something has failed that it did not know of
  };

  void take_turn(const std::string& who);
  bool let_user_act(Randomness* chance);
  void turn_of_deployment();
  void carry_out(const Plan& plan);
  void apply(const controllers::machinedeployment::ApplySet& action);
  void turn_of_set(const std::string& name);
  void turn_of_machine(const std::string& name);
  Observation look() const;

  void make_machine(api::MachineSet& set);
  void remove_machine(const std::string& name);
  controllers::machineset::Observation look_at_set(const api::MachineSet& set) const;
  void update_machines(const api::MachineSet& set);
  bool update_up_to_date(api::Machine& machine) const;
  void wake_set_of(const api::Machine& machine);
  void wake_machines();
  Bounds bounds() const;
  void fail();
  void lose(std::string_view name, std::initializer_list<std::string_view> conditions);
  bool has_seen_everything() const;
  void check_total(const std::string& set);
  void check_available(const std::string& leaving);
  void exceptional(Exception exception, const std::string& what);
  void tell(std::string_view who, std::string_view text);
  void tell_state();

  std::optional<api::MachineDeployment> deployment_ = {};
  std::shared_ptr<const api::Cluster> cluster_ = {};
  Behaviour behaviour_ = {};
  std::map<std::string, api::MachineSet> sets_ = {};
  std::map<std::string, api::Machine> machines_ = {};
  std::map<std::string, int> machine_numbers_ = {};
  std::set<std::string> broken_ = {};
  std::set<std::string> held_ = {};
  std::set<std::string> awake_ = {};
  std::map<std::string, Decision> decided_ = {};  // the last change of a set's replicas
  bool failure_unseen_ = false;
  bool deadlock_broken_ = false;
  std::set<std::string> shrunk_blindly_ = {};
  std::set<std::string> told_faults_ = {};
  Time now_ = {};
  int sets_made_ = 0;
  int round_ = 0;
  std::string last_state_ = {};
  std::vector<std::string> log_ = {};
  std::vector<std::string> faults_ = {};
  std::set<Exception> met_ = {};
  std::vector<std::string> unused_ = {};
};

}  // namespace capstan::scenarios
