// A tiny world for stories of pools: one MachinePool, judged by its real decide and report,
// a provider with a group of instances, their kubelets, a bootstrap provider, a user. Each that has something
// to do takes turns, in one fixed order or in one that a seed chooses; every step is checked against the
// promises. One thread.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "controllers/machinepool/report.h"

namespace capstan::scenarios {

class PoolWorld;

// What a user or a provider does, as soon as the world is so.
struct PoolAct {
  std::string who = {};
  std::string text = {};
  std::function<bool(const PoolWorld&)> when = {};
  std::function<void(PoolWorld&)> then = {};
};

// An instance of the group, as the cloud has it.
struct CloudInstance {
  std::string name = {};  // of its Node, too
  std::string provider_id = {};
  bool marked = false;  // to be the next one to go
  bool doomed = false;  // its Machine takes it along
};

class PoolWorld {
 public:
  struct Beginning {
    std::int32_t replicas = 3;
    bool with_machines = false;  // the provider has an object for each instance
    bool own_secret = false;     // the user gives the data Secret, there is no bootstrap object
    std::string managed_by = {};
    bool boots_slowly = false;  // no Node registers before hold_kubelets(false)
    bool drains = false;        // a policy wants Nodes emptied before they go
  };
  explicit PoolWorld(const Beginning& beginning);

  // Until no object has anything to do. With a seed the order is its own.
  void settle(std::optional<std::uint64_t> seed = {});
  // What happened so far is no part of the story; this is.
  void begin_story(std::vector<PoolAct> acts, std::set<std::string> lies = {});

  // --- users and autoscalers ---
  void scale(std::int32_t replicas);
  void pause(bool paused);
  void remove_pool();
  void mark_for_deletion(const std::string& machine);
  void name_victims(const std::string& machines);

  // --- the cloud and its provider ---
  void set_capacity(int instances);
  void lose_instance(const std::string& name);
  void replace_instance(const std::string& name);  // another one of that name, by the cloud itself
  void grow_by_itself(int instances);
  void rotate_secret();
  void publish_nothing();  // its list is empty, whatever there is
  void publish_twice(const std::string& name);
  void mute(bool muted);          // instances come and go, the list stays
  void hold_kubelets(bool held);  // instances run, no Node registers
  void set_connected(bool connected);
  void break_node(const std::string& name);
  void let_time_pass(Seconds span);
  // A Pod under a budget that allows nothing, until it does.
  void put_pod(const std::string& node);
  void set_budget(bool allows);

  // --- what is there ---
  bool exists() const { return pool_.has_value(); }
  const api::MachinePool& pool() const { return *pool_; }
  const std::vector<CloudInstance>& instances() const { return instances_; }
  const std::map<std::string, api::Node>& nodes() const { return nodes_; }
  const std::map<std::string, api::Machine>& machines() const { return machines_; }
  bool provider_objects_are_gone() const { return !infra_ && !config_; }
  std::size_t ready_nodes() const;
  std::string condition(std::string_view type) const;  // "False Reason: message"
  bool has_pods() const { return !pods_.empty(); }
  bool names_victims() const;
  bool at_rest() const { return busy().empty() && !due_; }

  const std::vector<std::string>& log() const { return log_; }
  const std::vector<std::string>& faults() const { return faults_; }
  std::vector<std::string> unused() const;

 private:
  using Document = boost::json::object;
  using Plan = controllers::machinepool::Plan;
  using Observation = controllers::machinepool::Observation;

  std::set<std::string> busy() const;
  void take_turn(const std::string& who);
  bool let_someone_act(Randomness* chance);
  bool wait_for_the_clock();
  void ring();

  void turn_of_pool();
  bool is_paused() const;
  Observation look();
  void confirm_empty_list(Observation& seen);
  using Effects = controllers::machinepool::Effects;
  void carry_out(const Plan& plan, Effects& effects);
  void make_machines(const Plan& plan);
  void settle_victims(const Plan& plan, Effects& effects);
  void write_mark(const api::Machine& wanted);
  void retire_node(const std::shared_ptr<const api::Node>& node, bool drain, Effects& effects);
  void go_away();
  void take_down(const Observation& seen, const Plan& plan, Effects& effects);
  void delete_provider(const Observation& seen, controllers::machinepool::Provider which);
  bool emptied(const std::string& node);
  void delete_node(const api::Node& node, std::string_view why);
  void save(api::MachinePool after);

  void turn_of_config();
  void turn_of_provider();
  void take_group_down();
  void fit_group();
  void retire_one();
  void add_instance();
  void publish();
  void turn_of_kubelet(const CloudInstance& instance);
  void turn_of_machine(const std::string& name);

  void wake_pool() { awake_.insert("pool"); }
  void wake_provider() { awake_.insert("provider"); }
  bool is_alive(std::string_view provider_id) const;
  void tell(std::string_view who, std::string_view text);
  void tell_state();
  void check_rest();

  std::optional<api::MachinePool> pool_ = {};
  std::optional<Document> infra_ = {};
  std::optional<Document> config_ = {};
  bool infra_deleting_ = false;
  std::vector<CloudInstance> instances_ = {};
  std::map<std::string, api::Node> nodes_ = {};
  std::map<std::string, api::Machine> machines_ = {};
  std::shared_ptr<const api::Cluster> cluster_ = {};
  const Beginning beginning_;

  int capacity_ = 1000;
  int secret_ = 1;
  int wanted_by_cloud_ = 0;
  int named_ = 0;
  int uids_ = 0;
  bool muted_ = false;
  bool held_ = false;
  bool connected_ = true;
  bool paused_ = false;
  std::set<std::string> pods_ = {};  // Nodes with one
  bool budget_allows_ = true;
  std::optional<Time> emptied_ = {};
  std::optional<Time> due_ = {};  // when the pool wants to look again

  std::vector<PoolAct> acts_ = {};
  std::set<std::string> lies_ = {};
  std::set<std::string> awake_ = {};
  Time now_ = {};
  int round_ = 0;
  std::string last_state_ = {};
  std::vector<std::string> log_ = {};
  std::vector<std::string> faults_ = {};
};

}  // namespace capstan::scenarios
