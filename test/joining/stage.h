// What the parts of the simulated world share: servers, machines, faults, and what was seen. world.h says
// what it is for; one simulated thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/node_config_fixture.h"
#include "net/pki.h"
#include "test/joining/gate.h"
#include "test/joining/vm.h"
#include "test/joining/world.h"

namespace capstan::joining {

using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;

inline constexpr std::chrono::seconds kCreationTimeout{300};  // of the CloudConfigs
inline constexpr std::chrono::seconds kUsualLook{3};

struct SimMachine {
  std::string name = {};
  std::string node_config = {};
  std::string pool = {};  // whose instance it is; empty: it is a Machine
  std::unique_ptr<Vm> vm = {};
  std::unique_ptr<Thread> supervisor = {};  // of the agent; after the VM, which it uses
  SteadyTime boots = {};
  std::optional<SteadyTime> kubelet_joins = {};
  bool has_node = false;
  bool doomed = false;                        // it is to go
  SteadyTime sleeps_until = {};               // nothing of it runs till then
  std::optional<SteadyTime> settled = {};     // its Machine or pool has its Node, or it is to go
  Time settled_at = {};                       // the same, by wall clock
  std::optional<SteadyTime> two_tokens = {};  // since when it has had more than one

  // The CloudConfig that its data are of.
  const std::string& config() const { return pool.empty() ? name : pool; }
  // What its agent is called in certificates.
  std::string agent_name() const { return pool.empty() ? name : "node-of-" + name; }
};

// A MachinePool whose instances are no Machines.
struct SimPool {
  std::string name = {};
  std::string node_config = {};
  std::size_t wanted = 0;  // instances
  std::size_t made = 0;    // instances there ever were
  bool doomed = false;
  SteadyTime doomed_since = {};
  Time doomed_at = {};  // the same, by wall clock
};

struct JoiningStage : bootstrap::NodeConfigFixture {
  JoiningStage(const JoiningOptions& wanted, JoiningVerdict& outcome);

  const JoiningOptions& options;
  JoiningVerdict& verdict;
  bool raging = false;
  std::uint64_t calls_hit = 0;   // of a thousand
  std::uint64_t pieces_hit = 0;  // likewise
  SteadyTime last_trouble = {};  // of the provider
  net::KeyAndCertificate authority;
  Gate gate;
  std::map<std::string, SimMachine> machines = {};
  std::size_t machines_made = 0;
  std::map<std::string, SimPool> pools = {};
  Nanoseconds between_looks = kUsualLook;
  std::map<std::string, Draft> drafts = {};  // by NodeConfig
  Offered offered = {};
  std::map<std::string, std::string> token_owners = {};  // machines by token id, also of tokens that are gone
  std::set<std::string> judged_requests = {};            // that were approved, and looked at then
  std::map<std::string, Time> births = {};  // by agent: when its last approved request by token was made

  void rest(Nanoseconds span, std::stop_token stop = {}) { baton.pause(Deadline::in(baton, span, stop)); }
  Nanoseconds some_seconds(std::uint64_t most) {
    return std::chrono::milliseconds(1) * static_cast<std::int64_t>(1 + baton.draw(1000 * most));
  }
  bool strikes(std::uint64_t per_thousand) { return raging && baton.draw(1000) < per_thousand; }
  Fault fault_for(const FaultPoint& point);
  void act(std::string_view what) { ++verdict.acts[std::string(what)]; }
  void narrate(std::string_view line) const;
  void broke(std::string what);
  // An hour ahead or behind now and then, of a cluster or a machine.
  Nanoseconds some_clock_off(std::string_view whose);
  VmWorld vm_world();
  // Of a machine's agent: what it asks goes through the gate, and is hit by faults.
  agent::Dial dial_of(const std::string& machine);
  void settle(SimMachine& machine);
  // Of the next CloudConfig: any format.
  void choose_spec(const std::string& node_config);
};

// surroundings.cc: one round of all that lives around provider and agents.
void surround(JoiningStage& stage);
// pools.cc: the cloud makes and takes instances, and the core names their Nodes.
void tend_pools(JoiningStage& stage);
void show_nodes(JoiningStage& stage, const std::string& pool);
// The token that the next instance of the pool boots with: its id.
std::string token_in_data(JoiningStage& stage, const std::string& pool);
void add_pool(JoiningStage& stage, const std::string& node_config);
void resize_pool(JoiningStage& stage, SimPool& pool, std::size_t wanted);
void delete_pool(JoiningStage& stage, SimPool& pool);
// audit.cc: a look at the promises about tokens and certificates.
void audit(JoiningStage& stage);
// user.cc
void make_node_config(JoiningStage& stage, const std::string& name);
void add_machine(JoiningStage& stage, const std::string& node_config);
void delete_machine(JoiningStage& stage, SimMachine& machine);
void change_config(JoiningStage& stage, const std::string& node_config);
void kill_provider(JoiningStage& stage);
void steal_token(JoiningStage& stage);
void do_something(JoiningStage& stage);

}  // namespace capstan::joining
