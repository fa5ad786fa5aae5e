// SimCloud: a cloud that exists in memory only. It behaves as its Script says (latency, quota, failing calls,
// VMs that vanish, lists that lag) and is a Driver like any other. The value "account" of the credentials
// says which account is meant, so that other credentials see other VMs. Simulated kubelets listen to it. One
// per simulated world: it outlives the managers that crash. Safe from any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "infrastructure/driver.h"
#include "infrastructure/sim/script.h"
#include "infrastructure/sim/sim_vm.h"

namespace capstan::infrastructure::sim {

// A persistent disk stays when its VM goes.
struct Disk {
  std::string id = {};
  std::string attached_to = {};  // the VM's name; empty: to none
};

enum class Farewell { Removed, Vanished };

// Called outside of locks, by the thread that made the change.
class VmListener {
 public:
  virtual ~VmListener() = default;
  virtual void vm_started(const SimVm& vm) = 0;  // or is heard again
  virtual void vm_gone(const std::string& provider_id, Farewell farewell) = 0;
};

struct CloudDeps {
  const Clock& clock;
  Threads& threads;
  Log log = {};
};

class SimCloud final : public Driver {
 public:
  SimCloud(const CloudDeps& deps, Script script);
  SimCloud(const SimCloud&) = delete;
  SimCloud& operator=(const SimCloud&) = delete;

  const Script& script() const { return script_; }
  void listen(VmListener& listener);  // before the first VM; lives as long as verbs are called

  DriverResult<Vm> create(const CreateVm& wanted, const Credentials& credentials,
                          const Deadline& deadline) override;
  DriverResult<Vm> initialize(const InitializeVm& wanted, const Credentials& credentials,
                              const Deadline&) override;
  DriverResult<void> remove(const VmId& id, const Credentials& credentials,
                            const Deadline& deadline) override;
  DriverResult<Vm> status(const VmId& id, const Credentials& credentials, const Deadline& deadline) override;
  DriverResult<std::vector<Vm>> list(const Tags& tags, const Credentials& credentials,
                                     const Deadline& deadline) override;
  DriverResult<void> tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                         const Deadline& deadline) override;
  DriverResult<std::vector<std::string>> volume_ids(std::span<const std::string> volume_specs,
                                                    const Deadline& deadline) override;
  DriverResult<Identity> identity(const Credentials& credentials, const Deadline& deadline) override;

  // --- for the world around it ---
  // From now on there is room for so many VMs, whatever there are; nothing: for as many as the script says.
  void make_room(std::optional<std::int64_t> vms);
  // VMs made from now on boot for so long; nothing: as the script says.
  void boot_for(std::optional<Nanoseconds> span);
  // VMs whose time has come vanish, fall silent or are heard again; the next such time, if any.
  std::optional<SteadyTime> expire();
  // All VMs of these names (a glob) are gone from now on; how many those were.
  std::size_t vanish(std::string_view glob);
  // There is a second VM of the key of each of these, as clouds make that lose a request and find it again.
  std::size_t duplicate(std::string_view glob);
  // They still exist, but run no more, and their kubelets are silent.
  std::size_t stop(std::string_view glob);
  // Every VM there is, by name.
  std::vector<Vm> vms() const;
  std::map<std::string, Disk> disks() const;
  std::uint64_t created() const;          // ever
  std::set<std::string> refused() const;  // names of VMs there was no room for when they were asked for
  // From now on that goes wrong, too; its times count from now.
  void add_fault(const FaultRule& rule);
  // These go wrong from now on and no others: what is not among them any more ends, what is new begins.
  void follow_faults(const std::vector<FaultRule>& rules);
  // All that goes wrong is over. What went wrong stays so.
  void end_faults() { follow_faults({}); }
  // Whether the API server of the workload Cluster of that name is to be out of reach.
  bool api_is_away(std::string_view cluster) const;
  // How often each rule hit: those of the script, then those that were added.
  std::vector<std::uint64_t> hits() const;

 private:
  struct Fault {
    FaultRule rule = {};
    SteadyTime begins = {};
    std::optional<SteadyTime> ends = {};
    std::uint64_t hits = 0;
    bool struck = false;     // a failure domain that has died
    bool returned = false;   // ... and whose VMs are back
    bool withdrawn = false;  // ended before its time
    bool in_force(SteadyTime now) const { return begins <= now && (!ends || now < *ends); }
  };
  struct Gone {
    Vm vm = {};
    std::string account = {};
    SteadyTime at = {};
  };
  struct State {
    std::map<std::string, SimVm> vms = {};                                // by provider ID
    std::map<std::pair<std::string, std::string>, std::string> ids = {};  // by account and instance key
    std::map<std::string, std::uint64_t> generations = {};                // VMs ever made for an instance key
    std::map<std::string, std::int64_t> of_class = {};  // how many VMs there are of each class
    std::set<std::pair<SteadyTime, std::string>> vanishing = {};
    std::vector<Gone> gone = {};             // as long as lists may still show them
    std::map<std::string, Disk> disks = {};  // persistent ones, by cluster and name
    std::map<std::pair<std::size_t, std::string>, std::int64_t> attempts = {};  // by rule and VM
    std::map<std::pair<std::size_t, std::string>, std::int64_t> hits_per_vm = {};
    std::vector<Fault> faults = {};  // only ever longer: a rule is known by its number
    std::uint64_t created = 0;
    std::uint64_t duplicates = 0;  // made by duplicate()
    std::optional<std::int64_t> room = {};
    Nanoseconds boot = {};
    std::set<std::string> refused = {};
    VmListener* listener = nullptr;
  };

  // What time has brought about, for the listener.
  struct Passed {
    std::vector<std::string> gone = {};  // provider IDs, of those that only fell silent, too
    std::vector<SimVm> back = {};
  };

  static void begin(State& state, const FaultRule& rule, SteadyTime now);
  std::optional<FaultRule> draw(SimVerb verb, const std::string& name);
  std::string account_of(const Credentials& credentials);
  bool never_joins(State& state, const std::string& name, SteadyTime now) const;
  static bool is_dead(const State& state, const std::string& domain, SteadyTime now);
  void turn_domains(State& state, SteadyTime now, Passed& passed) const;
  static std::optional<SteadyTime> next_turn(const State& state, SteadyTime now);
  // How much longer it takes for that VM: the same for the same seed.
  Nanoseconds jitter(Nanoseconds span, std::int32_t percent, const std::string& name) const;
  std::optional<DriverError> wait(Nanoseconds span, const std::string& name, const Deadline& deadline);
  std::optional<DriverError> half(Nanoseconds latency, const std::string& name, const Deadline& deadline);
  DriverResult<std::pair<SimVm, bool>> make(State& state, const CreateVm& wanted, const std::string& account,
                                            SteadyTime now) const;
  std::optional<DriverError> take_disks(State& state, const CreateVm& wanted, SimVm& vm) const;
  std::optional<SteadyTime> vanishing_time(State& state, const std::string& name, SteadyTime now) const;
  Vm as_seen(const SimVm& vm, SteadyTime now) const;
  std::string name_of(const VmId& id, const std::string& account) const;
  static bool is_ambiguous(const State& state, const VmId& id, const std::string& account);
  static std::string id_of(const State& state, const VmId& id, const std::string& account);
  void bury(State& state, const std::string& provider_id, SteadyTime now) const;
  void report_gone(VmListener* listener, const std::string& provider_id, Farewell farewell) const;
  bool chance(std::size_t rule, std::int32_t percent, const std::string& name, std::int64_t attempt) const;

  const CloudDeps deps_;
  const Script script_;
  Guarded<State> state_;
};

}  // namespace capstan::infrastructure::sim
