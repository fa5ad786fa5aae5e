// A pool that never came to own its provider's objects still waits for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinepool/turn_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using namespace std::chrono_literals;

// Its objects are told to go before the pool could own them.
TEST(Unowned, ObjectsThatGoWakeThePoolThatRefersToThem) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.connect();
    stage.patch(kClusters, "c1", {{"spec", {{"paused", true}}}});
    stage.make_pool();
    for (const auto& kind : {kBoxPools, kConfigs}) {
      stage.patch(kind, kPool, {{"metadata", {{"finalizers", json::array{"provider.example.com/it"}}}}});
    }
    stage.start();
    stage.remove(kPools, kPool);
    for (const auto& kind : {kBoxPools, kConfigs}) stage.remove(kind, kPool);
    stage.settle();

    stage.patch(kClusters, "c1", {{"spec", {{"paused", false}}}});
    stage.settle();
    const bool waited = stage.exists(kPools, kPool);
    stage.patch(kBoxPools, kPool, {{"metadata", {{"finalizers", nullptr}}}});
    stage.settle(3s);
    stage.patch(kConfigs, kPool, {{"metadata", {{"finalizers", nullptr}}}});
    stage.settle(3s);

    EXPECT_TRUE(waited);
    EXPECT_FALSE(stage.exists(kPools, kPool)) << stage.shown("Deleting");
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
