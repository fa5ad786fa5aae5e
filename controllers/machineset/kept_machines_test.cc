#include "controllers/machineset/kept_machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machineset/seen_fixture.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/node.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_node;
using builders::MachineBuilder;
using builders::noon;

constexpr std::string_view kPreserve = "capstan.dev/preserve";

MachineBuilder failed(std::string_view name) {
  return a_machine(name).running().condition("capstan.dev/Lifecycle", "False", "Failed");
}
MachineBuilder preserved(std::string_view name) {
  return failed(name).annotated("capstan.dev/preserve-until", (noon() + Seconds(60)).to_string());
}
bool keeps(const Seen& world) {
  const auto kept = kept_machines(world.seen());
  return kept.has(*world.seen().machines.front());
}

TEST(KeptMachines, AreThoseThatFailedAndArePreservedUntilTheirTimeIsOver) {
  const Seen world = a_world().with(preserved("a"));

  EXPECT_TRUE(keeps(world));
  EXPECT_EQ(kept_machines(world.seen()).recheck, Seconds(60));
  EXPECT_FALSE(keeps(a_world().with(failed("a"))));
  EXPECT_FALSE(keeps(
      a_world().with(preserved("a")).where([](Observation& seen) { seen.now = noon() + Seconds(60); })));
}

TEST(KeptMachines, AreThoseOfWhichTheNodeSaysSo) {
  const auto node = [](std::string_view wish) {
    return [=](Observation& seen) { seen.nodes[0] = a_node("a").annotated(kPreserve, wish).shared(); };
  };

  EXPECT_TRUE(keeps(a_world().with(failed("a")).where(node("when-failed"))));
  EXPECT_FALSE(keeps(a_world().with(failed("a").annotated(kPreserve, "now")).where(node("false"))));
}

TEST(KeptMachines, AreThoseThatThePolicyIsAboutToMark) {
  EXPECT_TRUE(keeps(a_world().with(failed("a")).where([](Observation& seen) {
    seen.about_to_be_preserved = {seen.machines[0]->metadata.uid};
  })));
}

// The deployment sizes its old sets in the turn in which it writes its revision, and may be seen before that.
TEST(RolledAway, IsASetWhoseDeploymentHasAnotherTemplate) {
  const auto rolled_away = [](bool paused, std::string_view version) {
    const Seen world = a_world().where([&](Observation& seen) {
      api::MachineDeployment deployment = a_machine_deployment("d").build();
      deployment.spec.machine_template = seen.set.spec.machine_template;
      deployment.spec.machine_template.spec.version = Text(version);
      deployment.spec.paused = paused;
      seen.deployment = std::make_shared<const api::MachineDeployment>(std::move(deployment));
    });
    return world.seen().is_rolled_away();
  };

  EXPECT_TRUE(rolled_away(false, "v9.0.0"));
  EXPECT_FALSE(rolled_away(true, "v9.0.0"));
}

TEST(KeptMachines, AreNoneOfASetThatIsRolledAway) {
  EXPECT_FALSE(keeps(a_world().with(preserved("a")).where([](Observation& seen) {
    seen.deployment =
        a_machine_deployment("d").annotated("machinedeployment.clusters.x-k8s.io/revision", "2").shared();
  })));
}

}  // namespace
}  // namespace capstan::controllers::machineset
