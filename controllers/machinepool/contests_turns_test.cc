// Whole turns while another writer sets a label of ours to something else, second after second.
#include <gtest/gtest.h>

#include "controllers/machinepool/turn_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using namespace std::chrono_literals;

std::ptrdiff_t writes_in_a_contested_minute(MachinePoolFixture& stage) {
  (void)stage.requests();
  for (int second = 0; second < 60; ++second) {
    stage.patch(kBoxPools, kPool, {{"metadata", {{"labels", {{"cluster.x-k8s.io/cluster-name", "mine"}}}}}});
    stage.settle(1s);
  }
  return std::ranges::count(stage.requests(), "patch boxpools mp1");
}

TEST(Contests, OverTheLabelOfAPoolsObjectCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.connect();
    stage.make_pool();
    stage.start();
    stage.settle();

    const auto first = writes_in_a_contested_minute(stage);
    const auto second = writes_in_a_contested_minute(stage);

    EXPECT_GE(first, 1);
    EXPECT_LE(first, 5);
    EXPECT_LE(second, 2);
    EXPECT_EQ(stage.shown("Contested"), "True OverwrittenByAnother");
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
