// a_fleet_policy().limits(1, 600s): the FleetPolicy that counts, with what the test is about; and what its
// status may hold.
#pragma once

#include "api/policy/fleet_policy.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

class FleetPolicyBuilder : public ConditionedBuilder<FleetPolicyBuilder, api::FleetPolicy> {
 public:
  explicit FleetPolicyBuilder(std::string_view name);

  // One more limit: over all Clusters, or for each of them; of the reasons named, or of all.
  FleetPolicyBuilder& limits(IntOrString max, Seconds window,
                             std::initializer_list<std::string_view> reasons = {});
  FleetPolicyBuilder& limits_each_cluster(IntOrString max, Seconds window,
                                          std::initializer_list<std::string_view> reasons = {});
  FleetPolicyBuilder& limits(int max, Seconds window = Seconds(600)) {
    return limits(IntOrString(max), window);
  }
  FleetPolicyBuilder& limits_each_cluster(int max, Seconds window = Seconds(600)) {
    return limits_each_cluster(IntOrString(max), window);
  }
  // In its status.
  FleetPolicyBuilder& granted(std::string_view machine, Time at, std::string_view reason = "ScaleIn",
                              std::string_view cluster = kCluster);
  FleetPolicyBuilder& granted_for_an_orphan(Time at, std::string_view cluster = kCluster);
  FleetPolicyBuilder& begun(Time at);  // the deletion of the last one
  FleetPolicyBuilder& gone(Time minute, int count, std::string_view reason = "ScaleIn",
                           std::string_view cluster = kCluster);
};

FleetPolicyBuilder a_fleet_policy(std::string_view name = api::policy::kFleetPolicyName);

}  // namespace capstan::builders
