#include "controllers/fleetpolicy/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/fleetpolicy/buckets.h"
#include "controllers/fleetpolicy/orphan_grants.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/shared/recheck.h"
#include "kube/kinds.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using api::policy::kFleetGrantExpires;
using safety::FleetRequest;

// One that asks: a Machine, or a VM of a Cluster that is no object's.
struct Candidate {
  Asked asked = {};
  kube::ObjectKey cluster = {};
  MachineSnapshot machine = {};  // null: it is a VM
  ClusterSnapshot of = {};       // the Cluster of that VM; null: it is a Machine
};

Candidate candidate_of(const MachineSnapshot& machine, FleetRequest request) {
  return {
      .asked = {.called = "Machine " + kube::key_of(*machine).describe(), .request = std::move(request)},
      .cluster = {.namespace_ = machine->metadata.namespace_.str(), .name = machine->spec.cluster_name.str()},
      .machine = machine};
}

Candidate candidate_of(const ClusterSnapshot& cluster, FleetRequest request) {
  const auto key = kube::key_of(*cluster);
  return {.asked = {.called = "VM of Cluster " + key.describe(), .request = std::move(request)},
          .cluster = key,
          .of = cluster};
}

class Granter {
 public:
  explicit Granter(const Observation& seen)
      : seen_(seen),
        limits_(seen.policy->spec, seen.workers),
        buckets_(seen.policy->status.buckets, seen.policy->spec, seen.now) {}

  Plan run() {
    for (const OpenGrant& open : seen_.grants) look_at(open);
    take_back_strangers();
    limits_.count(plan_.grants);
    limits_.count(buckets_.all(), seen_.now);
    for (const Candidate& candidate : candidates()) serve(candidate);
    recheck_within(plan_.recheck, plan_.waiting.count > 0 ? buckets_.next_change() : buckets_.end());
    plan_.buckets = buckets_.all();
    return std::move(plan_);
  }

 private:
  // --- what was granted before ---

  void look_at(const OpenGrant& open) {
    if (is_for_orphan(open.grant)) return look_at_orphan(open);
    known_.insert(open.grant.uid);
    if (!open.machine) return buckets_.add(open.grant);
    if (open.machine->metadata.deleting()) return hold_used(open.grant);
    if (!is_given_back(open)) plan_.grants.push_back(open.grant);
  }

  // By our own clock, and not by the server's: windows are counted by it.
  void hold_used(api::FleetGrant grant) {
    if (!grant.begun_at.is_set()) grant.begun_at = seen_.now;
    plan_.grants.push_back(std::move(grant));
  }

  // Its place is free once the Machine says nothing of a grant: until then its MachineSet may use it.
  bool is_given_back(const OpenGrant& open) {
    const Seconds left = open.grant.granted_at + kFleetGrantExpires - seen_.now;
    const bool stands = left > Seconds(0) && safety::fleet_request_of(*open.machine);
    const bool says_so = safety::has_fleet_grant(*open.machine);
    if (stands) recheck_within(plan_.recheck, left);
    if (stands && !says_so) plan_.actions.push_back(GiveGrant{open.machine});  // the write was lost
    if (!stands && safety::concerns_fleet(*open.machine)) plan_.actions.push_back(TakeBack{open.machine});
    return !stands && !says_so;
  }

  // Left from a FleetPolicy before this one, or a person's own.
  void take_back_strangers() {
    for (const auto& machine : seen_.machines) {
      const bool strange = safety::has_fleet_grant(*machine) && !known_.contains(machine->metadata.uid);
      if (strange && !machine->metadata.deleting()) plan_.actions.push_back(TakeBack{machine});
    }
    for (const auto& cluster : seen_.clusters) {
      if (api::policy::has_fleet_grant(cluster->metadata) && !known_.contains(cluster->metadata.uid))
        plan_.actions.push_back(EndOrphanGrant{cluster});
    }
  }

  // Its place is free once the Cluster shows no grant: until then the provider may use it.
  void look_at_orphan(const OpenGrant& open) {
    switch (standing_of(open, seen_.now)) {
      case OrphanGrant::Open: return hold_orphan(open.grant);
      case OrphanGrant::Unwritten:
        plan_.actions.push_back(GrantOrphan{open.cluster});
        return hold_orphan(open.grant);
      case OrphanGrant::Expired:
        plan_.actions.push_back(EndOrphanGrant{open.cluster});
        return hold_orphan(open.grant);
      case OrphanGrant::Used:
        plan_.actions.push_back(EndOrphanGrant{open.cluster});
        known_.insert(open.grant.uid);
        return hold_used(open.grant);
      case OrphanGrant::Over: return buckets_.add(open.grant);
      case OrphanGrant::GivenBack: return;
    }
  }

  void hold_orphan(const api::FleetGrant& grant) {
    known_.insert(grant.uid);
    plan_.grants.push_back(grant);
    const Seconds left = grant.granted_at + kFleetGrantExpires - seen_.now;
    if (left > Seconds(0)) recheck_within(plan_.recheck, left);
  }

  // --- what is asked for ---

  // The oldest first.
  std::vector<Candidate> candidates() {
    std::vector<Candidate> found;
    for (const auto& machine : seen_.machines) {
      auto request = safety::fleet_request_of(*machine);
      if (request && request->reason != api::policy::deletion::kOrphans && is_candidate(*machine))
        found.push_back(candidate_of(machine, std::move(*request)));
    }
    add_orphans(found);
    std::ranges::sort(found, {}, [](const Candidate& each) {
      return std::tuple{each.asked.request.since, each.asked.called};
    });
    return found;
  }

  // Outside their window they are not in line: they hold up nothing, and no alert is due.
  void add_orphans(std::vector<Candidate>& found) {
    if (seen_.clusters.empty()) return;
    const auto window = safety::ask_windows(seen_.windows, safety::Cause::Orphans, seen_.now);
    if (!window.open) return recheck_within(plan_.recheck, window.opens_in);
    for (const auto& cluster : seen_.clusters) {
      if (is_candidate(*cluster))
        found.push_back(candidate_of(cluster, *api::policy::fleet_request_in(cluster->metadata)));
    }
  }

  bool is_candidate(const api::Cluster& cluster) const {
    return asks_for_orphan(cluster) && !cluster.metadata.deleting() &&
           !known_.contains(cluster.metadata.uid) && !api::policy::has_fleet_grant(cluster.metadata);
  }

  bool is_candidate(const api::Machine& machine) const {
    return is_of_a_group(machine) && !machine.metadata.deleting() && !known_.contains(machine.metadata.uid) &&
           !safety::has_fleet_grant(machine) && safety::is_worker(machine);
  }

  // Only a MachineSet or a MachinePool makes use of a grant.
  static bool is_of_a_group(const api::Machine& machine) {
    const auto* owner = machine.metadata.controller();
    return owner != nullptr &&
           (owner->kind == api::kind::kMachineSet || owner->kind == api::kind::kMachinePool);
  }

  void serve(const Candidate& candidate) {
    const safety::FleetPlace place{.cluster = candidate.cluster, .reason = candidate.asked.request.reason};
    if (std::string why = why_not(place); !why.empty()) return wait(candidate, std::move(why));
    limits_.take(place);
    const api::ObjectMeta& object = candidate.machine ? candidate.machine->metadata : candidate.of->metadata;
    plan_.grants.push_back({.namespace_ = object.namespace_,
                            .name = object.name,
                            .uid = object.uid,
                            .cluster_name = Text(candidate.cluster.name),
                            .reason = Text(candidate.asked.request.reason),
                            .granted_at = seen_.now});
    if (candidate.machine)
      plan_.actions.push_back(GiveGrant{candidate.machine});
    else
      plan_.actions.push_back(GrantOrphan{candidate.of});
    recheck_within(plan_.recheck, kFleetGrantExpires);
  }

  // Empty: it may be granted.
  std::string why_not(const safety::FleetPlace& place) const {
    if (seen_.frozen)
      return fmt::format("the fleet is frozen: take annotation {} off", api::policy::annotation::kFreeze);
    if (is_status_full()) return "status.grants or status.buckets is full until Machines are gone";
    const auto full = limits_.full(place);
    return full ? limits_.describe(*full, place) : "";
  }

  // Each grant becomes a bucket at most.
  bool is_status_full() const {
    const auto grants = std::ssize(plan_.grants);
    return grants >= api::FleetPolicyStatus::kMostGrants ||
           grants + std::ssize(buckets_.all()) >= api::FleetPolicyStatus::kMostBuckets;
  }

  void wait(const Candidate& candidate, std::string why) {
    if (plan_.waiting.count++ > 0) return;
    plan_.waiting.longest = candidate.asked;
    plan_.waiting.why = std::move(why);
  }

  const Observation& seen_;
  safety::FleetLimits limits_;
  Buckets buckets_;
  std::unordered_set<api::Uid> known_ = {};  // of the Machines and Clusters that the status holds
  Plan plan_ = {};
};

}  // namespace

Plan decide(const Observation& seen) {
  if (seen.applied) return Granter(seen).run();
  return {};
}

}  // namespace capstan::controllers::fleetpolicy
