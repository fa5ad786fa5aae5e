#include "controllers/safety/take_census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::safety {
namespace {

using api::policy::annotation::kReleased;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::kNamespace;
using builders::noon;
using testing::ElementsAre;

const Overshoot kOn = api::PolicyOvershoot{.up = 2, .down = 1};

// MachineDeployment md1 of three with a surge of one, and its MachineSets old and new.
class Censuses : public testing::Test {
 protected:
  // What a cache has already is replaced by a newer version alone.
  template <typename T>
  void apply(runtime::Store<T>& store, T object) {
    object.metadata.resource_version = api::ResourceVersion(++version);
    store.apply(std::move(object));
  }

  Censuses() {
    apply(caches.clusters, builders::a_cluster("c1").build());
    apply(caches.machine_deployments,
          a_machine_deployment("md1").replicas(3).rolling(IntOrString(1), IntOrString(0)).build());
    put(old_set());
    put(new_set());
  }

  static builders::MachineSetBuilder old_set() {
    return a_machine_set("old").in_deployment("md1").replicas(2);
  }
  static builders::MachineSetBuilder new_set() {
    return a_machine_set("new").in_deployment("md1").replicas(2);
  }
  void put(const builders::MachineSetBuilder& set) { apply(caches.machine_sets, set.build()); }
  void machines(std::string_view set, int number) {
    for (int at = 0; at < number; ++at)
      apply(caches.machines, a_machine(fmt::format("{}-{}", set, at)).in_set(set).build());
  }
  SetCensus of(std::string_view set) const {
    return census_of(caches, *caches.machine_sets.get(key(set)), kOn, noon());
  }
  static kube::ObjectKey key(std::string_view name) {
    return {.namespace_ = std::string(kNamespace), .name = std::string(name)};
  }

  Caches caches;
  std::uint64_t version = 0;
};

TEST_F(Censuses, MachinesOfAllSetsOfADeploymentAreCounted) {
  machines("old", 4);
  machines("new", 1);
  EXPECT_FALSE(of("new").frozen.holds());

  machines("new", 2);
  EXPECT_EQ(of("new").frozen.reason, api::policy::reason::kOvershooting);
  EXPECT_EQ(of("old").frozen.reason, api::policy::reason::kOvershooting);
}

TEST_F(Censuses, CountByOwnerAndNotByLabels) {
  put(a_machine_set("lone").replicas(3));
  machines("lone", 7);
  apply(caches.machines,
        a_machine("anothers").in_set("another").labelled(api::label::kSetName, "lone").build());
  EXPECT_EQ(of("lone").ceiling.owned, 7);
  EXPECT_FALSE(of("lone").frozen.holds());

  apply(caches.machines,
        a_machine("mislabelled").in_set("lone").labelled(api::label::kSetName, "another").build());

  EXPECT_EQ(of("lone").ceiling.owned, 8);
  EXPECT_TRUE(of("lone").frozen.holds());
}

TEST_F(Censuses, WithoutAPolicyNothingIsCounted) {
  machines("old", 9);
  const auto census = census_of(caches, *caches.machine_sets.get(key("old")), std::nullopt, noon());
  EXPECT_FALSE(census.frozen.holds());
  EXPECT_FALSE(census.ceiling.is_on);
}

// Between the two limits, where a set by itself would go on.
TEST_F(Censuses, AFrozenDeploymentFreezesASetThatWasNot) {
  const Overshoot wide = api::PolicyOvershoot{.up = 2, .down = 2};
  const auto set = caches.machine_sets.get(key("new"));
  machines("old", 5);
  EXPECT_FALSE(census_of(caches, *set, wide, noon()).frozen.holds());
  auto deployment = *caches.machine_deployments.get(key("md1"));
  api::conditions::set(deployment.status.conditions,
                       api::conditions::make(api::policy::condition::kFrozen, api::status::kTrue,
                                             api::policy::reason::kOvershooting),
                       1, noon());

  apply(caches.machine_deployments, deployment);

  EXPECT_TRUE(census_of(caches, *set, wide, noon()).frozen.holds());
}

TEST_F(Censuses, AThawOfTheDeploymentReachesItsSets) {
  machines("old", 9);
  apply(caches.machine_deployments, a_machine_deployment("md1")
                                        .replicas(3)
                                        .annotated(api::policy::annotation::kUnfrozenAt, noon().to_string())
                                        .build());

  const auto frozen = of("new").frozen;

  EXPECT_FALSE(frozen.holds());
  EXPECT_EQ(frozen.recheck, kThawHolds);
}

TEST_F(Censuses, WhatASiblingIsToMakeTakesRoomUnderTheCeiling) {
  machines("new", 1);

  const Ceiling ceiling = of("new").ceiling;

  EXPECT_EQ(ceiling.most, 6);
  EXPECT_EQ(ceiling.owned, 3) << "one of its own, and the two that the other one wants";
  EXPECT_EQ(allowed_by(ceiling, 1), 1);
}

TEST_F(Censuses, ReleasedMachinesCountUntilTheyAreGoneOrHaveAnOwner) {
  put(new_set().annotated(kReleased, "3 since 2026-01-01T12:00:00Z: adopted,gone,left"));
  apply(caches.machines, a_machine("left").labelled(api::label::kSetName, "another").build());
  apply(caches.machines, a_machine("adopted").in_set("old").build());

  const auto census = of("new");

  EXPECT_THAT(census.released.names, ElementsAre("left"));
  EXPECT_EQ(census.ceiling.released, 1);
  EXPECT_EQ(census.ceiling.blame, R"(label cluster.x-k8s.io/set-name is "another" and not "new")");
}

TEST_F(Censuses, WhatASiblingReleasedCountsToo) {
  put(old_set().annotated(kReleased, "1 since 2026-01-01T12:00:00Z: left"));
  apply(caches.machines, a_machine("left").build());

  EXPECT_EQ(of("new").ceiling.released, 1);
}

TEST_F(Censuses, MachinesOfASetThatTheDeploymentLostCount) {
  apply(caches.machine_deployments, a_machine_deployment("md1")
                                        .replicas(3)
                                        .annotated(kReleased, "2 since 2026-01-01T12:00:00Z: empty,lost")
                                        .build());
  put(a_machine_set("lost"));
  put(a_machine_set("empty"));
  machines("lost", 3);

  EXPECT_EQ(of("new").ceiling.released, 3);
  EXPECT_THAT(census_of(caches, *caches.machine_deployments.get(key("md1")), kOn, noon()).lost.names,
              ElementsAre("lost"));
}

TEST_F(Censuses, OfALoneSetGoByItsOwnReplicas) {
  put(a_machine_set("lone").replicas(3));
  machines("lone", 7);
  EXPECT_EQ(of("lone").ceiling.most, 5);
  EXPECT_FALSE(of("lone").frozen.holds());

  machines("lone", 8);
  EXPECT_TRUE(of("lone").frozen.holds());
}

}  // namespace
}  // namespace capstan::controllers::safety
