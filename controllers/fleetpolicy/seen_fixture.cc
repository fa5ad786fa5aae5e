#include "controllers/fleetpolicy/seen_fixture.h"

#include <algorithm>

#include "api/policy/fleet_policy_rules.h"
#include "controllers/safety/fleet_request.h"

namespace capstan::controllers::fleetpolicy {

using builders::noon;

Seen::Seen(const builders::FleetPolicyBuilder& policy) {
  seen_.now = noon();
  seen_.policy = policy.shared();
  seen_.applied = api::is_the_fleet_policy(*seen_.policy);
  for (const auto& grant : seen_.policy->status.grants) seen_.grants.push_back({.grant = grant});
}

Seen& Seen::with(const builders::MachineBuilder& machine) {
  const auto added = machine.shared();
  for (OpenGrant& open : seen_.grants)
    if (open.grant.uid == added->metadata.uid) open.machine = added;
  if (safety::concerns_fleet(*added)) seen_.machines.push_back(added);
  ++seen_.workers.fleet;
  ++seen_.workers
        .by_cluster[{.namespace_ = added->metadata.namespace_.str(), .name = added->spec.cluster_name.str()}];
  return *this;
}

Seen& Seen::with(const builders::ClusterBuilder& cluster) {
  const auto added = cluster.shared();
  for (OpenGrant& open : seen_.grants)
    if (open.grant.uid == added->metadata.uid) open.cluster = added;
  if (api::policy::concerns_fleet(added->metadata)) seen_.clusters.push_back(added);
  return *this;
}

Seen& Seen::after(Seconds span) {
  seen_.now = noon() + span;
  return *this;
}

builders::MachineBuilder asking(std::string_view name, Seconds ago, std::string_view reason) {
  const safety::FleetRequest request{.reason = std::string(reason), .since = noon() + -ago};
  return builders::a_machine(name).in_set("ms1").annotated("capstan.dev/fleet-request",
                                                           safety::to_text(request));
}

builders::MachineBuilder granted(std::string_view name) {
  return asking(name).annotated("capstan.dev/fleet-grant", noon().to_string());
}

builders::ClusterBuilder with_grant_for_an_orphan() {
  return builders::a_cluster().annotated("capstan.dev/fleet-grant", noon().to_string());
}

builders::ClusterBuilder asking_for_an_orphan(std::string_view cluster, Seconds ago) {
  const safety::FleetRequest request{.reason = "Orphans", .since = noon() + -ago};
  return builders::a_cluster(cluster).annotated("capstan.dev/fleet-request", safety::to_text(request));
}

namespace {

template <typename Kind, typename Object>
std::vector<std::string> names_in(const Plan& plan, Object Kind::* object) {
  std::vector<std::string> names;
  for (const Action& action : plan.actions)
    if (const auto* each = std::get_if<Kind>(&action)) names.push_back((each->*object)->metadata.name.str());
  return names;
}

}  // namespace

std::vector<std::string> granted_by(const Plan& plan) { return names_in(plan, &GiveGrant::machine); }
std::vector<std::string> orphans_granted_by(const Plan& plan) {
  return names_in(plan, &GrantOrphan::cluster);
}
std::vector<std::string> taken_back_by(const Plan& plan) { return names_in(plan, &TakeBack::machine); }

std::vector<std::string> held_by(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& grant : plan.grants) names.push_back(grant.name.str());
  return names;
}

}  // namespace capstan::controllers::fleetpolicy
