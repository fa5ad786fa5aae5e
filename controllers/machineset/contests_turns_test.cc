// Whole turns while another writer sets a label of ours to something else, second after second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machineset/turn_fixture.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Writes of that sort in a minute in which a user relabels the object each second.
std::size_t writes_in_a_minute(MachineSetFixture& stage, const kube::Resource& resource,
                               std::string_view what) {
  stage.writes.clear();
  const std::string name = stage.names_of(resource).at(0);
  for (int second = 0; second < 60; ++second) {
    stage.patch(resource, name, {{"metadata", {{"labels", {{"colour", "mine"}}}}}});
    stage.settle(1s);
  }
  return count_of(stage.writes, what);
}

TEST(Contests, OverALabelOfAMachineCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  in_simulation([](MachineSetFixture& stage) {
    const kube::Resource resource = kube::resource_of<api::Machine>();
    stage.make_surroundings();
    stage.make(builders::a_machine_set().replicas(1).template_label("colour", "blue").build());
    stage.start();
    stage.settle();

    const auto first = writes_in_a_minute(stage, resource, "patch Machine");
    const auto second = writes_in_a_minute(stage, resource, "patch Machine");
    const std::string told = stage.says("Contested");
    stage.scale(2);
    stage.settle(10s);

    EXPECT_GE(first, 1U);
    EXPECT_LE(first, 5U);
    EXPECT_LE(second, 2U);
    EXPECT_THAT(told, HasSubstr("True OverwrittenByAnother: * metadata.labels[colour] of " + resource.kind));
    EXPECT_THAT(told, HasSubstr("by kubectl"));
    EXPECT_EQ(stage.machine_names().size(), 2U) << "a size never waits";
  });
}

// Its successor has the same name, and a Machine of its own that no other writer has touched.
TEST(Contests, OfAMachineSetThatIsGoneAreNotToldOnItsSuccessor) {
  in_simulation([](MachineSetFixture& stage) {
    const kube::Resource sets = kube::resource_of<api::MachineSet>();
    const auto set = builders::a_machine_set().replicas(1).template_label("colour", "blue").build();
    stage.make_surroundings();
    stage.make(set);
    stage.start();
    stage.settle();
    writes_in_a_minute(stage, kube::resource_of<api::Machine>(), "patch Machine");
    const std::string told = stage.says("Contested");

    stage.remove(sets, "ms1");
    stage.settle();
    stage.let_go_of_deleted();
    stage.settle();
    const auto left = stage.names_of(sets);
    stage.make(set);
    stage.settle();

    EXPECT_THAT(told, HasSubstr("True OverwrittenByAnother"));
    EXPECT_TRUE(left.empty());
    EXPECT_EQ(stage.machine_names().size(), 1U);
    EXPECT_EQ(stage.says("Contested"), "absent");
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
