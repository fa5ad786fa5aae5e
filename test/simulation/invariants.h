// The promises of a fleet, each as one pure question: an answer is the sentence that says how it was broken.
// auditor.h asks them after every write of a simulation; invariants_test.cc holds each to an accepting and a
// refusing case.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/instant.h"
#include "test/simulation/fleet_facts.h"

namespace capstan::simulation {

using Broken = std::optional<std::string>;

// What an owner wanted, from one version of it to the next.
struct Want {
  std::uint64_t version = 0;  // from which on
  SteadyTime since = {};
  int desired = 0;
  int most = 0;     // with the surge
  int promise = 0;  // so many available at least
  bool going = false;
};
using Wants = std::vector<Want>;  // oldest first; never empty once its owner was seen

// What a controller may act upon that has seen that version, or that looked at that time: that, and what
// came later.
std::span<const Want> in_force_since(const Wants& wants, std::uint64_t version);
std::span<const Want> in_force_since(const Wants& wants, SteadyTime time);

// "No create is sent while owned machines, deleting ones included, are at or above the largest desired +
// surge in force since the observation." `owned` counts the new one.
Broken too_many_machines(std::string_view owner, std::span<const Want> in_force, int owned);

// "No machine created for an owner being deleted": one that was known to be.
Broken made_for_an_owner_that_goes(std::string_view owner, std::span<const Want> in_force);

// "No available machine is deleted below the promise except in named legal cases." `excused`: so many
// were lost or given up for one of those.
enum class LegalCase {
  MachineLost,     // its VM vanished, its Node fell silent, a user deleted it: no controller can prevent that
  Remediated,      // deleting the unhealthy is its own decision
  NewSetAligned,   // a new MachineSet above spec.replicas shrinks whatever is available
  DeadlockBroken,  // one below on purpose
  JustAvailable,   // a Machine that is not available goes first, and when that was decided one was not
  Marked,          // a Machine that an autoscaler marked goes first of all, although others are not available
};
std::string_view to_string(LegalCase legal);
Broken below_the_promise(std::string_view owner, std::span<const Want> in_force, int available, int excused);

// "Nothing deleted without an owner's decision."
struct MachineRemoval {
  const MachineFacts* machine = nullptr;  // as it was
  std::span<const Want> in_force = {};    // of its set; empty: it has none
  int staying = 0;                        // of its set, before
  int taken = 0;                          // that others took meanwhile
  bool orphaned = false;                  // its set was deleted so that it stays
  bool cluster_going = false;
};
Broken removed_against_its_owner(const MachineRemoval& removal);
struct SetRemoval {
  const SetFacts* set = nullptr;
  int owned = 0;
  bool owner_went = false;  // its MachineDeployment, or the Cluster, is being deleted or gone
};
Broken set_removed_against_its_owner(const SetRemoval& removal);

// An owner is recognised by its uid, not by its name.
Broken changed_by_another(const SetFacts& set, std::string_view deployment);

// "Never more remediations in flight than allowed." `in_flight`: the one just begun included.
Broken too_many_remediations(std::string_view set, int in_flight, std::optional<int> allowed);

// "Never more replacements in flight than the policy allows": of one MachineDeployment, the one just begun
// included.
Broken too_many_replacements(std::string_view deployment, int in_flight, int allowed);
// ... nor when those count that a health check has found: both sources share the places.
Broken too_many_from_both(std::string_view deployment, int in_flight, int allowed);
// "A Machine that is preserved is not replaced before its time is over."
Broken replaced_although_preserved(std::string_view machine, std::optional<Time> until, Time now);
// By its MachineSet, of which no rollout takes anything: only where fewer are wanted than are preserved.
struct PreservedRemoval {
  std::string_view machine = {};
  Time until = {};
  int set_wants_least = 0;  // as its MachineSet may have seen it
  int preserved = 0;        // of that set, this one included
};
Broken removed_although_preserved(const PreservedRemoval& removal);

// "Nothing deleted while a shared cause holds": all Nodes fell silent at once, and a policy asks for
// shared causes. Few are no crowd, and Machines made since make it a smaller share.
struct Silence {
  int struck = 0;   // Machines whose Nodes fell silent together and that are still wanted
  int targets = 0;  // of the health check, those and others
};
Broken remediated_for_a_shared_cause(std::string_view machine, const Silence& silence);

// "Nothing is decided about Nodes that can't be looked at": the workload cluster has been out of reach for so
// long that the manager knows.
Broken remediated_out_of_reach(std::string_view machine, Nanoseconds lost);

// "No budget is ever breached by us." `healthy`: Pods that are left when `pod` has been sent away.
Broken budget_breached(std::string_view pod, int healthy, int needed);
// "A Node is drained before its machine goes": `pods` of it were healthy when its VM was removed.
Broken not_drained(std::string_view machine, int pods);
// "A pool without Machines whose policy asks for it drains, too": `pods` were healthy on a Node of it when
// that was deleted, or when its instances were removed. `gave_up`: the pool's timeout was over.
Broken not_drained_by_its_pool(std::string_view node, int pods, bool gave_up);

// "No infrastructure or bootstrap object of a living Machine is ever cleaned up." A copy of a Machine has
// none but those of its own name.
Broken object_of_a_living_machine(std::string_view kind, std::string_view name, const FleetFacts& facts);
Broken node_of_a_living_machine(std::string_view node, const FleetFacts& facts);
// "Nothing of an object's goes with a copy of it": nor do the Pods on its Node.
Broken evicted_from_a_living_machine(std::string_view pod, std::string_view node, const FleetFacts& facts);

// "A rollback ends with the template that was asked for", or it is refused and the template stays.
Broken rolled_back_otherwise(std::string_view revision, std::string_view before, std::string_view wanted,
                             std::string_view version);

// "No object is written by us more than 6 times a minute without a change of its spec or of what it reports."
// `writes`: those of the last minute that changed neither.
Broken written_too_often(std::string_view object, std::size_t writes);
// "What has served its Machine is not made again": its infrastructure object went, and there is another one.
Broken made_again(std::string_view name, const FleetFacts& facts);

// "No Node of a living pool instance deleted": nor of any other, for VMs go before their Nodes.
Broken node_of_a_running_vm(std::string_view node, bool runs, bool owner_going);

// --- brakes ---

// "Nothing is made or deleted while a freeze forbids it": `frozen` for so long, longer than news and what was
// on its way take.
Broken acted_while_frozen(std::string_view what, std::optional<Nanoseconds> frozen);
// "No more Machines than desired, surge and margin, however labels change": released ones count.
Broken above_its_ceiling(std::string_view machine, int there, int most);
// "Nothing is made or deleted while the API server of the workload cluster is away", once that is known.
Broken acted_while_away(std::string_view what, std::optional<Nanoseconds> away);
// "Deletions that can wait begin in a window": the last one closed so long ago; nothing: one is open.
Broken outside_its_window(std::string_view what, std::optional<Nanoseconds> closed);
// "No more deletions begin within a time than the FleetPolicy allows": the one just begun included.
Broken too_many_deletions(int begun, int allowed, Seconds within);
// "A large share of the Machines goes by one decision only when a person has confirmed it": `doomed` by one
// decision of a MachineSet, of so many that a policy governs.
Broken too_many_by_one_decision(std::string_view set, int doomed, int governed);
// "No VM is deleted that has a living Machine anywhere, whatever caches and lists say."
Broken vm_of_a_living_machine(std::string_view vm, const FleetFacts& facts);

// "At most one VM per instance key", and per DriverMachine.
struct VmFacts {
  std::string name = {};
  std::string instance_key = {};
};
Broken two_vms(std::span<const VmFacts> vms);

}  // namespace capstan::simulation
