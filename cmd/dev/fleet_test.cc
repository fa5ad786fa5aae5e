#include "cmd/dev/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Fleet, TheTableShowsFirstWhoWaits) {
  Fleet fleet;
  fleet.machines = {{.name = "default/fine", .available = true}, {.name = "default/slow", .why = "booting"}};

  const std::string text = table(fleet, 1);

  EXPECT_THAT(text, HasSubstr("default/slow"));
  EXPECT_THAT(text, HasSubstr("... and 1 more"));
}

}  // namespace
}  // namespace capstan::dev
