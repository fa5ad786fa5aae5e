// To which pool each target belongs, and which policy governs it, from the caches: its MachineDeployment,
// MachineSet or MachinePool. Looked up once per owner and turn; costs nothing where there is no policy.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinehealthcheck/observation.h"
#include "controllers/shared/caches.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers::machinehealthcheck {

class Governance {
 public:
  Governance(const Caches& caches, std::string_view where);

  // Fills in pool and policy of all targets, and which policies stand in each other's way.
  void assign_policies(Observation& seen);

 private:
  struct Membership {
    std::string pool = {};
    PolicyChoice choice = {};
  };
  const Membership& of_owner(const api::OwnerReference& owner);
  Membership look_up(const api::OwnerReference& owner) const;
  Membership of_set(const api::MachineSet& set) const;

  const Caches& caches_;
  const std::string where_;  // a namespace
  const std::vector<PolicySnapshot> policies_;
  std::map<std::string, Membership> known_ = {};  // by uid
};

}  // namespace capstan::controllers::machinehealthcheck
