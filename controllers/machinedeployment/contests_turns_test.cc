// Whole turns while another writer sets a label of ours to something else, second after second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinedeployment/turn_fixture.h"

namespace capstan::controllers::machinedeployment {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Contests, OverALabelOfAMachineSetCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  at_rest([](MachineDeploymentFixture& stage) {
    const std::string set = stage.sets().at(0).metadata.name.str();
    const auto writes_in_a_minute = [&] {
      stage.writes.clear();
      for (int second = 0; second < 60; ++second) {
        stage.edit<api::MachineSet>(set,
                                    R"({"metadata":{"labels":{"cluster.x-k8s.io/deployment-name":"mine"}}})");
        stage.settle(1s);
      }
      return std::ranges::count(stage.writes, "patch MachineSet");
    };

    const auto first = writes_in_a_minute();
    const auto second = writes_in_a_minute();
    const std::string told = stage.says("Contested");
    stage.edit(R"({"spec":{"replicas":5}})");
    stage.settle(10s);

    EXPECT_GE(first, 2);
    EXPECT_LE(first, 5);
    EXPECT_LE(second, 2);
    EXPECT_THAT(told,
                HasSubstr("True OverwrittenByAnother: * metadata.labels[cluster.x-k8s.io/deployment-name] of "
                          "MachineSet default/" +
                          set));
    EXPECT_EQ(stage.sizes().at(0), 5) << "a size never waits";
  });
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
