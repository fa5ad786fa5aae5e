// seen_by(a_fleet_policy().limits(1)).with(asking("a", "ScaleIn")): an Observation in words, for tests of
// decide and report.
#pragma once

#include "controllers/fleetpolicy/decide.h"
#include "test/builders/cluster.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"

namespace capstan::controllers::fleetpolicy {

class Seen {
 public:
  explicit Seen(const builders::FleetPolicyBuilder& policy);

  // A Machine that is there; the status of the policy may hold a grant of it.
  Seen& with(const builders::MachineBuilder& machine);
  // A Cluster of which a VM that is no object's may ask.
  Seen& with(const builders::ClusterBuilder& cluster);
  Seen& after(Seconds span);  // noon
  template <typename Change>
  Seen& where(Change&& change) {
    std::forward<Change>(change)(seen_);
    return *this;
  }
  const Observation& seen() const { return seen_; }
  Plan plan() const { return decide(seen_); }

 private:
  Observation seen_ = {};
};

inline Seen seen_by(const builders::FleetPolicyBuilder& policy) { return Seen(policy); }

// A worker of a MachineSet that has asked since so long before noon.
builders::MachineBuilder asking(std::string_view name, Seconds ago = Seconds(0),
                                std::string_view reason = "ScaleIn");
// The same with its grant.
builders::MachineBuilder granted(std::string_view name);

// The provider has asked since so long before noon for a place for an orphan of that Cluster.
builders::ClusterBuilder asking_for_an_orphan(std::string_view cluster = builders::kCluster,
                                              Seconds ago = Seconds(0));
// The provider has made use of its grant.
builders::ClusterBuilder with_grant_for_an_orphan();

// Of the plan, in its order.
std::vector<std::string> granted_by(const Plan& plan);
std::vector<std::string> orphans_granted_by(const Plan& plan);  // their Clusters
std::vector<std::string> taken_back_by(const Plan& plan);
// The Machines, or Clusters for orphans, whose grants the status holds then.
std::vector<std::string> held_by(const Plan& plan);

}  // namespace capstan::controllers::fleetpolicy
