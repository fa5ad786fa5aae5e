#include "test/scenarios/lifecycle/freeze_stories.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;

constexpr std::string_view kHook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup";

builders::MachineLifecyclePolicyBuilder braking() {
  return builders::a_policy("care").selecting("team", "a").overshoot();
}

// Under which Machines become Available in this world.
builders::MachineLifecyclePolicyBuilder rolling() {
  return builders::a_policy("care").selecting("team", "a").rollout();
}

// --- what happens ---

LifecycleAct sets_on_owner(Seconds at, std::string_view key, std::string value) {
  return {at, fmt::format("a user annotates web with {}: {}", key, value),
          [key = std::string(key), value](LifecycleWorld& world) {
            world.patch_owner({{"metadata", {{"annotations", {{key, value}}}}}});
          }};
}
LifecycleAct takes_off_owner(Seconds at, std::string_view key) {
  return {at, fmt::format("a user takes {} off web", key), [key = std::string(key)](LifecycleWorld& world) {
            world.patch_owner({{"metadata", {{"annotations", {{key, nullptr}}}}}});
          }};
}
LifecycleAct wants_replicas(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}
LifecycleAct wants_version(Seconds at, std::string version) {
  return {at, "a user wants version " + version + ", three at a time", [=](LifecycleWorld& world) {
            world.patch_owner({{"spec",
                                {{"rollout", {{"strategy", {{"rollingUpdate", {{"maxSurge", 3}}}}}}},
                                 {"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
// Machines get the label; those that are there have it not.
LifecycleAct selects_another_tier(Seconds at) {
  return {at, "a user changes the selector of web: tier b", [](LifecycleWorld& world) {
            const json::value tier = {{"tier", "b"}};
            world.patch_owner({{"spec",
                                {{"selector", {{"matchLabels", tier}}},
                                 {"template", {{"metadata", {{"labels", tier}}}}}}}});
          }};
}
LifecycleAct confirms_release(Seconds at) {
  return {at, "a user confirms that web lets its MachineSet go",
          [](LifecycleWorld& world) { world.confirm_release(); }};
}
LifecycleAct deletes_lost_set(Seconds at) {
  return {at, "a user deletes the MachineSet that web has lost",
          [](LifecycleWorld& world) { world.delete_lost_sets(); }};
}
LifecycleAct deletes(Seconds at, int first, int last) {
  return {at,
          first == last ? fmt::format("a user deletes m{}", first)
                        : fmt::format("a user deletes m{} to m{}", first, last),
          [=](LifecycleWorld& world) {
            for (int machine = first; machine <= last; ++machine) world.delete_machine(machine);
          }};
}
LifecycleAct renames_labels(Seconds at, int machines, std::string value) {
  return {at, fmt::format("a script writes \"{}\" into the label set-name of m1 to m{}", value, machines),
          [=](LifecycleWorld& world) {
            for (int machine = 1; machine <= machines; ++machine)
              world.relabel(machine, api::label::kSetName, value);
          }};
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

// --- promises ---

using Promise = std::function<std::string(const LifecycleWorld&)>;

Promise counted(std::string what, int (*number)(const LifecycleWorld&), int wanted) {
  return [=](const LifecycleWorld& world) {
    const int found = number(world);
    return found == wanted ? std::string() : fmt::format("{} Machines {}, not {}", found, what, wanted);
  };
}
Promise made_in_all(int wanted) {
  return counted("were made", [](const LifecycleWorld& world) { return world.made(); }, wanted);
}
Promise deleted_in_all(int wanted) {
  return counted("were deleted", [](const LifecycleWorld& world) { return world.deleted(); }, wanted);
}
Promise owner_is(std::string reason) {
  return [=](const LifecycleWorld& world) {
    return world.frozen() == reason ? std::string()
                                    : fmt::format("frozen is {}, not {}", world.frozen(), reason);
  };
}
Promise says(std::string words) {
  return [=](const LifecycleWorld& world) {
    const bool found =
        std::ranges::any_of(world.log(), [&](const auto& line) { return line.contains(words); });
    return found ? std::string() : fmt::format("nothing says \"{}\"", words);
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
Promise both(Promise one, Promise other) {
  return [one = std::move(one), other = std::move(other)](const LifecycleWorld& world) {
    auto broken = one(world);
    return broken.empty() ? other(world) : broken;
  };
}

void tell_of_freezes_by_hand(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "frozen-in-the-middle-of-a-rollout",
                     .title = "a user freezes a MachineDeployment while it rolls: no old Machine goes",
                     .policy = rolling(),
                     .acts = {wants_version(5s, "v1.36.0"), sets_on_owner(10s, annotation::kFreeze, "audit")},
                     .length = 300s,
                     .broken = both(deleted_in_all(0), made_in_all(6))});
  stories.push_back({.name = "rollout-goes-on-after-a-freeze",
                     .title = "the freeze is taken off: the rollout goes on where it stood",
                     .policy = rolling(),
                     .acts = {wants_version(5s, "v1.36.0"), sets_on_owner(10s, annotation::kFreeze, "audit"),
                              takes_off_owner(120s, annotation::kFreeze)},
                     .length = 400s,
                     .broken = both(deleted_in_all(3), both(made_in_all(6), owner_is("no")))});
  stories.push_back(
      {.name = "user-deletes-while-frozen",
       .title = "a user's deletion is obeyed while frozen; a smaller size waits, and so does a successor",
       .acts = {sets_on_owner(5s, annotation::kFreeze, "audit"), deletes(20s, 2, 2), wants_replicas(90s, 1)},
       .length = 200s,
       .broken = both(deleted_in_all(1), both(made_in_all(3), owner_is("FrozenByAnnotation")))});
}

void tell_of_freezes_by_number(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "too-many-machines-freeze",
       .title = "eight Machines are five too many: frozen until they are gone",
       .replicas = 8,
       .policy = braking(),
       .acts = {hooks(1s, 8), wants_replicas(5s, 3), unhooks(60s, 8)},
       .length = 200s,
       .broken = both(deleted_in_all(5), both(says("web        OvershootingReplicaCount"), owner_is("no")))});
  stories.push_back(
      {.name = "thawed-for-a-minute",
       .title = "a user thaws what is frozen by number: that reaches the set and holds a minute",
       .replicas = 8,
       .policy = braking(),
       .mcm_aliases = true,
       .acts = {hooks(1s, 8), wants_replicas(5s, 3), sets_on_owner(30s, annotation::kUnfreezeOfMcm, "True")},
       .length = 150s,
       .broken = owner_is("OvershootingReplicaCount")});
  stories.push_back({.name = "thaw-ends-no-freeze-by-hand",
                     .title = "a thaw is for freezes by number: what a person froze stays so",
                     .policy = braking(),
                     .acts = {sets_on_owner(5s, annotation::kFreeze, "audit"),
                              sets_on_owner(30s, annotation::kUnfreeze, "true"), wants_replicas(40s, 4)},
                     .length = 120s,
                     .broken = both(made_in_all(3), owner_is("FrozenByAnnotation"))});
}

void tell_of_the_ceiling(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "labels-renamed",
                     .title = "labels are renamed so that no Machine matches: two more are made, not three",
                     .stands_alone = true,
                     .policy = braking(),
                     .acts = {renames_labels(5s, 3, "renamed")},
                     .length = 200s,
                     .broken = both(made_in_all(5), deleted_in_all(0))});
  stories.push_back({.name = "released-machines-gone",
                     .title = "the released Machines are gone: the third one is made",
                     .stands_alone = true,
                     .policy = braking(),
                     .acts = {renames_labels(5s, 3, "renamed"), deletes(120s, 1, 3)},
                     .length = 300s,
                     .broken = both(made_in_all(6), deleted_in_all(3))});
  stories.push_back(
      {.name = "labels-put-back",
       .title = "the labels are put back: the Machines have an owner again, and two too many go",
       .stands_alone = true,
       .policy = braking(),
       .acts = {renames_labels(5s, 3, "renamed"), renames_labels(120s, 3, "web")},
       .length = 300s,
       .broken = both(made_in_all(5), deleted_in_all(2))});
  stories.push_back({.name = "ceiling-opened-by-hand",
                     .title = "a user takes the record off: the third one is made beside the released ones",
                     .stands_alone = true,
                     .policy = braking(),
                     .acts = {renames_labels(5s, 3, "renamed"), takes_off_owner(120s, annotation::kReleased)},
                     .length = 200s,
                     .broken = made_in_all(6)});
  // Four Machines are lost; a surge of one and a margin of two leave room for three others.
  stories.push_back(
      {.name = "selector-loses-its-set",
       .title = "a MachineDeployment loses its set: the new one stops at the ceiling until that is gone",
       .replicas = 4,
       .policy = braking(),
       .acts = {selects_another_tier(5s), confirms_release(20s), deletes_lost_set(120s)},
       .length = 260s,
       .broken = both(both(made_in_all(8), deleted_in_all(4)),
                      both(says("7 Machines are or will be there, 7 may be: 4 of them were released because "
                                "label tier is missing"),
                           both(comes_after("m7         is made", "the MachineSet that web has lost"),
                                comes_after("the MachineSet that web has lost", "m8         is made"))))});
}

}  // namespace

void tell_of_freezes(std::vector<LifecycleStory>& stories) {
  const auto before = static_cast<std::ptrdiff_t>(stories.size());
  tell_of_freezes_by_hand(stories);
  tell_of_freezes_by_number(stories);
  tell_of_the_ceiling(stories);
  for (auto story = stories.begin() + before; story != stories.end(); ++story) story->brakes = true;
}

}  // namespace capstan::scenarios
