#include <gtest/gtest.h>

#include "controllers/shared/node_writes.h"
#include "test/builders/node.h"
#include "test/fakes/fake_clock.h"

namespace capstan::controllers {
namespace {

using namespace std::chrono_literals;

const kube::ObjectKey kWriter{.namespace_ = "default", .name = "mp1"};

// A pool on spot instances: a Node comes every second for hours, each is written once and goes again.
TEST(NodesWritten, StayFewHoweverManyNodesAPoolHasHad) {
  fakes::FakeClock clock;
  NodeWrites writes(clock);
  std::size_t most = 0;

  for (std::uint64_t node = 1; node <= 10'000; ++node) {
    writes.wrote(kWriter, api::Uid("node " + std::to_string(node)), api::ResourceVersion(node));
    clock.advance(1s);
    most = std::max(most, writes.size());
  }

  EXPECT_LE(most, 62U) << "those of a minute";
}

TEST(NodesWritten, AreRememberedUntilTheCacheHasCaughtUp) {
  fakes::FakeClock clock;
  NodeWrites writes(clock);
  api::Node node = builders::a_node("n1").build();
  node.metadata.resource_version = api::ResourceVersion(7);
  writes.wrote(kWriter, node.metadata.uid, api::ResourceVersion(9));

  const bool behind = writes.is_behind(kWriter, node);
  node.metadata.resource_version = api::ResourceVersion(9);
  const bool caught_up = !writes.is_behind(kWriter, node);

  EXPECT_TRUE(behind);
  EXPECT_TRUE(caught_up);
  EXPECT_EQ(writes.size(), 0U);
}

}  // namespace
}  // namespace capstan::controllers
