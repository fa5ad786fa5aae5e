#include "test/scenarios/lifecycle/fleet_stories.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/policy/names.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using builders::a_fleet_policy;
using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;

using Promise = std::function<std::string(const LifecycleWorld&)>;

LifecycleAct resizes_both(Seconds at, int web, int db) {
  return {at, fmt::format("users want {} replicas of web, and {} of db", web, db),
          [=](LifecycleWorld& world) {
            world.patch_owner({{"spec", {{"replicas", web}}}});
            world.resize_neighbour(db);
          }};
}

LifecycleAct resizes_web(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas of web", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}

LifecycleAct a_user_deletes(Seconds at, int machine) {
  return {at, fmt::format("a user deletes m{}", machine),
          [=](LifecycleWorld& world) { world.delete_machine(machine); }};
}

LifecycleAct freezes(Seconds at, json::value why) {
  const std::string text =
      why.is_null() ? "a user thaws the fleet" : "a user freezes the fleet: " + json::serialize(why);
  return {at, text, [=](LifecycleWorld& world) {
            world.patch_fleet({{"metadata", {{"annotations", {{annotation::kFreeze, why}}}}}});
          }};
}

// How many deletions began by then.
Promise deleted_by(Seconds then, int wanted) {
  return [=](const LifecycleWorld& world) {
    const auto began = std::ranges::count_if(world.deletions(), [&](Seconds at) { return at <= then; });
    return began == wanted
               ? std::string()
               : fmt::format("{} deletions began within {} s, not {}", began, then.count(), wanted);
  };
}

Promise each(std::vector<Promise> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const Promise& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}

LifecycleStory over_two_clusters() {
  return {
      .name = "fleet-limit-over-two-clusters",
      .title = "one deletion in ten minutes in all Clusters: of two that are wanted one waits for the other",
      .acts = {resizes_both(10s, 2, 1)},
      .length = 900s,
      .broken = each({deleted_by(30s, 1), deleted_by(600s, 1), deleted_by(900s, 2)}),
      .fleet = a_fleet_policy().limits(1),
      .neighbours = 2};
}

LifecycleStory in_each_cluster() {
  return {.name = "fleet-limit-of-each-cluster",
          .title = "one deletion in ten minutes in each Cluster: neither waits for the other",
          .acts = {resizes_both(10s, 1, 1)},
          .length = 900s,
          .broken = each({deleted_by(30s, 2), deleted_by(600s, 2), deleted_by(900s, 3)}),
          .fleet = a_fleet_policy().limits_each_cluster(1),
          .neighbours = 2};
}

LifecycleStory policy_deleted() {
  return {
      .name = "fleet-policy-is-deleted",
      .title = "a limit of 0 holds a deletion, until the FleetPolicy is deleted",
      .acts = {resizes_web(10s, 2),
               {200s, "a user deletes the FleetPolicy", [](LifecycleWorld& world) { world.delete_fleet(); }}},
      .length = 300s,
      .broken = each({deleted_by(199s, 0), deleted_by(230s, 1)}),
      .fleet = a_fleet_policy().limits(0)};
}

LifecycleStory limit_raised() {
  return {.name = "fleet-limit-is-raised",
          .title = "a limit of 0 holds a deletion, until it is raised",
          .acts = {resizes_web(10s, 2),
                   {200s, "a user raises the limit to 100 %",
                    [](LifecycleWorld& world) {
                      world.patch_fleet({{"spec", {{"limits", json::array{{{"max", "100%"}}}}}}});
                    }}},
          .length = 300s,
          .broken = each({deleted_by(199s, 0), deleted_by(230s, 1)}),
          .fleet = a_fleet_policy().limits(0)};
}

LifecycleStory granter_away() {
  return {.name = "fleet-granter-is-away",
          .title = "without a granter nothing new is deleted, and everything else goes on",
          .acts = {{5s, "the manager is restarted without the controller of the FleetPolicy",
                    [](LifecycleWorld& world) { world.stop_granting(); }},
                   resizes_web(10s, 2),
                   a_user_deletes(60s, 1),
                   resizes_web(200s, 4)},
          .length = 400s,
          .broken = each({deleted_by(59s, 0), deleted_by(400s, 1),
                          [](const LifecycleWorld& world) {
                            return world.made() >= 5 ? std::string() : "no Machine was made";
                          }}),
          .fleet = a_fleet_policy().limits(5)};
}

LifecycleStory request_withdrawn() {
  return {.name = "fleet-request-is-withdrawn",
          .title = "a Machine that is to stay after all leaves its place among those that wait",
          .acts = {resizes_web(10s, 2), resizes_web(60s, 3)},
          .length = 200s,
          .broken = deleted_by(200s, 0),
          .fleet = a_fleet_policy().limits(0)};
}

// The policy of their life has one Machine replaced at a time, whatever the fleet allows.
LifecycleStory beneath_max_in_flight() {
  return {.name = "fleet-limit-above-max-in-flight",
          .title = "maxInFlight of the policy stays beneath the limits of the fleet",
          .policy = builders::a_policy("care").selecting("team", "a").node_checks({.timeout_seconds = 120}),
          .acts = {{10s, "the kubelets of m1 and m2 say Ready False",
                    [](LifecycleWorld& world) {
                      world.node_turns(1, "Ready", "False");
                      world.node_turns(2, "Ready", "False");
                    }}},
          .length = 500s,
          .broken = each({deleted_by(170s, 1), deleted_by(500s, 2)}),
          .fleet = a_fleet_policy().limits(9)};
}

LifecycleStory forged() {
  return {.name = "fleet-grant-that-was-never-given",
          .title = "a grant that a person writes, or a copied manifest brings, deletes nothing",
          .acts = {resizes_web(10s, 1),
                   {60s, "a user writes a grant on every Machine",
                    [](LifecycleWorld& world) {
                      for (const int machine : {1, 2, 3})
                        world.annotate(machine, annotation::kFleetGrant, "2026-01-01T00:02:00Z");
                    }}},
          .length = 200s,
          .broken = deleted_by(200s, 0),
          .fleet = a_fleet_policy().limits(0)};
}

LifecycleStory frozen() {
  return {.name = "fleet-is-frozen",
          .title = "while the fleet is frozen nothing is made or deleted, but by a user",
          .acts = {freezes(5s, "incident 7"), resizes_web(10s, 2), resizes_web(60s, 4),
                   a_user_deletes(100s, 1), freezes(200s, nullptr)},
          .length = 300s,
          .broken = each({deleted_by(99s, 0), deleted_by(300s, 1),
                          [](const LifecycleWorld& world) {
                            return world.made_by(200s) == 3 ? std::string() : "a Machine was made";
                          }}),
          .fleet = a_fleet_policy().limits(9)};
}

}  // namespace

void tell_of_fleet_limits(std::vector<LifecycleStory>& stories) {
  for (auto story : {over_two_clusters, in_each_cluster, policy_deleted, limit_raised, granter_away,
                     request_withdrawn, beneath_max_in_flight, forged, frozen})
    stories.push_back(story());
}

}  // namespace capstan::scenarios
