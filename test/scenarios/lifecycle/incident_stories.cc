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
IncidentBroken is_cordoned(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_cordoned(machine) ? std::string()
                                      : fmt::format("the cordon of m{} was taken off", machine);
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

}  // namespace

void tell_of_incidents(std::vector<LifecycleStory>& stories) {
  for (auto story : {late_events, cordon_of_a_user}) stories.push_back(story());
}

}  // namespace capstan::scenarios
