#include "test/simulation/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace capstan::simulation {

std::span<const Want> in_force_since(const Wants& wants, std::uint64_t version) {
  const auto later = std::ranges::find_if(wants, [&](const Want& want) { return want.version > version; });
  const auto begin = later == wants.begin() ? later : later - 1;
  return {begin, wants.end()};
}

std::span<const Want> in_force_since(const Wants& wants, SteadyTime time) {
  const auto later = std::ranges::find_if(wants, [&](const Want& want) { return want.since > time; });
  const auto begin = later == wants.begin() ? later : later - 1;
  return {begin, wants.end()};
}

Broken too_many_machines(std::string_view owner, std::span<const Want> in_force, int owned) {
  const int most = std::ranges::max(in_force, {}, &Want::most).most;
  if (owned <= most) return {};
  return fmt::format("{} has {} Machines with the one just made, and {} were wanted at most", owner, owned,
                     most);
}

Broken made_for_an_owner_that_goes(std::string_view owner, std::span<const Want> in_force) {
  if (!in_force.front().going) return {};
  return fmt::format("a Machine was made for {}, which was known to be deleted", owner);
}

std::string_view to_string(LegalCase legal) {
  switch (legal) {
    case LegalCase::MachineLost: return "machine lost";
    case LegalCase::Remediated: return "remediated";
    case LegalCase::NewSetAligned: return "new set aligned";
    case LegalCase::DeadlockBroken: return "deadlock broken";
    case LegalCase::JustAvailable: return "just available";
    case LegalCase::Marked: return "marked";
  }
  return "";
}

Broken below_the_promise(std::string_view owner, std::span<const Want> in_force, int available, int excused) {
  const int promise = std::ranges::min(in_force, {}, &Want::promise).promise;
  if (available + excused >= promise) return {};
  return fmt::format("{} has {} available Machines left, {} lost otherwise, and {} were promised", owner,
                     available, excused, promise);
}

Broken removed_against_its_owner(const MachineRemoval& removal) {
  if (removal.cluster_going || removal.machine->to_remediate || removal.machine->failed) return {};
  if (removal.in_force.empty())
    return fmt::format("Machine {} was deleted, which has no owner", removal.machine->name);
  if (!removal.orphaned && std::ranges::any_of(removal.in_force, &Want::going)) return {};
  const int least = std::ranges::min(removal.in_force, {}, &Want::desired).desired;
  if (removal.staying + removal.taken > least) return {};
  return fmt::format("Machine {} was deleted, one of {} that stayed, and its MachineSet wanted {} at least",
                     removal.machine->name, removal.staying, least);
}

Broken set_removed_against_its_owner(const SetRemoval& removal) {
  if (removal.owner_went || (removal.set->replicas == 0 && removal.owned == 0)) return {};
  return fmt::format("MachineSet {} was deleted, which wants {} Machines and has {}", removal.set->name,
                     removal.set->replicas, removal.owned);
}

Broken changed_by_another(const SetFacts& set, std::string_view deployment) {
  if (set.deployment.empty() || set.deployment == deployment) return {};
  return fmt::format("MachineSet {} was changed by a namesake of its owner", set.name);
}

Broken too_many_remediations(std::string_view set, int in_flight, std::optional<int> allowed) {
  if (!allowed || in_flight <= *allowed) return {};
  return fmt::format("MachineSet {} has {} remediations in flight, {} are allowed", set, in_flight, *allowed);
}

Broken too_many_replacements(std::string_view deployment, int in_flight, int allowed) {
  if (in_flight <= allowed) return {};
  return fmt::format("{} Machines of MachineDeployment {} are being replaced, {} are allowed", in_flight,
                     deployment, allowed);
}

Broken too_many_from_both(std::string_view deployment, int in_flight, int allowed) {
  if (in_flight <= allowed) return {};
  return fmt::format(
      "a policy and a health check replace {} Machines of MachineDeployment {} at once, {} are allowed",
      in_flight, deployment, allowed);
}

Broken replaced_although_preserved(std::string_view machine, std::optional<Time> until, Time now) {
  if (!until || *until <= now) return {};
  return fmt::format("Machine {} is replaced, which is preserved until {}", machine, until->to_string());
}

Broken removed_although_preserved(const PreservedRemoval& removal) {
  if (removal.set_wants_least < removal.preserved) return {};
  return fmt::format(
      "Machine {} was deleted, which is preserved until {}; its MachineSet wanted {} at least, "
      "and {} are preserved",
      removal.machine, removal.until.to_string(), removal.set_wants_least, removal.preserved);
}

Broken remediated_for_a_shared_cause(std::string_view machine, const Silence& silence) {
  constexpr int kCrowd = 3;
  if (silence.struck < kCrowd || silence.struck * 4 < silence.targets * 3) return {};
  return fmt::format("Machine {} is to be remediated, and {} of {} fell silent together", machine,
                     silence.struck, silence.targets);
}

Broken remediated_out_of_reach(std::string_view machine, Nanoseconds lost) {
  constexpr Nanoseconds kNoticed = std::chrono::minutes(2);  // by probes that time out
  constexpr Nanoseconds kGrace = std::chrono::seconds(30);   // --api-loss-grace: so long, all goes on
  if (lost < kNoticed + kGrace) return {};
  return fmt::format("Machine {} is to be remediated, and nobody has seen its Node for {} s", machine,
                     std::chrono::duration_cast<Seconds>(lost).count());
}

Broken budget_breached(std::string_view pod, int healthy, int needed) {
  if (healthy >= needed) return {};
  return fmt::format("Pod {} was sent away, {} are left and its budget wants {}", pod, healthy, needed);
}

Broken not_drained(std::string_view machine, int pods) {
  if (pods == 0) return {};
  return fmt::format("the VM of Machine {} was removed while {} Pods were well on its Node", machine, pods);
}

Broken rolled_back_otherwise(std::string_view revision, std::string_view before, std::string_view wanted,
                             std::string_view version) {
  if (version == wanted || version == before) return {};
  return fmt::format("a rollback to revision {}, which had {}, ended with {}", revision, wanted, version);
}

Broken not_drained_by_its_pool(std::string_view node, int pods, bool gave_up) {
  if (pods == 0 || gave_up) return {};
  return fmt::format("{} Pods were well on Node {}, which its pool gave up before its time", pods, node);
}

Broken object_of_a_living_machine(std::string_view kind, std::string_view name, const FleetFacts& facts) {
  for (const MachineFacts& machine : facts.machines) {
    if (machine.going || (machine.bootstrap != name && machine.infrastructure != name)) continue;
    if (machine.copy() && !is_copy(name)) continue;
    return fmt::format("{} {} of the living Machine {} was deleted", kind, name, machine.name);
  }
  return {};
}

Broken made_again(std::string_view name, const FleetFacts& facts) {
  for (const MachineFacts& machine : facts.machines) {
    if (machine.going || machine.infrastructure != name || machine.provider_id.empty()) continue;
    return fmt::format("the infrastructure object of Machine {} was made again, which had {}", machine.name,
                       machine.provider_id);
  }
  return {};
}

Broken node_of_a_living_machine(std::string_view node, const FleetFacts& facts) {
  for (const MachineFacts& machine : facts.machines) {
    if (!machine.going && !machine.copy() && machine.node == node)
      return fmt::format("Node {} of the living Machine {} was deleted", node, machine.name);
  }
  return {};
}

Broken evicted_from_a_living_machine(std::string_view pod, std::string_view node, const FleetFacts& facts) {
  for (const MachineFacts& machine : facts.machines) {
    if (!machine.going && !machine.copy() && machine.node == node)
      return fmt::format("Pod {} was evicted from the Node of the living Machine {}", pod, machine.name);
  }
  return {};
}

Broken written_too_often(std::string_view object, std::size_t writes) {
  constexpr std::size_t kMost = 6;
  if (writes <= kMost) return {};
  return fmt::format("{} was written {} times in a minute, and nothing came of it", object, writes);
}

Broken node_of_a_running_vm(std::string_view node, bool runs, bool owner_going) {
  if (!runs || owner_going) return {};
  return fmt::format("Node {} was deleted while its VM runs", node);
}

Broken above_its_ceiling(std::string_view machine, int there, int most) {
  if (there <= most) return {};
  return fmt::format("Machine {} was made as one of {}, released ones included, above its ceiling of {}",
                     machine, there, most);
}

Broken acted_while_frozen(std::string_view what, std::optional<Nanoseconds> frozen) {
  constexpr Nanoseconds kKnown = Seconds(40);
  if (!frozen || *frozen < kKnown) return {};
  return fmt::format("{} while it was frozen, for {} s by then", what,
                     std::chrono::duration_cast<Seconds>(*frozen).count());
}

Broken acted_while_away(std::string_view what, std::optional<Nanoseconds> away) {
  constexpr Nanoseconds kKnown = std::chrono::minutes(2);
  if (!away || *away < kKnown) return {};
  return fmt::format("{} while the API server of its cluster was away, for {} s by then", what,
                     std::chrono::duration_cast<Seconds>(*away).count());
}

Broken outside_its_window(std::string_view what, std::optional<Nanoseconds> closed) {
  constexpr Nanoseconds kKnown = Seconds(60);
  if (!closed || *closed < kKnown) return {};
  return fmt::format("{} {} s after its window", what, std::chrono::duration_cast<Seconds>(*closed).count());
}

Broken too_many_deletions(int begun, int allowed, Seconds within) {
  if (begun <= allowed) return {};
  return fmt::format("{} deletions began within {} s, and the FleetPolicy allows {}", begun, within.count(),
                     allowed);
}

Broken too_many_by_one_decision(std::string_view set, int doomed, int governed) {
  if (doomed <= std::max(1, governed * kGuardPercent / 100)) return {};
  return fmt::format("MachineSet {} gives up {} of {} Machines by one decision, which nobody confirmed", set,
                     doomed, governed);
}

Broken vm_of_a_living_machine(std::string_view vm, const FleetFacts& facts) {
  for (const MachineFacts& machine : facts.machines) {
    if (machine.going || machine.copy() || machine.infrastructure != vm) continue;
    return fmt::format("the VM of the living Machine {} was removed", machine.name);
  }
  return {};
}

Broken two_vms(std::span<const VmFacts> vms) {
  std::set<std::string_view> names;
  std::set<std::string_view> keys;
  for (const VmFacts& vm : vms) {
    if (!names.insert(vm.name).second) return fmt::format("two VMs for DriverMachine {}", vm.name);
    if (!keys.insert(vm.instance_key).second)
      return fmt::format("two VMs with instance key {}", vm.instance_key);
  }
  return {};
}

}  // namespace capstan::simulation
