#include "controllers/safety/fleet_request.h"

#include <gtest/gtest.h>

#include "controllers/shared/caches.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"

namespace capstan::controllers::safety {
namespace {

constexpr std::string_view kGrant = "capstan.dev/fleet-grant";

using builders::a_fleet_policy;
using builders::a_machine;
using builders::noon;

std::optional<FleetRequest> read(std::string_view text) {
  return fleet_request_of(a_machine().annotated("capstan.dev/fleet-request", text));
}

TEST(FleetRequest, IsReadAsItIsWritten) {
  const FleetRequest request{.reason = "Rollout", .since = noon()};

  EXPECT_EQ(to_text(request), "Rollout~2026-01-01T12:00:00Z");
  EXPECT_EQ(read(to_text(request)), request);
}

TEST(FleetRequest, InWordsThatMeanNothingIsNone) {
  for (const auto text :
       {"", "Rollout", "~2026-01-01T12:00:00Z", "Rollout~yesterday", "Rollout~", "Whim~2026-01-01T12:00:00Z"})
    EXPECT_EQ(read(text), std::nullopt) << text;
}

TEST(FleetRequest, ConcernsTheFleetWithAGrantAloneToo) {
  EXPECT_FALSE(concerns_fleet(a_machine()));
  EXPECT_TRUE(concerns_fleet(a_machine().annotated("capstan.dev/fleet-request", "?")));
  EXPECT_TRUE(concerns_fleet(a_machine().annotated("capstan.dev/fleet-grant", "2026-01-01T12:00:00Z")));
}

TEST(FleetRequest, AndItsGrantAreNoOtherChangeOfTheMachine) {
  const api::Machine plain = a_machine();
  const api::Machine asking =
      a_machine().annotated("capstan.dev/fleet-request", "Rollout~2026-01-01T12:00:00Z");
  api::Machine granted = asking;
  granted.metadata.annotations.set("capstan.dev/fleet-grant", "2026-01-01T12:00:00Z");
  granted.metadata.resource_version = api::ResourceVersion(12);
  api::Machine deleting = granted;
  deleting.metadata.deletion_timestamp = noon();
  api::Machine ready = granted;
  ready.status.phase = Text("Running");

  EXPECT_TRUE(differ_by_fleet_words_alone(plain, asking));
  EXPECT_TRUE(differ_by_fleet_words_alone(asking, granted));
  EXPECT_TRUE(differ_by_fleet_words_alone(granted, plain));
  EXPECT_FALSE(differ_by_fleet_words_alone(asking, deleting));
  EXPECT_FALSE(differ_by_fleet_words_alone(asking, ready));
  EXPECT_FALSE(differ_by_fleet_words_alone(plain, plain)) << "nothing changed that is known: all shall look";
}

bool limited_by(const api::FleetPolicy& policy) {
  Caches caches;
  caches.fleet_policies.apply(policy);
  return see_fleet(caches, {}).limited;
}

TEST(LimitsFleet, OnlyWithTheOnePolicyWhileItStaysAndHasLimits) {
  EXPECT_TRUE(limited_by(a_fleet_policy().limits(1)));
  EXPECT_FALSE(limited_by(a_fleet_policy()));
  EXPECT_FALSE(limited_by(a_fleet_policy("other").limits(1)));
  EXPECT_FALSE(limited_by(a_fleet_policy().limits(1).deleting()));
  EXPECT_FALSE(see_fleet(Caches(), {}).limited);
}

TEST(HasGranter, OnceAManagerHasLookedAtThePolicy) {
  Caches caches;
  EXPECT_FALSE(see_fleet(caches, {}).has_granter);
  caches.fleet_policies.apply(a_fleet_policy());
  EXPECT_FALSE(see_fleet(caches, {}).has_granter);

  caches.fleet_policies.apply(a_fleet_policy().version_number(2).with(
      [](api::FleetPolicy& policy) { policy.status.observed_generation = 1; }));

  EXPECT_TRUE(see_fleet(caches, {}).has_granter);
}

TEST(GrantedMachines, AreThoseThatTheStatusHasAndThatSayItThemselves) {
  const std::vector<runtime::Snapshot<api::Machine>> machines = {
      a_machine("forged").annotated(kGrant, noon().to_string()).shared(),
      a_machine("granted").annotated(kGrant, noon().to_string()).shared(),
      a_machine("not-told").shared(),
  };
  Caches caches;
  caches.fleet_policies.apply(a_fleet_policy().limits(1).with([&](api::FleetPolicy& policy) {
    policy.status.grants =
        std::vector<api::FleetGrant>{{.uid = machines[1]->metadata.uid}, {.uid = machines[2]->metadata.uid}};
  }));

  EXPECT_EQ(see_fleet(caches, machines).granted, std::unordered_set{machines[1]->metadata.uid});
}

TEST(Workers, AreMachinesOfNoControlPlane) {
  Caches caches;
  caches.machines.apply(a_machine("a"));
  caches.machines.apply(a_machine("b").in_cluster("c2"));
  caches.machines.apply(a_machine("k").control_plane());

  EXPECT_FALSE(is_worker(a_machine("k").control_plane()));
  EXPECT_EQ(caches.workers(), 2);
  EXPECT_EQ(caches.workers_of({.namespace_ = "default", .name = "c1"}), 1);
}

}  // namespace
}  // namespace capstan::controllers::safety
