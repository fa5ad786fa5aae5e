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

struct SimMachine {
  std::string name = {};
  std::string node_config = {};
  std::unique_ptr<Vm> vm = {};
  std::unique_ptr<Thread> supervisor = {};  // of the agent; after the VM, which it uses
  SteadyTime boots = {};
  std::optional<SteadyTime> kubelet_joins = {};
  bool has_node = false;
  bool doomed = false;                        // the user has deleted it
  SteadyTime sleeps_until = {};               // nothing of it runs till then
  std::optional<SteadyTime> settled = {};     // its Machine has its Node, or is to go
  Time settled_at = {};                       // the same, by wall clock
  std::optional<SteadyTime> two_tokens = {};  // since when it has had more than one
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
  std::map<std::string, Draft> drafts = {};  // by NodeConfig
  Offered offered = {};
  std::map<std::string, std::string> token_owners = {};  // machines by token id, also of tokens that are gone
  std::set<std::string> judged_requests = {};            // that were approved, and looked at then

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
};

// surroundings.cc: one round of all that lives around provider and agents.
void surround(JoiningStage& stage);
// audit.cc: a look at the promises about tokens and certificates.
void audit(JoiningStage& stage);
// user.cc
void make_node_config(JoiningStage& stage, const std::string& name);
void add_machine(JoiningStage& stage, const std::string& node_config);
void delete_machine(JoiningStage& stage, SimMachine& machine);
void change_config(JoiningStage& stage, const std::string& node_config);
void kill_provider(JoiningStage& stage);
void do_something(JoiningStage& stage);

}  // namespace capstan::joining
