#include <gtest/gtest.h>

#include "controllers/machinepool/act.h"
#include "test/builders/node.h"
#include "test/fakes/fake_clock.h"

namespace capstan::controllers::machinepool {
namespace {

using namespace std::chrono_literals;

const kube::ObjectKey kPoolKey{.namespace_ = "default", .name = "mp1"};

// A pool on spot instances: a Node comes every second for hours, each is written once and goes again.
TEST(NodeWrites, StayFewHoweverManyNodesAPoolHasHad) {
  fakes::FakeClock clock;
  NodeWrites writes(clock);
  std::size_t most = 0;

  for (std::uint64_t node = 1; node <= 10'000; ++node) {
    writes.wrote(kPoolKey, api::Uid("node " + std::to_string(node)), api::ResourceVersion(node));
    clock.advance(1s);
    most = std::max(most, writes.size());
  }

  EXPECT_LE(most, 62U) << "those of a minute";
}

TEST(NodeWrites, AreRememberedUntilTheCacheHasCaughtUp) {
  fakes::FakeClock clock;
  NodeWrites writes(clock);
  api::Node node = builders::a_node("n1").build();
  node.metadata.resource_version = api::ResourceVersion(7);
  writes.wrote(kPoolKey, node.metadata.uid, api::ResourceVersion(9));

  const bool behind = writes.is_behind(kPoolKey, node);
  node.metadata.resource_version = api::ResourceVersion(9);
  const bool caught_up = !writes.is_behind(kPoolKey, node);

  EXPECT_TRUE(behind);
  EXPECT_TRUE(caught_up);
  EXPECT_EQ(writes.size(), 0U);
}

}  // namespace
}  // namespace capstan::controllers::machinepool
