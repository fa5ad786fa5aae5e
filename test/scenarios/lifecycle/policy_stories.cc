#include "test/scenarios/lifecycle/policy_stories.h"

#include <fmt/format.h>

#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;
namespace mcm = api::policy::mcm;
using Kept = std::function<std::string(const LifecycleWorld&)>;

constexpr std::string_view kKeptTaint = "capstan.dev/preserved";

// A Machine fails after two minutes, and is preserved for five.
api::MachineLifecyclePolicy preserving(api::PolicyPreservation group = {}) {
  group.timeout_seconds = 300;
  return builders::a_policy("care")
      .selecting("team", "a")
      .node_checks({.timeout_seconds = 120})
      .creation_timeout(300)
      .preservation(group)
      .scale_in();
}
api::MachineLifecyclePolicy draining() { return preserving({.drain = api::PreservationDrain()}); }

// --- what happens ---

LifecycleAct says_ready(Seconds at, int machine, std::string_view status) {
  return {at, fmt::format("the kubelet of m{} says Ready {}", machine, status),
          [=, status = std::string(status)](LifecycleWorld& world) {
            world.node_turns(machine, "Ready", status);
          }};
}
LifecycleAct sets_on_machine(Seconds at, int machine, std::string_view key, std::string_view value) {
  return {at, fmt::format("a user annotates m{} with {}: {}", machine, key, value),
          [=, key = std::string(key), value = std::string(value)](LifecycleWorld& world) {
            world.annotate(machine, key, value);
          }};
}
LifecycleAct sets_on_node(Seconds at, int machine, std::string_view key, std::string_view value) {
  return {at, fmt::format("a user annotates the Node of m{} with {}: {}", machine, key, value),
          [=, key = std::string(key), value = std::string(value)](LifecycleWorld& world) {
            world.annotate_node(machine, key, value);
          }};
}
LifecycleAct runs_pod(Seconds at, int machine, std::string name) {
  return {at, fmt::format("Pod {} runs on the Node of m{}", name, machine),
          [=](LifecycleWorld& world) { world.run_pod(machine, name); }};
}
LifecycleAct policy_goes(Seconds at) {
  return {at, "a user deletes the policy", [](LifecycleWorld& world) { world.delete_policy(); }};
}
LifecycleAct owner_becomes(Seconds at, std::string what, json::value body) {
  return {at, std::move(what), [body = std::move(body)](LifecycleWorld& world) { world.patch_owner(body); }};
}
LifecycleAct preserve_when_failed(int machine) {
  return sets_on_machine(5s, machine, annotation::kPreserve, "when-failed");
}

// --- promises ---

Kept went_in_all(int count) {
  return [=](const LifecycleWorld& world) {
    return world.deleted() == count ? std::string()
                                    : fmt::format("{} Machines were deleted, not {}", world.deleted(), count);
  };
}
Kept is_kept(int machine, bool kept = true) {
  return [=](const LifecycleWorld& world) {
    return world.is_preserved(machine) == kept
               ? std::string()
               : fmt::format("m{} is {}preserved", machine, kept ? "not " : "");
  };
}
Kept has_gone(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_deleted(machine) ? std::string() : fmt::format("m{} is still there", machine);
  };
}
Kept is_here(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_deleted(machine) ? fmt::format("m{} was deleted", machine) : std::string();
  };
}
Kept pods_left(int count) {
  return [=](const LifecycleWorld& world) {
    return world.pods() == count ? std::string()
                                 : fmt::format("{} Pods are left, not {}", world.pods(), count);
  };
}
Kept taint_is(int machine, std::string effect) {
  return [=](const LifecycleWorld& world) {
    const std::string shown = world.node_value(machine, kKeptTaint);
    return shown == effect ? std::string() : fmt::format("the Node of m{} has the taint {}", machine, shown);
  };
}
Kept has_version(std::string version) {
  return [=](const LifecycleWorld& world) {
    for (int machine = 1; machine <= world.made(); ++machine)
      if (!world.is_deleted(machine) && world.machine_version(machine) != version)
        return fmt::format("m{} has version {}", machine, world.machine_version(machine));
    return std::string();
  };
}
Kept each_of(std::vector<Kept> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}

// --- the stories ---

void tell_of_preserved_nodes(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "preserved-node-at-rest-is-not-drained",
                     .title = "a Machine that is well and preserved keeps its Pods",
                     .policy = draining(),
                     .acts = {runs_pod(5s, 2, "a"), sets_on_machine(5s, 2, annotation::kPreserve, "now")},
                     .length = 200s,
                     .broken = each_of({is_kept(2), taint_is(2, "none"), pods_left(1)})});
  stories.push_back(
      {.name = "preserved-node-is-drained-once",
       .title = "the Node of a failed Machine that is preserved is emptied once, and a Pod that "
                "comes later stays",
       .policy = draining(),
       .told_of_nodes = {std::string(kKeptTaint)},
       .drains_nodes = true,
       .acts = {runs_pod(5s, 2, "a"), preserve_when_failed(2), says_ready(10s, 2, "False"),
                runs_pod(200s, 2, "b")},
       .length = 280s,
       .broken = each_of({went_in_all(0), is_kept(2), taint_is(2, "NoSchedule"), pods_left(1)})});
  stories.push_back(
      {.name = "preserved-node-fails-again",
       .title = "a preserved Machine that is well again gets its Node back, and is drained anew "
                "when it fails once more",
       .policy = draining(),
       .told_of_nodes = {std::string(kKeptTaint)},
       .drains_nodes = true,
       .acts = {preserve_when_failed(2), says_ready(10s, 2, "False"), says_ready(180s, 2, "True"),
                runs_pod(200s, 2, "a"), says_ready(210s, 2, "False")},
       .length = 360s,
       .broken = each_of({went_in_all(0), is_kept(2), taint_is(2, "NoSchedule"), pods_left(0)})});
}

void tell_of_times(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "preserve-timeout-of-one-machine",
                     .title = "a Machine has a shorter time of its own, and is replaced when that is over",
                     .policy = preserving(),
                     .acts = {sets_on_machine(5s, 2, annotation::kPreserveTimeout, "60"),
                              preserve_when_failed(2), says_ready(10s, 2, "False")},
                     .length = 300s,
                     .broken = each_of({went_in_all(1), has_gone(2)})});
  stories.push_back({.name = "preserve-timeout-of-no-meaning",
                     .title = "a time that is no number is told, and the policy's counts",
                     .policy = preserving(),
                     .acts = {sets_on_machine(5s, 2, annotation::kPreserveTimeout, "an hour"),
                              preserve_when_failed(2), says_ready(10s, 2, "False")},
                     .length = 500s,
                     .broken = each_of({went_in_all(1), has_gone(2)})});
}

void tell_of_policies_that_go(std::vector<LifecycleStory>& stories) {
  const std::vector<std::string> told = {"PreservationReleased"};
  stories.push_back(
      {.name = "policy-goes-while-it-preserves",
       .title = "the policy that preserved a Machine by itself is deleted: it runs on unpreserved",
       .policy = preserving({.auto_max = 1}),
       .told_events = told,
       .acts = {says_ready(10s, 2, "False"), policy_goes(200s)},
       .length = 600s,
       .broken = each_of({went_in_all(0), is_kept(2, false)})});
  stories.push_back(
      {.name = "policy-goes-while-a-user-preserves",
       .title = "a user's wish outlives the policy until its time is over, and nothing replaces it",
       .policy = preserving(),
       .acts = {preserve_when_failed(2), says_ready(10s, 2, "False"), policy_goes(200s)},
       .length = 600s,
       .broken = each_of({went_in_all(0), is_kept(2, false), is_here(2)})});
  stories.push_back(
      {.name = "policy-goes-while-it-recreates",
       .title = "the policy is deleted when all old Machines are on their way out: the rollout goes on",
       .policy =
           builders::a_policy("care").selecting("team", "a").rollout({.recreate = api::PolicyRecreate()}),
       .acts = {owner_becomes(5s, "a user wants version v1.36.0",
                              {{"spec", {{"template", {{"spec", {{"version", "v1.36.0"}}}}}}}}),
                policy_goes(20s)},
       .length = 300s,
       .broken = each_of({went_in_all(3), has_version("v1.36.0")})});
}

void tell_of_aliases(std::vector<LifecycleStory>& stories) {
  const auto before = static_cast<std::ptrdiff_t>(stories.size());
  stories.push_back(
      {.name = "alias-preserves",
       .title = "machine-controller-manager's key preserves a Machine as ours does",
       .policy = preserving(),
       .acts = {sets_on_machine(5s, 2, mcm::kPreserve, "when-failed"), says_ready(10s, 2, "False")},
       .length = 250s,
       .broken = each_of({went_in_all(0), is_kept(2)})});
  stories.push_back(
      {.name = "own-key-wins-over-its-alias",
       .title = "two keys of one meaning say different things: ours counts, and an Event says so",
       .policy = preserving(),
       .acts = {sets_on_machine(5s, 2, mcm::kPreserve, "now"),
                sets_on_machine(6s, 2, annotation::kPreserve, "false"), says_ready(10s, 2, "False")},
       .length = 250s,
       .broken = each_of({went_in_all(1), has_gone(2)})});
  stories.push_back(
      {.name = "aliases-of-machine-and-node-disagree",
       .title = "Node and Machine say different things by the alias: the Node's counts, as ever",
       .policy = preserving(),
       .acts = {sets_on_machine(5s, 2, mcm::kPreserve, "false"),
                sets_on_node(6s, 2, mcm::kPreserve, "when-failed"), says_ready(10s, 2, "False")},
       .length = 250s,
       .broken = each_of({went_in_all(0), is_kept(2)})});
  stories.push_back({.name = "alias-goes-first",
                     .title = "a Machine with machine-controller-manager's lowest priority goes first",
                     .policy = preserving(),
                     .acts = {sets_on_machine(5s, 3, mcm::kMachinePriority, "1"),
                              owner_becomes(10s, "a user wants 2 replicas", {{"spec", {{"replicas", 2}}}})},
                     .length = 100s,
                     .broken = each_of({went_in_all(1), has_gone(3)})});
  stories.push_back(
      {.name = "alias-gives-time-for-a-creation",
       .title = "a Machine has a creation timeout of its own, as machine-controller-manager writes it",
       .policy = preserving(),
       .never_join = {4},
       .acts = {owner_becomes(5s, "a user wants 4 replicas", {{"spec", {{"replicas", 4}}}}),
                sets_on_machine(10s, 4, mcm::kEffectiveCreationTimeout, "1m40s")},
       .length = 250s,
       .broken = each_of({went_in_all(1), has_gone(4)})});
  stories.push_back({.name = "alias-freezes",
                     .title = "machine-controller-manager's label holds a rollout until it is taken off",
                     .policy = preserving(),
                     .brakes = true,
                     .acts = {owner_becomes(5s, "a user labels web with freeze: True",
                                            {{"metadata", {{"labels", {{mcm::kFreeze, "True"}}}}}}),
                              owner_becomes(10s, "a user wants 2 replicas", {{"spec", {{"replicas", 2}}}})},
                     .length = 100s,
                     .broken = went_in_all(0)});
  stories.push_back({.name = "alias-names-a-victim",
                     .title = "an autoscaler lowers the replicas and names the Machine as it did to "
                              "machine-controller-manager",
                     .policy = preserving(),
                     .acts = {{10s, "an autoscaler wants 2 replicas, and names m2",
                               [](LifecycleWorld& world) {
                                 world.patch_owner(
                                     {{"metadata", {{"annotations", {{mcm::kVictims, world.victim(2)}}}}},
                                      {"spec", {{"replicas", 2}}}});
                               }}},
                     .length = 100s,
                     .broken = each_of({went_in_all(1), has_gone(2)})});
  for (auto story = stories.begin() + before; story != stories.end(); ++story) {
    story->mcm_aliases = true;
    story->told_events = {"AliasOverruled"};
  }
  stories.push_back(
      {.name = "alias-means-nothing-unless-asked-for",
       .title = "without --mcm-aliases a key of machine-controller-manager preserves nothing",
       .policy = preserving(),
       .acts = {sets_on_machine(5s, 2, mcm::kPreserve, "when-failed"), says_ready(10s, 2, "False")},
       .length = 250s,
       .broken = each_of({went_in_all(1), has_gone(2)})});
}

}  // namespace

void tell_of_policies(std::vector<LifecycleStory>& stories) {
  tell_of_preserved_nodes(stories);
  tell_of_times(stories);
  tell_of_policies_that_go(stories);
  tell_of_aliases(stories);
}

}  // namespace capstan::scenarios
