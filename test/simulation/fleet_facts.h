// What there is in a simulated fleet, read from the API server's own store as a few plain numbers: the truth
// that promises are held against. Reads are cached by version, so that a look after every write is cheap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/api.h"
#include "base/time.h"
#include "test/simulation/fleet_manifests.h"

namespace capstan::simulation {

struct MachineFacts {
  std::string name = {};
  std::string uid = {};
  std::string set = {};   // uid of the MachineSet that controls it; empty: none
  std::string pool = {};  // or of the MachinePool
  bool going = false;     // being deleted
  bool available = false;
  bool to_remediate = false;      // a health check handed it to its owner
  bool being_remediated = false;  // ... which has begun with it
  bool marked = false;            // to go first
  bool failed = false;            // a policy gave it up,
  bool granted = false;           // and let it have a place among those that are replaced
  std::optional<Time> preserved_until = {};
  std::string deleted_for = {};  // what its set says before it deletes it
  bool asks_fleet = false;       // ... and before that, where a FleetPolicy has limits,
  bool fleet_granted = false;    // which gave it a place
  std::string bootstrap = {};    // names of its objects
  std::string infrastructure = {};
  std::string provider_id = {};
  std::string node = {};
  bool readable = true;  // can be decoded as it stands
  bool given = false;    // to its owner, who did not make it: a copy, or one that was released before

  bool copy() const { return is_copy(name); }
};

struct SetFacts {
  std::string name = {};
  std::string uid = {};
  std::string deployment = {};  // uid of the controller
  std::uint64_t version = 0;
  std::optional<int> replicas_there = {};  // in its spec
  int replicas = 0;
  std::string template_version = {};  // of Kubernetes
  bool going = false;
  bool orphaning = false;  // deleted so that its Machines stay
};

struct DeploymentFacts {
  std::string name = {};
  std::string uid = {};
  std::uint64_t version = 0;
  std::optional<int> replicas_there = {};  // in its spec
  int replicas = 0;
  int surge = 0;
  int unavailable = 0;
  std::string template_version = {};
  bool orphaning = false;                     // deleted so that its MachineSets stay
  std::optional<int> most_remediations = {};  // at once; nothing: any number
  bool going = false;
};

struct NodeFacts {
  std::string name = {};
  std::string uid = {};
};

struct PoolFacts {
  std::string name = {};
  std::string uid = {};
  std::uint64_t version = 0;
  int replicas = 0;
  bool going = false;
  std::vector<NodeFacts> nodes = {};  // those it has noted
};

struct FleetFacts {
  bool cluster_going = true;  // or gone
  bool cluster_paused = false;
  std::vector<MachineFacts> machines = {};
  std::vector<SetFacts> sets = {};
  std::vector<DeploymentFacts> deployments = {};
  std::vector<PoolFacts> pools = {};

  const MachineFacts* machine(std::string_view name) const;
  const SetFacts* set(std::string_view uid) const;
  const SetFacts* set_named(std::string_view name) const;
  const DeploymentFacts* deployment(std::string_view uid) const;
  int owned(std::string_view set) const;               // Machines it made and controls, going ones included
  int staying(std::string_view set) const;             // those not being deleted
  int owned_below(std::string_view deployment) const;  // by all sets of it
  int available_below(std::string_view deployment) const;
  // Failed Machines that stay for people to look at: they count as replicas, get no replacement, and go last
  // when fewer are wanted.
  int preserved_below(std::string_view deployment, Time now) const;
};

class FleetReader {
 public:
  explicit FleetReader(const apiserver::Api& api) : api_(api) {}
  FleetFacts look();

 private:
  template <typename Facts>
  using Known = std::map<std::string, std::pair<apiserver::ObjectPtr, Facts>>;
  template <typename T, typename Facts>
  std::vector<Facts> read(Known<Facts>& known, Facts (*facts_of)(const T&)) const;

  const apiserver::Api& api_;
  Known<MachineFacts> machines_;
  Known<SetFacts> sets_;
  Known<DeploymentFacts> deployments_;
  Known<PoolFacts> pools_;
};

}  // namespace capstan::simulation
