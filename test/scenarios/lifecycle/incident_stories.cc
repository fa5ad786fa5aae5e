#include "test/scenarios/lifecycle/incident_stories.h"

#include <fmt/format.h>

#include "api/policy/names.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;
using IncidentBroken = std::function<std::string(const LifecycleWorld&)>;

// --- what happens ---

LifecycleAct wants_so_many(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}
// With a surge of one, as is the default.
LifecycleAct wants_another_version(Seconds at, std::string version) {
  return {at, "a user wants version " + version, [=](LifecycleWorld& world) {
            world.patch_owner({{"spec", {{"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
// In one write, as an autoscaler does it.
LifecycleAct names_one(Seconds at, int replicas, int machine) {
  return {
      at, fmt::format("an autoscaler wants {} replicas, and names m{}", replicas, machine),
      [=](LifecycleWorld& world) {
        world.patch_owner({{"metadata", {{"annotations", {{annotation::kVictims, world.victim(machine)}}}}},
                           {"spec", {{"replicas", replicas}}}});
      }};
}
LifecycleAct events_are_late(Seconds at, Seconds lag) {
  return {at, fmt::format("every event of a watch is {} s late from now on", lag.count()),
          [=](LifecycleWorld& world) { world.slow_down(lag); }};
}
LifecycleAct cordons(Seconds at, int machine) {
  return {at, fmt::format("a user cordons the Node of m{}", machine),
          [=](LifecycleWorld& world) { world.cordon(machine); }};
}
LifecycleAct preserves(Seconds at, int machine, std::string_view wish) {
  return {at, fmt::format("a user annotates m{} with {}: {}", machine, annotation::kPreserve, wish),
          [=, wish = std::string(wish)](LifecycleWorld& world) {
            world.annotate(machine, annotation::kPreserve, wish);
          }};
}

// --- what is promised ---

IncidentBroken every_one(std::vector<IncidentBroken> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}
IncidentBroken counts(int made, int deleted) {
  return [=](const LifecycleWorld& world) {
    return world.made() == made && world.deleted() == deleted
               ? std::string()
               : fmt::format("{} were made and {} deleted, not {} and {}", world.made(), world.deleted(),
                             made, deleted);
  };
}
IncidentBroken never_fewer_than_wanted() {
  return [](const LifecycleWorld& world) {
    return world.most_gone() <= 0 ? std::string() : fmt::format("{} were lacking", world.most_gone());
  };
}
// Of three at first, when two are wanted.
IncidentBroken never_fewer_than_two() {
  return [](const LifecycleWorld& world) {
    return world.most_gone() <= 1 ? std::string() : fmt::format("{} were lacking", world.most_gone());
  };
}
IncidentBroken is_cordoned(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_cordoned(machine) ? std::string()
                                      : fmt::format("the cordon of m{} was taken off", machine);
  };
}

IncidentBroken is_gone(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_deleted(machine) ? std::string() : fmt::format("m{} is there", machine);
  };
}

// The manager waits for its own writes, whatever else is late. A piece of a watch comes after the one before
// it, so that the news of one turn take minutes.
LifecycleStory late_events() {
  return {.name = "watch-events-two-minutes-late",
          .title = "events are two minutes late: two Machines are made, and no more",
          .acts = {events_are_late(5s, 120s), wants_so_many(10s, 5)},
          .length = 1200s,
          .broken = counts(5, 0)};
}

LifecycleStory cordon_of_a_user() {
  return {.name = "users-cordon-on-a-preserved-machine",
          .title = "a user cordons the Node of a Machine that is preserved and released: the cordon stays",
          .policy = builders::a_policy("care").selecting("team", "a").preservation({.timeout_seconds = 300}),
          .preserves = true,
          .acts = {cordons(5s, 2), preserves(10s, 2, "now"), preserves(100s, 2, "false")},
          .length = 200s,
          .broken = every_one({counts(3, 0), never_fewer_than_wanted(), is_cordoned(2)})};
}

// The fourth Machine is the first one of the new template, and has no Node yet.
LifecycleStory victim_of_the_new_set() {
  return {
      .name = "named-victim-in-the-middle-of-a-rollout",
      .title =
          "a Machine of the new MachineSet is named while the rollout is under way: it goes, another one is "
          "made in its place, and the rollout goes on",
      .acts = {wants_another_version(10s, "v1.36.0"), names_one(30s, 2, 4)},
      .length = 600s,
      .broken = every_one({is_gone(4), counts(6, 4), never_fewer_than_two()})};
}

}  // namespace

void tell_of_incidents(std::vector<LifecycleStory>& stories) {
  for (auto story : {late_events, cordon_of_a_user, victim_of_the_new_set}) stories.push_back(story());
}

}  // namespace capstan::scenarios
