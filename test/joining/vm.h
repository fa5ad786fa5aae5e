// One machine of the simulation: a scratch folder as its disk, capstan-agent as a process that may be killed
// at each of its effects, a systemctl, and what was seen of its files and units. Lives in the simulated
// world, outside of the agent's process.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "agent/clients.h"
#include "agent/machine_fixture.h"
#include "agent/root.h"
#include "test/fakes/baton.h"
#include "test/joining/configuration.h"
#include "test/joining/promises.h"

namespace capstan::joining {

// Contents that configurations have said, by path.
using Offered = std::map<std::string, std::set<std::string>, std::less<>>;

// What a machine needs of its world; all of it lives longer.
struct VmWorld {
  fakes::Baton& baton;
  const Offered& offered;
  Nanoseconds clock_off = {};  // the machine's clock is so far ahead
  // True so often of a thousand; never once the faults have stopped.
  std::function<bool(std::uint64_t per_thousand)> strikes = {};
  std::function<void(std::string what)> broke = {};  // an empty text: nothing was
  std::function<void(std::string_view line)> narrate = {};
};

class Vm {
 public:
  // With the files of its user data.
  Vm(VmWorld world, std::string machine, const std::map<std::string, std::string>& files, agent::Dial dial);
  ~Vm();
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  const std::string& machine() const { return machine_; }
  std::string host_name() const { return "node-of-" + machine_; }  // as its Node is called
  std::string process() const { return "agent-" + machine_; }
  const agent::ScratchRoot& disk() const { return disk_; }
  std::string token() const;  // "id.secret" that it has booted with
  bool runs_kubelet() const { return runs_kubelet_; }

  // The body of the agent's process.
  void run_agent(const std::stop_token& stop);
  // The process is gone; what it could not remember may be done again.
  void agent_ended();
  void user_asks_restart(const std::string& unit) { ++units_[unit].asked; }
  // Whether the files hold that, and every unit was restarted after its last change; else what is missing.
  std::string differs_from(const std::map<std::string, std::string>& files) const;

 private:
  class OwnClock;
  class Hazards;
  class Units;

  void look_at_files();
  Result<void> fetch(const std::string& url, agent::PendingFile& into);
  Result<void> restart(const std::string& unit);

  VmWorld world_;
  const std::string machine_;
  agent::Dial dial_;
  agent::ScratchRoot disk_{agent::folder_in_memory()};
  std::map<std::string, std::string, std::less<>> in_force_ = {};
  std::map<std::string, UnitSeen> units_ = {};
  std::string restarting_ = {};  // a unit whose restart the agent has not remembered yet
  std::string token_ = {};
  bool runs_kubelet_ = false;
};

}  // namespace capstan::joining
