// Whole turns of a MachineSet whose MachineDeployment moves Machines to another set, updated in place, while
// a cache is behind: the test plays the MachineDeployment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/safeguards.h"
#include "controllers/machineset/turn_fixture.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const kube::Resource kMachines = kube::resource_of<api::Machine>();

// Three Machines under a policy with updates in place.
void make_lone_set(MachineSetFixture& stage) {
  stage.make_surroundings();
  stage.make(
      builders::a_policy("care").selecting("team", "a").rollout({.in_place = api::PolicyInPlace()}).build());
  stage.make(builders::a_machine_deployment("md1").labelled("team", "a").replicas(3).build());
  stage.make(builders::a_machine_set().in_deployment("md1").labelled("team", "a").replicas(3).build());
  stage.start();
  ASSERT_THAT(stage.machines(), SizeIs(3));
}

// Beside another set of the MachineDeployment that its own controller leaves alone here.
void make_updated_set(MachineSetFixture& stage) {
  stage.make(
      builders::a_machine_set("ms2").in_deployment("md1").labelled("team", "a").replicas(1).paused().build());
  make_lone_set(stage);
}

void move_one_away(MachineSetFixture& stage) {
  auto owner = builders::controller_of("MachineSet", "ms2");
  owner.uid = api::Uid("uid-of-ms2");
  stage.patch(kMachines, stage.machine_names().front(),
              {{"metadata", {{"ownerReferences", json::array{api::to_json(owner)}}}}});
}

std::vector<std::string> going(MachineSetFixture& stage) {
  std::vector<std::string> names;
  for (const auto& machine : stage.machines())
    if (machine.metadata.deleting()) names.push_back(machine.metadata.name.str());
  return names;
}

// As another manager leaves it that led before this one: the size is seen, the Machine that has gone is not.
// Of those that are seen it is the last to go.
void lose_one_behind_its_back(MachineSetFixture& stage) {
  make_updated_set(stage);
  stage.patch(kMachines, stage.machine_names().front(),
              {{"metadata", {{"annotations", {{"capstan.dev/deletion-priority", "100"}}}}}});
  stage.settle();
  stage.delay_watch("Machine", 30s);
  move_one_away(stage);
  stage.scale(2);
  stage.settle(2min);
}

TEST(ExchangeTurns, AMachineThatHasMovedIsNotOneTooMany) {
  in_simulation([](MachineSetFixture& stage) {
    lose_one_behind_its_back(stage);

    EXPECT_THAT(going(stage), IsEmpty());
  });
}

TEST(ExchangeTurns, AMachineThatHasComeIsNotOneTooMany) {
  in_simulation([](MachineSetFixture& stage) {
    make_updated_set(stage);
    stage.delay_watch("MachineSet", 30s);
    stage.scale(4);
    auto come = stage.machines().front();
    come.metadata.name = "m4"_text;
    stage.make(come);
    stage.settle(2min);

    EXPECT_THAT(going(stage), IsEmpty());
    EXPECT_THAT(stage.machines(), SizeIs(4));
  });
}

#ifdef CAPSTAN_DEFECTS
TEST(ExchangeTurns, WithoutTheLookAnotherMachineGoesForTheOneThatHasMoved) {
  in_simulation([](MachineSetFixture& stage) {
    switch_off(Safeguard::LiveMoves);
    lose_one_behind_its_back(stage);
    switch_off(std::nullopt);

    EXPECT_THAT(going(stage), Not(IsEmpty()));
  });
}
#endif

TEST(ExchangeTurns, ARealSurplusGoes) {
  in_simulation([](MachineSetFixture& stage) {
    make_updated_set(stage);
    stage.scale(1);
    stage.settle(2min);

    EXPECT_THAT(going(stage), SizeIs(2));
  });
}

TEST(ExchangeTurns, ASurplusOfTheOnlySetIsRealWithoutALook) {
  in_simulation([](MachineSetFixture& stage) {
    make_lone_set(stage);
    stage.requests();
    stage.scale(1);
    stage.settle(2min);

    EXPECT_THAT(stage.requests(), Not(Contains("list machines")));
    EXPECT_THAT(going(stage), SizeIs(2));
  });
}

// Beside another set, does the MachineSet ask the server before it deletes two?
bool is_looked_at(MachineSetFixture& stage, const builders::MachineSetBuilder& other) {
  api::MachineSet set = builders::MachineSetBuilder(other).paused().build();
  set.status.replicas = 0;
  set.status.observed_generation = 1;
  stage.put(set);
  make_lone_set(stage);
  stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
              {{"metadata", {{"annotations", {{api::annotation::kRevision, "2"}}}}}});
  stage.requests();
  stage.scale(1);
  stage.settle(2min);
  EXPECT_THAT(going(stage), SizeIs(2));
  const auto requests = stage.requests();
  return std::ranges::find(requests, "list machines") != requests.end();
}

TEST(ExchangeTurns, ASurplusBesideASetThatWasReleasedIsLookedAt) {
  in_simulation([](MachineSetFixture& stage) {
    EXPECT_TRUE(is_looked_at(stage, builders::a_machine_set("ms2").replicas(1)));
  });
}

TEST(ExchangeTurns, ASurplusBesideAnEarlierSetThatIsEmptyIsReal) {
  in_simulation([](MachineSetFixture& stage) {
    EXPECT_FALSE(
        is_looked_at(stage, builders::a_machine_set("ms2").in_deployment("md1").replicas(0).revision("1")));
  });
}

TEST(ExchangeTurns, ASurplusBesideALaterSetThatIsEmptyIsLookedAt) {
  in_simulation([](MachineSetFixture& stage) {
    EXPECT_TRUE(
        is_looked_at(stage, builders::a_machine_set("ms2").in_deployment("md1").replicas(0).revision("3")));
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
