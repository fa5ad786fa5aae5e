// A tiny world for stories of health checks: pools of Machines on Nodes, the real MachineHealthCheck
// controller on an embedded API server, owners that replace Machines by the MachineSet's real decide, and
// people and accidents that act at given times. Second by second it writes down what changed. Runs inside a
// Baton; one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinehealthcheck/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {

namespace json = boost::json;

// A MachineDeployment with one MachineSet; its Machines go round through the zones.
struct Pool {
  std::string name = "web";
  int replicas = 4;
  std::vector<std::string> zones = {};
  std::optional<int> max_in_flight = {};
  std::string team = {};    // a label of the MachineDeployment
  Seconds joins_after{60};  // a new Machine's Node appears
  std::set<std::string> never_join = {};
};

class HealthWorld;

// At that moment of the story.
struct Act {
  Seconds at{0};
  std::string text = {};
  std::function<void(HealthWorld&)> then = {};
};

struct HealthStory {
  std::string name = {};   // of its file
  std::string title = {};  // its first line
  std::vector<Pool> pools = {};
  std::vector<api::MachineHealthCheck> checks = {};
  std::vector<api::MachineLifecyclePolicy> policies = {};
  std::vector<Act> acts = {};
  Seconds length{600};
  // Of what is promised beside the text, in any order of events; empty: it holds.
  std::function<std::string(const HealthWorld&)> broken = {};
};

class HealthWorld : public controllers::ControllerFixture<controllers::machinehealthcheck::Reconciler> {
 public:
  HealthWorld(fakes::Baton& with, const HealthStory& story);

  void run();

  // --- people and accidents ---
  void node_turns(const std::string& machine, std::string_view status);  // its condition Ready
  void node_vanishes(const std::string& machine);
  void annotate(const std::string& machine, std::string_view key);
  void condition(const std::string& machine, std::string_view type, std::string_view status);
  void delete_check(std::string_view name);
  void change_check(std::string_view name, const json::value& patch);
  void make_policy(const api::MachineLifecyclePolicy& policy);
  void delete_policy(std::string_view name);
  void make_template();
  void lose_cluster();
  void find_cluster();

  // --- what has become of it ---
  std::vector<std::string> machines() const;  // that are not being deleted
  int replaced() const { return replaced_; }  // Machines that were deleted
  int most_in_flight() const { return most_in_flight_; }
  std::string allowed(std::string_view check) const;  // "False SharedCause: ..."
  const std::vector<std::string>& log() const { return log_; }

 private:
  struct Shown {
    std::string health = {};
    std::string handed = {};
    bool on_node = false;
    bool deleting = false;
  };

  void set_stage();
  void make_pool(const Pool& pool);
  void make_machine(const Pool& pool, Time made);
  void join(const std::string& machine, Time ready_since);
  void live();
  void live_of_machines();
  void turn_of_owner(const Pool& pool);
  void write_mark(const api::Machine& machine);
  void tell_changes();
  void tell_machine(const std::string& name, const api::Machine& machine);
  void tell_checks();
  void tell(std::string_view who, std::string_view text);
  Time now() const { return Time::from(baton.now()); }
  std::map<std::string, api::Machine> read_machines() const;

  const HealthStory& story_;
  apiserver::Api workload_api_;
  fakes::MemoryClient workload_;
  std::vector<Act> acts_;
  std::map<std::string, api::MachineSet> sets_ = {};  // by pool
  std::map<std::string, api::MachineDeployment> deployments_ = {};
  std::map<std::string, int> made_ = {};
  std::map<std::string, api::Machine> machines_ = {};
  std::map<std::string, Time> leaving_ = {};
  std::map<std::string, Shown> shown_ = {};
  std::map<std::string, std::string> checks_shown_ = {};
  std::size_t events_told_ = 0;
  Time began_ = {};
  int replaced_ = 0;
  int most_in_flight_ = 0;
  bool telling_ = false;
  std::vector<std::string> log_ = {};
};

}  // namespace capstan::scenarios
