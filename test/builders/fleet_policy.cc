#include "test/builders/fleet_policy.h"

namespace capstan::builders {

using api::FleetPolicy;

namespace {

api::FleetLimit limit_of(IntOrString max, Seconds window, std::initializer_list<std::string_view> reasons) {
  api::FleetLimit limit{.max = std::move(max), .window_seconds = static_cast<std::int32_t>(window.count())};
  for (const std::string_view reason : reasons) limit.reasons.push_back(Text(reason));
  return limit;
}

}  // namespace

FleetPolicyBuilder::FleetPolicyBuilder(std::string_view name) : ConditionedBuilder(FleetPolicy{}) {
  object_.metadata = metadata_of(api::policy::kind::kFleetPolicy, name);
  object_.metadata.namespace_ = {};
}

FleetPolicyBuilder& FleetPolicyBuilder::limits(IntOrString max, Seconds window,
                                               std::initializer_list<std::string_view> reasons) {
  return change(
      [&](FleetPolicy& policy) { policy.spec.limits.push_back(limit_of(std::move(max), window, reasons)); });
}

FleetPolicyBuilder& FleetPolicyBuilder::limits_each_cluster(IntOrString max, Seconds window,
                                                            std::initializer_list<std::string_view> reasons) {
  return limits(std::move(max), window, reasons).change([](FleetPolicy& policy) {
    policy.spec.limits.back().scope = Text(api::FleetLimit::kPerCluster);
  });
}

FleetPolicyBuilder& FleetPolicyBuilder::granted(std::string_view machine, Time at, std::string_view reason,
                                                std::string_view cluster) {
  return change([&](FleetPolicy& policy) {
    policy.status.grants.push_back({.namespace_ = Text(kNamespace),
                                    .name = Text(machine),
                                    .uid = uid_of(api::kind::kMachine, machine),
                                    .cluster_name = Text(cluster),
                                    .reason = Text(reason),
                                    .granted_at = at});
  });
}

FleetPolicyBuilder& FleetPolicyBuilder::granted_for_an_orphan(Time at, std::string_view cluster) {
  return granted(cluster, at, api::policy::deletion::kOrphans, cluster).change([&](FleetPolicy& policy) {
    policy.status.grants.back().uid = uid_of(api::kind::kCluster, cluster);
  });
}

FleetPolicyBuilder& FleetPolicyBuilder::begun(Time at) {
  return change([&](FleetPolicy& policy) { policy.status.grants.back().begun_at = at; });
}

FleetPolicyBuilder& FleetPolicyBuilder::gone(Time minute, int count, std::string_view reason,
                                             std::string_view cluster) {
  return change([&](FleetPolicy& policy) {
    policy.status.buckets.push_back({.minute = minute,
                                     .namespace_ = Text(kNamespace),
                                     .cluster_name = Text(cluster),
                                     .reason = Text(reason),
                                     .count = count});
  });
}

FleetPolicyBuilder a_fleet_policy(std::string_view name) { return FleetPolicyBuilder(name); }

}  // namespace capstan::builders
