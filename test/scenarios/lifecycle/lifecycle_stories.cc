#include "test/scenarios/lifecycle/lifecycle_stories.h"

#include <fmt/format.h>

#include <span>

#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/identity.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/scenarios/lifecycle/fleet_stories.h"
#include "test/scenarios/lifecycle/freeze_stories.h"
#include "test/scenarios/lifecycle/held_stories.h"
#include "test/scenarios/lifecycle/incident_stories.h"
#include "test/scenarios/lifecycle/inplace_stories.h"
#include "test/scenarios/lifecycle/node_stories.h"
#include "test/scenarios/lifecycle/policy_stories.h"

namespace capstan::scenarios {
namespace {

using builders::a_policy;
using builders::MachineLifecyclePolicyBuilder;
using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;

constexpr std::string_view kBlockingTaint = "node.gardener.cloud/critical-components-not-ready";

// Unhealthy for two minutes, at most five from the creation on.
MachineLifecyclePolicyBuilder policy(const api::NodeChecks& checks = {.timeout_seconds = 120}) {
  return a_policy("care").selecting("team", "a").node_checks(checks).creation_timeout(300);
}

api::MachineHealthCheck check() {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, "check");
  check.spec.cluster_name = Text(builders::kCluster);
  check.spec.selector.match_labels.set("role", "worker");
  check.spec.checks.unhealthy_node_conditions.push_back(
      {.type = "Ready"_text, .status = "False"_text, .timeout_seconds = 60});
  return check;
}

// --- what happens ---

LifecycleAct breaks(Seconds at, int machine, std::string type = "Ready", std::string status = "False") {
  return {at, fmt::format("the kubelet of m{} says {} {}", machine, type, status),
          [=](LifecycleWorld& world) { world.node_turns(machine, type, status); }};
}
LifecycleAct heals(Seconds at, int machine) { return breaks(at, machine, "Ready", "True"); }
LifecycleAct annotates(Seconds at, int machine, std::string_view key, std::string_view value) {
  return {at, fmt::format("a user annotates m{} with {}: {}", machine, key, value),
          [=, key = std::string(key), value = std::string(value)](LifecycleWorld& world) {
            world.annotate(machine, key, value);
          }};
}
LifecycleAct annotates_node(Seconds at, int machine, std::string_view key, std::string value) {
  return {at, fmt::format("a user annotates the Node of m{} with {}: {}", machine, key, value),
          [=, key = std::string(key)](LifecycleWorld& world) { world.annotate_node(machine, key, value); }};
}
LifecycleAct strips_node(Seconds at, int machine, std::string_view key) {
  return {at, fmt::format("a user takes {} off the Node of m{}", key, machine),
          [=, key = std::string(key)](LifecycleWorld& world) { world.annotate_node(machine, key, {}); }};
}
LifecycleAct resizes(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}
// In one write, as an autoscaler does it.
LifecycleAct names_victims(Seconds at, int replicas, std::vector<int> victims) {
  return {at, fmt::format("an autoscaler wants {} replicas, and names m{}", replicas, victims.front()),
          [=](LifecycleWorld& world) {
            std::string named;
            for (const int victim : victims) named += (named.empty() ? "" : ",") + world.victim(victim);
            world.patch_owner({{"metadata", {{"annotations", {{annotation::kVictims, named}}}}},
                               {"spec", {{"replicas", replicas}}}});
          }};
}
// To another version, with room for as many new Machines as there are old ones.
LifecycleAct upgrades(Seconds at, std::string version) {
  return {at, "a user wants version " + version, [=](LifecycleWorld& world) {
            world.patch_owner({{"spec",
                                {{"rollout", {{"strategy", {{"rollingUpdate", {{"maxSurge", "100%"}}}}}}},
                                 {"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
LifecycleAct rolls_back(Seconds at, std::string revision) {
  return {at, "a user wants revision " + revision + " back", [=](LifecycleWorld& world) {
            world.patch_owner({{"metadata", {{"annotations", {{annotation::kRollbackTo, revision}}}}}});
          }};
}
LifecycleAct forces_rollout(Seconds at, std::string value) {
  return {at, "a user forces a rollout", [=](LifecycleWorld& world) {
            world.patch_owner(
                {{"spec",
                  {{"template", {{"metadata", {{"annotations", {{annotation::kRolloutHash, value}}}}}}}}}});
          }};
}
LifecycleAct changes_policy(Seconds at, std::string what, json::value body) {
  return {at, std::move(what), [=](LifecycleWorld& world) { world.patch_policy(body); }};
}
LifecycleAct loses(Seconds at) {
  return {at, "the workload cluster is out of reach", [](LifecycleWorld& world) { world.lose_cluster(); }};
}
LifecycleAct finds(Seconds at) {
  return {at, "the workload cluster is back", [](LifecycleWorld& world) { world.find_cluster(); }};
}
LifecycleAct restarts(Seconds at) {
  return {at, "the manager is restarted", [](LifecycleWorld& world) { world.restart(); }};
}

// --- promises ---

using Broken = std::function<std::string(const LifecycleWorld&)>;

Broken deleted(int count) {
  return [=](const LifecycleWorld& world) {
    return world.deleted() == count ? std::string()
                                    : fmt::format("{} Machines were deleted, not {}", world.deleted(), count);
  };
}
Broken none_deleted_before(Seconds then) {
  return [=](const LifecycleWorld& world) {
    const auto early = std::ranges::find_if(world.deletions(), [&](Seconds at) { return at < then; });
    return early == world.deletions().end()
               ? std::string()
               : fmt::format("a Machine was deleted at {} s, before {} s", early->count(), then.count());
  };
}
Broken went(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_deleted(machine) ? std::string() : fmt::format("m{} is still there", machine);
  };
}
Broken stays(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_deleted(machine) ? fmt::format("m{} was deleted", machine) : std::string();
  };
}
Broken never_more_gone_than(int most) {
  return [=](const LifecycleWorld& world) {
    return world.most_gone() <= most
               ? std::string()
               : fmt::format("{} were gone at once, {} may be", world.most_gone(), most);
  };
}
Broken is_preserved(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_preserved(machine) ? std::string() : fmt::format("m{} is not preserved", machine);
  };
}
Broken exactly_one_is_preserved() {
  return [](const LifecycleWorld& world) {
    int preserved = 0;
    for (int machine = 1; machine <= world.made(); ++machine)
      preserved += world.is_preserved(machine) ? 1 : 0;
    return preserved == 1 ? std::string() : fmt::format("{} are preserved", preserved);
  };
}
Broken made(int count) {
  return [=](const LifecycleWorld& world) {
    return world.made() == count ? std::string() : fmt::format("{} were made, not {}", world.made(), count);
  };
}
Broken node_has(int machine, std::string_view key, std::string value) {
  return [=, key = std::string(key)](const LifecycleWorld& world) {
    const std::string shown = world.node_annotation(machine, key);
    return shown == value ? std::string() : fmt::format("the Node of m{} has {}: {}", machine, key, shown);
  };
}
Broken is_in(int machine, std::string phase) {
  return [=](const LifecycleWorld& world) {
    const std::string shown = world.phase(machine);
    return shown == phase ? std::string() : fmt::format("m{} is {}, not {}", machine, shown, phase);
  };
}
Broken says(int machine, std::string words) {
  return [=](const LifecycleWorld& world) {
    const std::string shown = world.message(machine);
    return shown.contains(words) ? std::string() : fmt::format("m{} says: {}", machine, shown);
  };
}
Broken wants(std::string version) {
  return [=](const LifecycleWorld& world) {
    const std::string shown = world.version();
    return shown == version ? std::string() : fmt::format("{} is wanted, not {}", shown, version);
  };
}
Broken has_sets(int count) {
  return [=](const LifecycleWorld& world) {
    return world.sets() == count ? std::string()
                                 : fmt::format("{} MachineSets are there, not {}", world.sets(), count);
  };
}
Broken tells(std::string progress) {
  return [=](const LifecycleWorld& world) {
    const std::string shown = world.progress();
    return shown == progress ? std::string() : fmt::format("the rollout is {}, not {}", shown, progress);
  };
}
Broken never_mixed() {
  return [](const LifecycleWorld& world) {
    return world.mixed() ? std::string("old and new Machines were there together") : std::string();
  };
}
Broken all(std::vector<Broken> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}

void tell_of_health(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "unhealthy-machine-is-replaced",
                     .title = "a Node is not ready for two minutes: its Machine fails and is replaced",
                     .policy = policy(),
                     .acts = {breaks(10s, 2)},
                     .length = 300s,
                     .broken = all({deleted(1), went(2), is_in(4, "Running")})});
  stories.push_back({.name = "recovers-in-time",
                     .title = "a Node recovers a second before its two minutes are over",
                     .policy = policy(),
                     .acts = {breaks(10s, 2), heals(129s, 2)},
                     .length = 300s,
                     .broken = all({deleted(0), is_in(2, "Running")})});
  stories.push_back(
      {.name = "condition-of-choice",
       .title = "a condition that the policy names is as good as Ready; others are nothing to it",
       .policy = policy({.unhealthy_node_conditions = {{.type = "Fan"_text, .bad_statuses = {"False"_text}}},
                         .timeout_seconds = 120}),
       .acts = {breaks(10s, 1, "DiskPressure", "True"), breaks(10s, 2, "Fan", "False")},
       .length = 300s,
       .broken = all({deleted(1), went(2)})});
  stories.push_back(
      {.name = "node-deleted",
       .title = "a Node that the API server says is gone: its Machine is replaced without waiting",
       .policy = policy(),
       .acts = {{10s, "a user deletes the Node of m2",
                 [](LifecycleWorld& world) { world.node_vanishes(2); }}},
       .length = 300s,
       .broken = all({deleted(1), went(2)})});
  stories.push_back({.name = "timeout-switched-off",
                     .title = "with disableTimeout an Unhealthy Machine stays, and is shown as Unhealthy",
                     .policy = policy({.timeout_seconds = 120, .disable_timeout = true}),
                     .acts = {breaks(10s, 2)},
                     .length = 400s,
                     .broken = all({deleted(0), is_in(2, "Unhealthy")})});
  stories.push_back({.name = "timeout-of-one-machine",
                     .title = "one Machine has a shorter timeout of its own, another one means nothing",
                     .policy = policy(),
                     .acts = {annotates(5s, 2, annotation::kHealthTimeout, "30"),
                              annotates(5s, 3, annotation::kHealthTimeout, "soon"), breaks(10s, 2)},
                     .length = 90s,
                     .broken = all({deleted(1), went(2), says(3, "is ignored, a whole number of seconds")})});
  stories.push_back({.name = "exempt-machine",
                     .title = "a Machine with skip-remediation is shown as Unhealthy and stays",
                     .policy = policy(),
                     .acts = {annotates(5s, 2, api::annotation::kSkipRemediation, ""), breaks(10s, 2)},
                     .length = 300s,
                     .broken = all({deleted(0), is_in(2, "Unhealthy")})});
  stories.push_back({.name = "set-without-deployment",
                     .title = "a MachineSet that stands alone grants its own replacements",
                     .stands_alone = true,
                     .policy = policy(),
                     .acts = {breaks(10s, 2), breaks(10s, 3)},
                     .length = 500s,
                     .broken = all({deleted(2), never_more_gone_than(1)})});
}

LifecycleAct asks_for_replacement(Seconds at, int machine, std::string_view key) {
  return {at, fmt::format("a user annotates the Node of m{} with {}: true", machine, key),
          [=, key = std::string(key)](LifecycleWorld& world) { world.annotate_node(machine, key, "true"); }};
}
LifecycleAct deletes_node(Seconds at, int machine) {
  return {at, fmt::format("a user deletes the Node of m{}", machine),
          [=](LifecycleWorld& world) { world.node_vanishes(machine); }};
}

void tell_of_replacement_now(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "replace-this-one",
                     .title = "a user wants a Node replaced that is well: its Machine goes at once",
                     .policy = policy(),
                     .acts = {asks_for_replacement(10s, 2, annotation::kTriggerDeletion)},
                     .length = 200s,
                     .broken = all({deleted(1), went(2), is_in(4, "Running")})});
  stories.push_back(
      {.name = "replace-this-sick-one",
       .title = "a user wants a Node replaced that is sick already: its Machine waits no longer",
       .policy = policy(),
       .acts = {breaks(10s, 2), asks_for_replacement(40s, 2, annotation::kReplace)},
       .length = 100s,
       .broken = all({deleted(1), went(2)})});
  stories.push_back({.name = "replace-these-two",
                     .title = "two are to be replaced: one after the other, as maxInFlight says",
                     .policy = policy(),
                     .acts = {asks_for_replacement(10s, 1, annotation::kReplace),
                              annotates(10s, 2, annotation::kReplace, "true")},
                     .length = 400s,
                     .broken = all({deleted(2), went(1), went(2), never_more_gone_than(1)})});
  stories.push_back({.name = "nodes-deleted",
                     .title = "a user deletes two Nodes: one Machine is replaced at once, then the other",
                     .policy = policy(),
                     .acts = {deletes_node(10s, 1), deletes_node(10s, 2)},
                     .length = 400s,
                     .broken = all({deleted(2), went(1), went(2), never_more_gone_than(1)})});
  stories.push_back(
      {.name = "node-overlooked",
       .title = "the cache has lost a Node that the API server still has: nothing is replaced",
       .policy = policy(),
       .acts = {{10s, "the manager's cache loses the Node of m2",
                 [](LifecycleWorld& world) { world.node_is_overlooked(2); }},
                {100s, "the cache has it again", [](LifecycleWorld& world) { world.node_is_seen_again(2); }}},
       .length = 300s,
       .broken = all({deleted(0), is_in(2, "Running")})});
}

void tell_of_limits(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "one-at-a-time",
                     .title = "all three Nodes are not ready: one Machine is replaced at a time",
                     .policy = policy(),
                     .acts = {breaks(10s, 1), breaks(10s, 2), breaks(10s, 3)},
                     .length = 600s,
                     .broken = all({deleted(3), never_more_gone_than(1)})});
  stories.push_back({.name = "two-at-a-time",
                     .title = "maxInFlight 2 replaces two at a time",
                     .replicas = 4,
                     .policy = policy().max_in_flight(IntOrString(2)),
                     .acts = {breaks(10s, 1), breaks(10s, 2), breaks(10s, 3)},
                     .length = 500s,
                     .broken = all({deleted(3), never_more_gone_than(2)})});
  stories.push_back({.name = "smaller-limit-counts",
                     .title = "the MachineDeployment's own maxInFlight 1 counts where the policy allows two",
                     .max_in_flight = 1,
                     .policy = policy().max_in_flight(IntOrString(2)),
                     .acts = {breaks(10s, 1), breaks(10s, 2)},
                     .length = 500s,
                     .broken = all({deleted(2), never_more_gone_than(1)})});
  stories.push_back({.name = "waits-for-a-scale-up",
                     .title = "while Machines are on their way, no Unhealthy one is given up",
                     .policy = policy(),
                     .acts = {breaks(10s, 2), resizes(125s, 4)},
                     .length = 400s,
                     .broken = all({deleted(1), went(2), never_more_gone_than(1)})});
  stories.push_back({.name = "waiting-one-recovers",
                     .title = "a Machine that waits for its turn recovers, and is not replaced",
                     .policy = policy(),
                     .acts = {breaks(10s, 1), breaks(12s, 2), heals(160s, 2)},
                     .length = 500s,
                     .broken = all({deleted(1), went(1), stays(2)})});
  stories.push_back(
      {.name = "beside-a-health-check",
       .title = "a health check of the same Machines: the policy says so, and both share one count",
       .policy = policy(),
       .check = check(),
       .acts = {breaks(10s, 1), breaks(10s, 2), breaks(10s, 3)},
       .length = 600s,
       .broken = all({deleted(3), never_more_gone_than(1)})});
}

void tell_of_creation(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "never-joins",
                     .title = "a replacement never joins: after its creation timeout another one is made",
                     .policy = policy(),
                     .never_join = {4},
                     .acts = {breaks(10s, 2)},
                     .length = 700s,
                     .broken = all({deleted(2), went(4), is_in(5, "Running")})});
  stories.push_back({.name = "cloud-is-full",
                     .title = "the provider has no room for a VM: CreateRetrying with its code, and another "
                              "Machine ten minutes later",
                     .policy = policy(),
                     .never_made = {4},
                     .acts = {resizes(10s, 4)},
                     .length = 800s,
                     .broken = all({deleted(1), went(4), is_in(5, "Running")})});
  stories.push_back({.name = "creation-needs-no-place",
                     .title = "creation timeouts are not held by maxInFlight",
                     .policy = policy(),
                     .never_join = {4, 5},
                     .acts = {resizes(10s, 5)},
                     .length = 500s,
                     .broken = all({deleted(2), went(4), went(5)})});
  stories.push_back({.name = "creation-timeout-of-one-machine",
                     .title = "a Machine that may take longer says so itself",
                     .policy = policy(),
                     .never_join = {4},
                     .acts = {resizes(10s, 4), annotates(20s, 4, annotation::kCreationTimeout, "3600")},
                     .length = 500s,
                     .broken = all({deleted(0), is_in(4, "Joining")})});
  stories.push_back(
      {.name = "taint-must-go",
       .title = "a new Node counts once it has lost the taint that must go first",
       .policy = policy(),
       .born_tainted = {{4, std::string(kBlockingTaint)}},
       .acts = {resizes(10s, 4),
                {200s, "the taint of m4 goes", [](LifecycleWorld& world) { world.remove_taints(4); }}},
       .length = 300s,
       .broken = all({deleted(0), is_in(4, "Running")})});
}

void tell_of_contact(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "cluster-lost-for-an-hour",
                     .title = "all Nodes are silent when the cluster is back after an hour: none is given up "
                              "before its time has run anew",
                     .policy = policy(),
                     .acts = {breaks(5s, 1, "Ready", "Unknown"), breaks(5s, 2, "Ready", "Unknown"),
                              breaks(5s, 3, "Ready", "Unknown"), loses(10s), finds(3610s), heals(3700s, 1),
                              heals(3700s, 2), heals(3700s, 3)},
                     .length = 3900s,
                     .broken = all({deleted(0), is_in(1, "Running")})});
  stories.push_back({.name = "manager-restarted",
                     .title = "a restart of the manager starts no time anew",
                     .policy = policy(),
                     .acts = {breaks(10s, 2), restarts(100s)},
                     .length = 300s,
                     .broken = all({deleted(1), went(2), [](const LifecycleWorld& world) {
                                      return std::string(world.made() >= 4 ? "" : "no replacement");
                                    }})});
  stories.push_back(
      {.name = "policy-comes-to-a-sick-fleet",
       .title = "a policy that comes later starts its times when it comes",
       .policy = a_policy("care").selecting("team", "a"),
       .acts = {breaks(10s, 2),
                changes_policy(400s, "a user gives the policy its node checks",
                               json::parse(R"({"spec":{"health":{"nodeChecks":{"timeoutSeconds":120}}}})"))},
       .length = 500s,
       .broken = all({deleted(0), is_in(2, "Unhealthy")})});
  stories.push_back(
      {.name = "policy-goes",
       .title = "without the policy no condition is left, and no Machine is replaced",
       .policy = policy(),
       .acts = {breaks(10s, 2),
                {60s, "a user deletes the policy", [](LifecycleWorld& world) { world.delete_policy(); }}},
       .length = 300s,
       .broken = all({deleted(0), is_in(2, "none")})});
}

void tell_of_scaling_in(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "lowest-priority-goes-first",
                     .title = "without any policy the Machine with the lowest deletion-priority goes",
                     .acts = {annotates(5s, 2, annotation::kDeletionPriority, "1"), resizes(10s, 2)},
                     .length = 60s,
                     .broken = all({deleted(1), went(2)})});
  stories.push_back({.name = "worst-goes-first",
                     .title = "with scaleIn the Unhealthy Machine goes, then the oldest",
                     .policy = policy().scale_in(),
                     .acts = {breaks(10s, 3), resizes(20s, 2)},
                     .length = 90s,
                     .broken = all({deleted(1), went(3)})});
  stories.push_back({.name = "named-victim",
                     .title = "an autoscaler lowers the replicas and names the Machine in one write",
                     .acts = {names_victims(10s, 2, {2})},
                     .length = 90s,
                     .broken = all({deleted(1), went(2)})});
  stories.push_back({.name = "named-victim-and-up-again",
                     .title =
                         "the replicas rise again in the next moment: the named Machine still goes, and is "
                         "replaced",
                     .acts = {names_victims(10s, 2, {2}), resizes(10s, 3)},
                     .length = 200s,
                     .broken = all({deleted(1), went(2), [](const LifecycleWorld& world) {
                                      return std::string(world.made() == 4 ? "" : "no replacement");
                                    }})});
  stories.push_back(
      {.name = "victims-that-are-none",
       .title = "names that mean nothing, or are of another owner's Machine, are dropped with an Event each, "
                "and no Machine goes",
       .told_events = {"VictimDropped"},
       .drains_nodes = true,
       .acts = {{10s,
                 "an autoscaler names a Machine that is not there, the control plane's, and one with a "
                 "wrong time",
                 [](LifecycleWorld& world) {
                   world.patch_owner(
                       {{"metadata",
                         {{"annotations",
                           {{annotation::kVictims, "nothing,cp," + world.victim(1) + "~yesterday"}}}}}});
                 }}},
       .length = 60s,
       .broken = all({deleted(0)})});
  stories.push_back({.name = "named-victim-of-a-lone-set",
                     .title = "a MachineSet that stands alone obeys names, too",
                     .stands_alone = true,
                     .acts = {names_victims(10s, 2, {3})},
                     .length = 90s,
                     .broken = all({deleted(1), went(3)})});
}

MachineLifecyclePolicyBuilder rollout_policy(const api::PolicyRollout& rollout) {
  return a_policy("care").selecting("team", "a").rollout(rollout);
}

void tell_of_rollouts(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "rolled-back",
       .title = "a rollout is complete, and its user wants the template of before back",
       .replicas = 2,
       .policy = rollout_policy({}),
       .acts = {upgrades(10s, "v1.36.0"), rolls_back(200s, "0")},
       .length = 400s,
       .broken = all({made(6), deleted(4), has_sets(2), wants(""), tells("True NewMachineSetAvailable")})});
  stories.push_back(
      {.name = "bad-image-costs-one-machine",
       .title = "no Machine of a new template joins: with slowStart 1 one is made, and goes again",
       .policy = rollout_policy({.progress_deadline_seconds = 120, .slow_start = 1}),
       .never_join = {4, 5, 6},
       .acts = {upgrades(10s, "v1.36.0"), rolls_back(250s, "1")},
       .length = 400s,
       .broken = all({made(4), deleted(1), went(4), never_more_gone_than(0), wants("")})});
  stories.push_back({.name = "deadline-and-restart",
                     .title = "a restart of the manager starts the deadline of a rollout not anew",
                     .policy = rollout_policy({.progress_deadline_seconds = 120}),
                     .never_join = {4, 5, 6},
                     .acts = {upgrades(10s, "v1.36.0"), restarts(100s)},
                     .length = 160s,
                     .broken = all({deleted(0), tells("False ProgressDeadlineExceeded")})});
  stories.push_back(
      {.name = "recreated",
       .title = "with recreate the last old Machine is gone before the first new one is made",
       .policy = rollout_policy({.recreate = api::PolicyRecreate()}),
       .acts = {upgrades(10s, "v1.36.0")},
       .length = 200s,
       .broken = all({made(6), deleted(3), never_mixed(), tells("True NewMachineSetAvailable")})});
  stories.push_back(
      {.name = "forced-rollout",
       .title = "another rollout-hash replaces all Machines though nothing else differs",
       .replicas = 2,
       .policy = rollout_policy({.revision_history_limit = 0}),
       .acts = {forces_rollout(10s, "monday")},
       .length = 400s,
       .broken = all({made(4), deleted(2), has_sets(1), tells("True NewMachineSetAvailable")})});
}

// Beside the times of policy() a preservation of five minutes.
MachineLifecyclePolicyBuilder preserving(api::PolicyPreservation group = {}) {
  group.timeout_seconds = 300;
  return policy().preservation(group);
}
LifecycleAct wishes(Seconds at, int machine, std::string_view wish) {
  return annotates(at, machine, annotation::kPreserve, wish);
}

void tell_of_preservation(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "preserved-when-it-fails",
                     .title =
                         "a Machine that is to be preserved when it fails stays, gets no replacement, and "
                         "the autoscaler leaves its Node alone",
                     .policy = preserving(),
                     .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2)},
                     .length = 300s,
                     .broken = all({deleted(0), is_in(2, "Failed"), is_preserved(2), made(3),
                                    node_has(2, annotation::kScaleDownDisabled, "true")})});
  stories.push_back({.name = "preserved-until-its-time-is-over",
                     .title = "after its time a preserved Machine that is still Failed is replaced",
                     .policy = preserving(),
                     .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2)},
                     .length = 600s,
                     .broken = all({deleted(1), went(2), is_in(4, "Running")})});
  stories.push_back({.name = "preserved-for-longer",
                     .title = "an operator writes a later end on a preserved Machine",
                     .policy = preserving(),
                     .acts = {wishes(5s, 2, "when-failed"),
                              breaks(10s, 2),
                              {200s, "an operator lets m2 be preserved for an hour",
                               [](LifecycleWorld& world) { world.preserve_for(2, 3600s); }}},
                     .length = 700s,
                     .broken = all({deleted(0), is_preserved(2)})});
  stories.push_back({.name = "preserved-and-released",
                     .title = "a user has seen enough: false has the Machine replaced at once",
                     .policy = preserving(),
                     .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), wishes(200s, 2, "false")},
                     .length = 300s,
                     .broken = all({deleted(1), went(2)})});
  stories.push_back(
      {.name = "released-behind-another",
       .title = "one that is released while another Machine is replaced waits for its place",
       .policy = preserving(),
       .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), breaks(30s, 1), wishes(160s, 2, "false")},
       .length = 220s,
       .broken = all({deleted(1), went(1), stays(2)})});
  stories.push_back(
      {.name = "preserved-and-deleted",
       .title = "a user who deletes a preserved Machine is obeyed",
       .policy = preserving(),
       .acts = {wishes(5s, 2, "now"),
                {60s, "a user deletes m2", [](LifecycleWorld& world) { world.delete_machine(2); }}},
       .length = 200s,
       .broken = all({deleted(1), went(2)})});
  stories.push_back(
      {.name = "preserved-and-well-again",
       .title = "a preserved Machine recovers: it stays preserved until its time is over, and runs on",
       .policy = preserving(),
       .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), heals(200s, 2)},
       .length = 600s,
       .broken =
           all({deleted(0), is_in(2, "Running"), node_has(2, annotation::kScaleDownDisabled, "none")})});
  stories.push_back(
      {.name = "released-when-well-again",
       .title = "with onRecovery Release a recovery ends it, and the next failure begins it anew",
       .policy = preserving({.on_recovery = "Release"_text}),
       .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), heals(200s, 2), breaks(220s, 2)},
       .length = 400s,
       .broken = all({deleted(0), is_in(2, "Failed"), is_preserved(2)})});
  stories.push_back(
      {.name = "preserved-by-its-node",
       .title = "the Node's wish wins, and counts while the Node can't be seen",
       .policy = preserving(),
       .acts = {wishes(5s, 2, "false"), annotates_node(6s, 2, annotation::kPreserve, "when-failed"),
                breaks(10s, 2), loses(200s), finds(220s)},
       .length = 300s,
       .broken = all({deleted(0), is_preserved(2)})});
  stories.push_back(
      {.name = "released-by-its-node",
       .title = "a wish that is taken off the Node ends it; a word that means nothing changes nothing",
       .policy = preserving(),
       .acts = {annotates_node(5s, 2, annotation::kPreserve, "when-failed"), breaks(10s, 2),
                annotates_node(160s, 2, annotation::kPreserve, "perhaps"),
                strips_node(200s, 2, annotation::kPreserve)},
       .length = 300s,
       .broken = all({deleted(1), went(2), none_deleted_before(200s)})});
  stories.push_back({.name = "autoscaler-is-kept-off",
                     .title =
                         "what a user takes from the autoscaler's annotation is put back, and it goes with "
                         "the preservation",
                     .policy = preserving(),
                     .acts = {wishes(5s, 2, "now"), strips_node(100s, 2, annotation::kScaleDownDisabled),
                              annotates_node(200s, 2, annotation::kScaleDownDisabled, "false")},
                     .length = 400s,
                     .broken = all({deleted(0), node_has(2, annotation::kScaleDownDisabled, "none")})});
  stories.push_back(
      {.name = "autoscaler-was-kept-off-before",
       .title = "an annotation for the autoscaler that a user had set stays when the time is over",
       .policy = preserving(),
       .acts = {annotates_node(5s, 2, annotation::kScaleDownDisabled, "true"), wishes(6s, 2, "now")},
       .length = 400s,
       .broken = all({deleted(0), node_has(2, annotation::kScaleDownDisabled, "true")})});
  stories.push_back({.name = "preserved-goes-last",
                     .title = "when fewer are wanted a preserved Machine goes last, and does go",
                     .policy = preserving().scale_in(),
                     .acts = {wishes(5s, 1, "now"), resizes(20s, 1), resizes(100s, 0)},
                     .length = 200s,
                     .broken = all({deleted(3)})});
  stories.push_back({.name = "preserved-stays-when-fewer-are-wanted",
                     .title = "one that is preserved outlives those that are well when fewer are wanted",
                     .policy = preserving().scale_in(),
                     .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), resizes(200s, 1)},
                     .length = 300s,
                     .broken = all({deleted(2), stays(2)})});
  stories.push_back({.name = "preserved-from-a-health-check",
                     .title = "without a policy a wish holds against the health check's remediation, too",
                     .check = check(),
                     .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2)},
                     .length = 300s,
                     .broken = all({deleted(0), is_preserved(2)})});
  stories.push_back({.name = "preserved-holds-up-no-other",
                     .title = "a preserved Machine takes no place of maxInFlight",
                     .policy = preserving(),
                     .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), breaks(200s, 3)},
                     .length = 420s,
                     .broken = all({deleted(1), went(3), is_preserved(2)})});
  stories.push_back(
      {.name = "preserved-over-a-restart",
       .title = "the manager is restarted while Machines are preserved: no time begins anew",
       .policy = preserving(),
       .acts = {wishes(5s, 1, "now"), wishes(5s, 2, "when-failed"), breaks(10s, 2), restarts(131s),
                restarts(250s), restarts(305s)},
       .length = 600s,
       .broken = all({deleted(1), went(2), stays(1), node_has(1, annotation::kScaleDownDisabled, "none")})});
}

void tell_of_auto_preservation(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "newest-is-preserved",
       .title = "with autoMax 1 the newest of the failed Machines stays, the other one is replaced",
       .policy = preserving({.auto_max = 1}).max_in_flight(IntOrString(2)),
       .acts = {breaks(10s, 1), breaks(10s, 2)},
       .length = 300s,
       .broken = all({deleted(1), exactly_one_is_preserved()})});
  stories.push_back({.name = "auto-preserved-until-its-time-is-over",
                     .title = "one that the policy preserved is replaced when its time is over",
                     .policy = preserving({.auto_max = 1}),
                     .acts = {breaks(10s, 2)},
                     .length = 600s,
                     .broken = all({deleted(1), went(2), is_in(4, "Running")})});
  stories.push_back(
      {.name = "fewer-are-preserved",
       .title = "autoMax is lowered: what the policy preserved is released, what a user did is not",
       .policy = preserving({.auto_max = 1}).max_in_flight(IntOrString(2)),
       .acts = {wishes(5s, 1, "when-failed"), breaks(10s, 1), breaks(10s, 2),
                changes_policy(200s, "a user sets autoMax to 0",
                               json::parse(R"({"spec":{"preservation":{"autoMax":0}}})"))},
       .length = 300s,
       .broken = all({deleted(1), went(2), is_preserved(1)})});
  stories.push_back(
      {.name = "preserved-by-policy-and-refused-by-user",
       .title = "a Machine of which a user said false beforehand is not preserved by the policy",
       .policy = preserving({.auto_max = 3}),
       .acts = {wishes(5s, 2, "false"), breaks(10s, 2)},
       .length = 300s,
       .broken = all({deleted(1), went(2)})});
}

// What a MachineSet without a MachineDeployment does itself.
void tell_of_lone_sets(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "never-joins-in-a-lone-set",
                     .title = "a MachineSet that stands alone replaces a Machine that never joins",
                     .stands_alone = true,
                     .policy = policy(),
                     .never_join = {4},
                     .acts = {resizes(10s, 4)},
                     .length = 500s,
                     .broken = all({deleted(1), went(4), is_in(5, "Running")})});
  stories.push_back(
      {.name = "worst-goes-first-in-a-lone-set",
       .title = "a MachineSet that stands alone takes the Unhealthy Machine first, with scaleIn",
       .stands_alone = true,
       .policy = policy().scale_in(),
       .acts = {breaks(10s, 3), resizes(20s, 2)},
       .length = 90s,
       .broken = all({deleted(1), went(3)})});
  stories.push_back({.name = "replace-this-one-of-a-lone-set",
                     .title = "a MachineSet that stands alone replaces at once what a user wants replaced, "
                              "and what has lost its Node",
                     .stands_alone = true,
                     .policy = policy(),
                     .acts = {annotates(10s, 2, annotation::kReplace, "true"), deletes_node(200s, 3)},
                     .length = 400s,
                     .broken = all({deleted(2), went(2), went(3), never_more_gone_than(1)})});
  stories.push_back(
      {.name = "preserved-in-a-lone-set",
       .title = "a MachineSet that stands alone keeps what is preserved, and replaces it once it is released",
       .stands_alone = true,
       .policy = preserving(),
       .preserves = true,
       .acts = {wishes(5s, 2, "when-failed"), breaks(10s, 2), wishes(250s, 2, "false")},
       .length = 400s,
       .broken = all({deleted(1), went(2), none_deleted_before(250s), is_in(4, "Running")})});
}

}  // namespace

std::vector<LifecycleStory> lifecycle_stories() {
  std::vector<LifecycleStory> stories;
  tell_of_health(stories);
  tell_of_replacement_now(stories);
  tell_of_limits(stories);
  tell_of_creation(stories);
  tell_of_contact(stories);
  tell_of_scaling_in(stories);
  tell_of_rollouts(stories);
  tell_of_fleet_limits(stories);
  tell_of_held_deletions(stories);
  const auto others = stories.size();
  tell_of_preservation(stories);
  tell_of_auto_preservation(stories);
  for (auto& story : std::span(stories).subspan(others)) story.preserves = true;
  tell_of_freezes(stories);
  tell_of_nodes(stories);
  tell_of_room(stories);
  tell_of_lone_sets(stories);
  tell_of_updates_in_place(stories);
  tell_of_policies(stories);
  tell_of_incidents(stories);
  return stories;
}

}  // namespace capstan::scenarios
