#include "controllers/safety/fleet_freeze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/shared/caches.h"
#include "test/builders/fleet_policy.h"

namespace capstan::controllers::safety {
namespace {

using builders::a_fleet_policy;
using builders::FleetPolicyBuilder;
using runtime::Intent;
using testing::HasSubstr;

const kube::ObjectKey kSet{.namespace_ = "default", .name = "workers"};
const runtime::Asker kAsker{.kind = "MachineSet", .key = kSet};

runtime::Verdict asked(const FleetPolicyBuilder& policy, Intent intent) {
  Caches caches;
  caches.fleet_policies.apply(policy.build());
  return FleetFreezeBrake(caches).ask(intent, kAsker);
}

FleetPolicyBuilder frozen(std::string_view why) {
  return a_fleet_policy().annotated("capstan.dev/freeze", why);
}

TEST(FleetFreeze, HoldsWhatMakesAndDeletesMachines) {
  for (const Intent intent : {Intent::CreateMachine, Intent::Remediate, Intent::ScaleDown, Intent::RollOut,
                              Intent::DeletePoolInstance, Intent::SweepOrphans})
    EXPECT_FALSE(asked(frozen("incident 7"), intent).open);
}

TEST(FleetFreeze, LeavesDrainsToTheFreezesOfWhatAMachineBelongsTo) {
  EXPECT_TRUE(asked(frozen("incident 7"), Intent::Evict).open);
}

TEST(FleetFreeze, SaysWhySinceWhenAndWhatOpensIt) {
  const auto seen = frozen("incident 7").condition("Frozen", "True", "FrozenByAnnotation");

  EXPECT_EQ(asked(seen, Intent::ScaleDown).why,
            "FleetPolicy fleet is frozen since 2026-01-01T12:00:00Z: \"incident 7\"; take annotation "
            "capstan.dev/freeze off it");
  EXPECT_THAT(asked(frozen("x"), Intent::ScaleDown).why, HasSubstr("is frozen: \"x\""));
}

TEST(FleetFreeze, NeedsNoReason) { EXPECT_FALSE(asked(frozen(""), Intent::ScaleDown).open); }

TEST(FleetFreeze, IsOffWhenItSaysFalseAndOnAPolicyThatDoesNotCount) {
  EXPECT_TRUE(asked(a_fleet_policy(), Intent::ScaleDown).open);
  EXPECT_TRUE(asked(frozen("false"), Intent::ScaleDown).open);
  EXPECT_TRUE(asked(a_fleet_policy("other").annotated("capstan.dev/freeze", "x"), Intent::ScaleDown).open);
  EXPECT_TRUE(asked(frozen("x").deleting(), Intent::ScaleDown).open);
}

}  // namespace
}  // namespace capstan::controllers::safety
