#include "test/scenarios/lifecycle/held_stories.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using namespace std::chrono_literals;
using Promise = std::function<std::string(const LifecycleWorld&)>;

constexpr std::string_view kHook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup";

// --- what happens ---

LifecycleAct wants_replicas(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}
LifecycleAct wants_version(Seconds at, std::string version) {
  return {at, "a user wants version " + version, [=](LifecycleWorld& world) {
            world.patch_owner({{"spec", {{"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
LifecycleAct deletes(Seconds at, int machine) {
  return {at, fmt::format("a user deletes m{}", machine),
          [=](LifecycleWorld& world) { world.delete_machine(machine); }};
}
LifecycleAct server_goes(Seconds at) {
  return {at, "the load balancer in front of the workload cluster breaks",
          [](LifecycleWorld& world) { world.lose_cluster(); }};
}
LifecycleAct server_is_back(Seconds at) {
  return {at, "the load balancer works again", [](LifecycleWorld& world) { world.find_cluster(); }};
}
LifecycleAct probe_fails(Seconds at) {
  return {at, "one probe of the workload cluster fails",
          [](LifecycleWorld& world) { world.doubt_cluster(); }};
}
LifecycleAct probe_is_answered(Seconds at) {
  return {at, "the next probe is answered", [](LifecycleWorld& world) { world.find_cluster(); }};
}
LifecycleAct restarts(Seconds at) {
  return {at, "the manager is restarted", [](LifecycleWorld& world) { world.restart(); }};
}
LifecycleAct watches_break(Seconds at) {
  return {at, "every watch of the management cluster breaks",
          [](LifecycleWorld& world) { world.lose_watches(); }};
}
LifecycleAct watches_work(Seconds at) {
  return {at, "watches work again", [](LifecycleWorld& world) { world.find_watches(); }};
}
LifecycleAct watches_work_but(Seconds at, std::string_view kind) {
  return {at, fmt::format("all watches are answered again but that of {}", kind),
          [=](LifecycleWorld& world) { world.find_watches_but(kind); }};
}
// Deletions of those Machines wait for a hook until it is taken off.
LifecycleAct hooks(Seconds at, int machines) {
  return {at, fmt::format("deletions of m1 to m{} wait for a backup", machines), [=](LifecycleWorld& world) {
            for (int machine = 1; machine <= machines; ++machine) world.annotate(machine, kHook, "backup");
          }};
}
LifecycleAct unhooks(Seconds at, int machines) {
  return {at, "the backup is done", [=](LifecycleWorld& world) {
            for (int machine = 1; machine <= machines; ++machine) world.take_off(machine, kHook);
          }};
}
LifecycleAct kubelet_stops(Seconds at, int machine) {
  return {at, fmt::format("the kubelet of m{} says Ready Unknown", machine),
          [=](LifecycleWorld& world) { world.node_turns(machine, "Ready", "Unknown"); }};
}
LifecycleAct time_has_come(Seconds at, std::string what) {
  return {at, std::move(what), [](LifecycleWorld&) {}};
}
// With the hash in the last message that asked for one.
LifecycleAct confirms(Seconds at) {
  return {at, "a user confirms what was told", [](LifecycleWorld& world) { world.confirm_deletion(); }};
}

LifecycleAct raises_the_limit(Seconds at) {
  return {at, "a user raises the limit of the fleet to 9", [](LifecycleWorld& world) {
            world.patch_fleet({{"spec", {{"limits", json::array{{{"max", 9}}}}}}});
          }};
}
LifecycleAct gives_a_guard(Seconds at) {
  return {at, "a user gives the policy a deletion guard of 25 %", [](LifecycleWorld& world) {
            world.patch_policy({{"spec", {{"deletionGuard", {{"percent", 25}}}}}});
          }};
}

// --- promises ---

Promise all_of(std::vector<Promise> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}
Promise has_deleted(int count) {
  return [=](const LifecycleWorld& world) {
    return world.deleted() == count ? std::string()
                                    : fmt::format("{} Machines were deleted, not {}", world.deleted(), count);
  };
}
Promise has_deleted_by(Seconds then, int count) {
  return [=](const LifecycleWorld& world) {
    const auto by_then = std::ranges::count_if(world.deletions(), [&](Seconds at) { return at <= then; });
    return by_then == count ? std::string()
                            : fmt::format("{} Machines were deleted by then, not {}", by_then, count);
  };
}
Promise has_made(int count) {
  return [=](const LifecycleWorld& world) {
    return world.made() == count ? std::string() : fmt::format("{} were made, not {}", world.made(), count);
  };
}
// The first line with `what` stands behind that with `event`.
Promise comes_after(const std::string& event, const std::string& what) {
  return [=](const LifecycleWorld& world) {
    for (const std::string& line : world.log()) {
      if (line.contains(event)) return std::string();
      if (line.contains(what)) return fmt::format("before \"{}\": {}", event, line);
    }
    return fmt::format("\"{}\" never came", event);
  };
}
bool is_said(const LifecycleWorld& world, std::string_view words) {
  return std::ranges::any_of(world.log(), [&](const auto& line) { return line.contains(words); });
}
Promise says_of_owner(std::string words) {
  return [=](const LifecycleWorld& world) {
    return is_said(world, words) ? std::string() : fmt::format("nothing says \"{}\"", words);
  };
}
Promise says_nowhere(std::string words) {
  return [=](const LifecycleWorld& world) {
    return is_said(world, words) ? fmt::format("something says \"{}\"", words) : std::string();
  };
}

// --- policies ---

// The story begins two minutes after midnight.
constexpr std::string_view kTenPastMidnight = "10 0 * * *";
constexpr Seconds kOpens{480};

api::MachineLifecyclePolicy with_window(std::int32_t seconds, api::List<Text> intents,
                                        const std::optional<api::PolicyRollout>& rollout = {}) {
  auto policy = builders::a_policy("care").selecting("team", "a").build();
  policy.spec.windows.push_back(
      {.cron = Text(kTenPastMidnight), .duration_seconds = seconds, .intents = std::move(intents)});
  policy.spec.rollout = rollout;
  return policy;
}
api::MachineLifecyclePolicy with_guard(const std::optional<api::PolicyRollout>& rollout = {}) {
  auto policy = builders::a_policy("care").selecting("team", "a").build();
  policy.spec.deletion_guard = api::PolicyDeletionGuard{.percent = 25};
  policy.spec.rollout = rollout;
  return policy;
}
api::MachineLifecyclePolicy with_checks() {
  return builders::a_policy("care").selecting("team", "a").node_checks({.timeout_seconds = 120}).build();
}

// --- stories ---

void tell_of_api_loss(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "api-away-for-half-an-hour",
       .title = "while the API server of the cluster is away, nothing is replaced, scaled down or made",
       .policy = with_checks(),
       .acts = {kubelet_stops(10s, 1), server_goes(30s), wants_replicas(60s, 2), server_is_back(1830s)},
       .length = 2100s,
       .broken = all_of(
           {has_deleted(1), has_made(3), comes_after("the load balancer works again", "is being deleted"),
            comes_after("ScalingDown: * the API server of Cluster default/c1 has not been reached",
                        "the load balancer works again")})});
  stories.push_back(
      {.name = "user-deletes-while-api-is-away",
       .title = "a Machine that a user deletes goes although the API server is away",
       .policy = with_checks(),
       .acts = {server_goes(30s), deletes(60s, 2)},
       .length = 300s,
       .broken = all_of({has_deleted(1), has_made(3), says_of_owner("m2         is being deleted")})});
}

// Within the grace nothing is held, and Machines say what becomes of them.
void tell_of_doubt(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "one-probe-fails",
                     .title = "while one probe alone has failed, Machines are made and deleted as ever",
                     .policy = with_checks(),
                     .brakes = true,
                     .acts = {probe_fails(30s), deletes(31s, 2), wants_replicas(35s, 5),
                              wants_replicas(43s, 2), probe_is_answered(52s)},
                     .length = 150s,
                     .broken = all_of({has_deleted(3), has_made(5),
                                       comes_after("m2         Terminating: Delete Processing",
                                                   "the next probe is answered"),
                                       comes_after("m5         is made", "the next probe is answered"),
                                       has_deleted_by(50s, 3), says_nowhere("has not been reached")})});
}

// Nothing is known of the cluster yet, for the manager is new.
void tell_of_no_evidence(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "user-deletes-before-the-first-contact",
       .title = "a new manager has not reached the cluster: a user's deletion goes, its successor waits",
       .policy = with_checks(),
       .brakes = true,
       .acts = {server_goes(10s), restarts(10s), deletes(60s, 2), server_is_back(240s)},
       .length = 330s,
       .broken = all_of(
           {has_deleted(1), has_made(4), comes_after("m2         is gone", "the load balancer works again"),
            comes_after(
                "* the API server of Cluster default/c1 has not been reached since this manager started",
                "the load balancer works again"),
            comes_after("the load balancer works again", "m4         is made")})});
}

// The window opens on what was wanted before: fewer Machines, which is not so any more.
void tell_of_management_loss(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "watches-break-before-the-window",
       .title = "the window opens while no watch gets an answer, and a user has thought better of it",
       .policy = with_window(600, {"ScaleIn"_text}),
       .acts = {wants_replicas(10s, 1), watches_break(60s), wants_replicas(240s, 3),
                time_has_come(kOpens - 1s, "it is nearly ten past midnight"), watches_work(700s)},
       .length = 900s,
       .broken = all_of({has_deleted(0), has_made(3),
                         comes_after("* the API server of the management cluster has not been reached",
                                     "watches work again")})});
  // The watch of Machines is answered before the last one: the deletion is seen while the brake is shut.
  stories.push_back(
      {.name = "user-deletes-while-watches-are-broken",
       .title = "a user's deletion goes as soon as it is seen, its successor waits for the last watch",
       .policy = with_checks(),
       .brakes = true,
       .acts = {watches_break(10s), deletes(120s, 2), watches_work_but(180s, api::kind::kMachineHealthCheck),
                watches_work(480s)},
       .length = 700s,
       .broken = all_of({has_deleted(1), has_made(4), comes_after("m2         is gone", "watches work again"),
                         comes_after("(it answers again, but not yet the watch of MachineHealthCheck",
                                     "watches work again"),
                         comes_after("watches work again", "m4         is made")})});
}

void tell_of_windows(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "window-opens-at-night",
       .title = "fewer Machines are wanted by day: they go when the window opens",
       .policy = with_window(600, {"ScaleIn"_text}),
       .acts = {wants_replicas(10s, 1), time_has_come(kOpens - 1s, "it is nearly ten past midnight")},
       .length = 600s,
       .broken = all_of({has_deleted(2), comes_after("it is nearly ten past midnight", "is being deleted"),
                         says_of_owner("the next one opens at 2026-01-01T00:10:00Z")})});
  stories.push_back(
      {.name = "scaled-too-far-and-corrected-outside-a-window",
       .title = "one replica is wanted by mistake, then two: the window takes no more than that",
       .replicas = 5,
       .policy = with_window(600, {"ScaleIn"_text}),
       .acts = {wants_replicas(10s, 1), wants_replicas(60s, 2)},
       .length = 600s,
       .broken = all_of({has_deleted(3), has_made(5)})});
  stories.push_back({.name = "window-holds-no-creation",
                     .title = "more Machines are wanted by day: they are made at once",
                     .policy = with_window(600, {"ScaleIn"_text, "Rollout"_text}),
                     .acts = {wants_replicas(10s, 4)},
                     .length = 120s,
                     .broken = all_of({has_deleted(0), has_made(4)})});
  stories.push_back(
      {.name = "recreated-beyond-its-window",
       .title = "a Recreate that began in its window ends after it",
       .policy = with_window(60, {"Rollout"_text}, api::PolicyRollout{.recreate = api::PolicyRecreate()}),
       .acts = {hooks(5s, 3), wants_version(10s, "v1.36.0"),
                time_has_come(kOpens - 1s, "it is nearly ten past midnight"),
                time_has_come(kOpens + 60s, "the window is over"), unhooks(kOpens + 80s, 3)},
       .length = 700s,
       .broken = all_of({has_deleted(3), has_made(6),
                         comes_after("it is nearly ten past midnight", "is being deleted"),
                         comes_after("is being deleted", "the window is over"),
                         comes_after("the window is over", "m4         is made")})});
}

void tell_of_guards(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "guard-holds-a-scale-to-zero",
                     .title = "no Machines are wanted any more: they go once a person has confirmed it",
                     .replicas = 4,
                     .stands_alone = true,
                     .policy = with_guard(),
                     .acts = {wants_replicas(10s, 0), confirms(120s)},
                     .length = 300s,
                     .broken = all_of({has_deleted(4), comes_after("a user confirms", "is being deleted")})});
  stories.push_back(
      {.name = "guard-wants-its-own-list",
       .title = "the confirmation of one list does not cover another one",
       .replicas = 4,
       .stands_alone = true,
       .policy = with_guard(),
       .acts = {wants_replicas(10s, 0), wants_replicas(60s, 4), confirms(70s), wants_replicas(80s, 0)},
       .length = 240s,
       .broken = all_of({has_deleted(0), says_of_owner("which is another list")})});
  stories.push_back(
      {.name = "scaled-too-far-and-corrected-under-a-guard",
       .title = "one replica is wanted by mistake, then two: what is confirmed then leaves two",
       .replicas = 8,
       .policy = with_guard(),
       .acts = {wants_replicas(10s, 1), wants_replicas(60s, 2), confirms(120s)},
       .length = 300s,
       .broken = all_of({has_deleted(6), has_made(8), comes_after("a user confirms", "is being deleted")})});
  stories.push_back(
      {.name = "guard-counts-a-recreate-wholly",
       .title = "a Recreate would delete all Machines in one step: it waits for a person",
       .policy = with_guard(api::PolicyRollout{.recreate = api::PolicyRecreate()}),
       .acts = {wants_version(10s, "v1.36.0"), confirms(120s)},
       .length = 400s,
       .broken = all_of({has_deleted(3), has_made(6), comes_after("a user confirms", "is being deleted")})});
  stories.push_back({.name = "guard-lets-a-rollout-step",
                     .title = "a rolling update takes one Machine at a time, and needs no confirmation",
                     .policy = with_guard(api::PolicyRollout()),
                     .acts = {wants_version(10s, "v1.36.0")},
                     .length = 500s,
                     .broken = all_of({has_deleted(3), has_made(6)})});
}

void tell_of_guards_within_the_fleet(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "guard-comes-while-machines-wait-for-the-fleet",
       .title = "Machines that ask for their places before there is a guard need a person, too",
       .replicas = 4,
       .stands_alone = true,
       .policy = builders::a_policy("care").selecting("team", "a").build(),
       .acts = {wants_replicas(10s, 0), gives_a_guard(60s), raises_the_limit(90s), confirms(200s)},
       .length = 300s,
       .broken = all_of({has_deleted_by(200s, 0), has_deleted(4)}),
       .fleet = builders::a_fleet_policy().limits(0)});
  stories.push_back({.name = "confirmed-and-waiting-for-the-fleet",
                     .title = "what was confirmed once is not asked about again while it waits for its place",
                     .replicas = 4,
                     .stands_alone = true,
                     .policy = with_guard(),
                     .acts = {wants_replicas(10s, 0), confirms(60s), raises_the_limit(200s)},
                     .length = 300s,
                     .broken = all_of({has_deleted_by(59s, 0), has_deleted_by(199s, 1), has_deleted(4)}),
                     .fleet = builders::a_fleet_policy().limits(1)});
}

}  // namespace

void tell_of_held_deletions(std::vector<LifecycleStory>& stories) {
  const auto first = static_cast<std::ptrdiff_t>(stories.size());
  tell_of_api_loss(stories);
  tell_of_doubt(stories);
  tell_of_no_evidence(stories);
  tell_of_management_loss(stories);
  tell_of_windows(stories);
  tell_of_guards(stories);
  tell_of_guards_within_the_fleet(stories);
  std::for_each(stories.begin() + first, stories.end(), [](auto& story) { story.tells_waits = true; });
}

}  // namespace capstan::scenarios
