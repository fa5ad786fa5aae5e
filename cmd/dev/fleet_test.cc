#include "cmd/dev/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"

namespace capstan::dev {
namespace {

using builders::a_machine;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Fleet with(const MachineRow& row) {
  Fleet fleet;
  fleet.machines.push_back(row);
  return fleet;
}

TEST(Fleet, AMachineThatWaitsSaysForWhat) {
  controllers::Caches caches;
  caches.machines.apply(a_machine("m1").not_ready("waiting for bootstrap data").build());

  const Fleet fleet = look_at(caches);

  ASSERT_EQ(fleet.machines.size(), 1U);
  EXPECT_EQ(fleet.machines[0].why, "waiting for bootstrap data");
  EXPECT_FALSE(fleet.settled());
}

// Its status may follow later, or never.
TEST(Fleet, AMachineThatGoesIsDeletingFromTheMomentSomebodyHasSaidSo) {
  controllers::Caches caches;
  caches.machines.apply(a_machine("m1").running().deleting().build());

  const Fleet fleet = look_at(caches);

  EXPECT_THAT(news({}, fleet), ElementsAre("Machine default/m1 is Deleting on node m1"));
  EXPECT_FALSE(fleet.settled());
}

TEST(Fleet, OnlyWhatChangedIsNews) {
  const Fleet before = with({.name = "default/m1", .phase = "Pending", .version = "v1.35.0"});
  const Fleet after = with({.name = "default/m1", .phase = "Running", .version = "v1.35.0", .node = "n1"});

  EXPECT_THAT(news(before, after), ElementsAre("Machine default/m1 v1.35.0 is Running on node n1"));
  EXPECT_THAT(news(after, after), IsEmpty());
  EXPECT_THAT(news(after, {}), ElementsAre("Machine default/m1 is gone"));
}

TEST(Fleet, AGroupWithALeftoverReplicaIsNotSettled) {
  const GroupRow settled{
      .desired = 3, .replicas = 3, .ready = 3, .available = 3, .up_to_date = 3, .current = true};
  GroupRow leftover = settled;
  leftover.replicas = 4;

  EXPECT_TRUE(settled.settled());
  EXPECT_FALSE(leftover.settled());
}

api::MachinePool a_pool(std::int32_t wanted, std::int32_t there) {
  api::MachinePool pool;
  pool.metadata.name = "mp1"_text;
  pool.metadata.namespace_ = "default"_text;
  pool.metadata.generation = 1;
  pool.spec.cluster_name = "c1"_text;
  pool.spec.replicas = wanted;
  pool.spec.machine_template.spec.version = "v1.35.0"_text;
  pool.status.replicas = there;
  pool.status.available_replicas = there;
  pool.status.up_to_date_replicas = wanted;
  pool.status.observed_generation = 1;
  return pool;
}

TEST(Fleet, APoolIsAGroupAndSettledWhenAllItsInstancesAreAvailable) {
  controllers::Caches caches;
  caches.machine_pools.apply(a_pool(3, 2));
  const Fleet growing = look_at(caches);
  api::MachinePool pool = a_pool(3, 3);
  pool.metadata.resource_version = api::ResourceVersion(2);
  caches.machine_pools.apply(pool);
  const Fleet grown = look_at(caches);

  ASSERT_EQ(growing.groups.size(), 1U);
  EXPECT_EQ(growing.groups[0].kind, "MachinePool");
  EXPECT_FALSE(growing.groups[0].settled());
  EXPECT_TRUE(grown.groups[0].settled());
  EXPECT_THAT(news(growing, grown),
              ElementsAre("MachinePool default/mp1 v1.35.0: 3 wanted, 3 there, 3 up to date, 3 available"));
  EXPECT_THAT(news(grown, {}), ElementsAre("MachinePool default/mp1 is gone"));
}

TEST(Fleet, APoolThatLacksInstancesNamesTheCauseBeforeTheEffect) {
  api::MachinePool pool = a_pool(3, 2);
  const auto say = [&](std::string_view type, std::string_view status, std::string_view message) {
    api::conditions::set(pool.status.conditions, api::conditions::make(type, status, "R", message), 1,
                         builders::noon());
  };
  const auto why = [&] {
    controllers::Caches caches;
    caches.machine_pools.apply(pool);
    return look_at(caches).groups.at(0).why;
  };
  say("Available", "False", "2 available replicas");
  say("InfrastructureReady", "True", "");
  EXPECT_EQ(why(), "2 available replicas");

  say("InfrastructureReady", "False", "quota reached");

  EXPECT_EQ(why(), "quota reached");
}

TEST(Fleet, APoolHasATableOfItsOwn) {
  Fleet fleet;
  fleet.groups = {{.name = "default/md", .kind = "MachineDeployment"}};
  const std::string without = table(fleet, 1);
  fleet.groups.push_back({.name = "default/mp", .kind = "MachinePool"});
  const std::string with = table(fleet, 1);

  EXPECT_THAT(without, testing::Not(HasSubstr("MACHINEPOOL")));
  EXPECT_THAT(with, HasSubstr("\nMACHINEPOOL "));
  EXPECT_GT(with.find("default/mp "), with.find("MACHINEPOOL"));
}

TEST(Fleet, SaysWhoWaitsForWhatAndNothingOfTheOthers) {
  Fleet fleet;
  fleet.clusters = {{.name = "default/c1", .phase = "Provisioned"}};
  fleet.groups = {{.name = "default/mp",
                   .kind = "MachinePool",
                   .version = "v1",
                   .desired = 2,
                   .current = true,
                   .why = "no room"},
                  {.name = "default/md", .kind = "MachineDeployment", .current = true}};
  fleet.machines = {{.name = "default/m1", .phase = "Pending", .version = "v1", .why = "no data"},
                    {.name = "default/m2", .available = true}};

  EXPECT_THAT(waits(fleet),
              ElementsAre("MachinePool default/mp v1: 2 wanted, 0 there, 0 up to date, 0 available: no room",
                          "Machine default/m1 v1 is Pending: no data"));
  EXPECT_THAT(waits({}), ElementsAre("there is no Cluster"));
}

TEST(Fleet, TheTableShowsFirstWhoWaits) {
  Fleet fleet;
  fleet.machines = {{.name = "default/fine", .available = true}, {.name = "default/slow", .why = "booting"}};

  const std::string text = table(fleet, 1);

  EXPECT_THAT(text, HasSubstr("default/slow"));
  EXPECT_THAT(text, HasSubstr("... and 1 more"));
}

}  // namespace
}  // namespace capstan::dev
