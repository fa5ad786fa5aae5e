#include "controllers/drain/lists_by_cluster.h"

#include <gtest/gtest.h>

#include "test/fakes/fake_clock.h"

namespace capstan::controllers::drain {
namespace {

using namespace std::chrono_literals;

const api::ObjectKey kOne{.namespace_ = "default", .name = "one"};
const api::ObjectKey kOther{.namespace_ = "default", .name = "other"};

struct Known {
  fakes::FakeClock clock;
  SystemThreads threads;
  ListsByCluster lists{clock, threads};
};

TEST(ListsByCluster, AreTheSameForAllDrainsOfACluster) {
  Known known;

  EXPECT_EQ(known.lists.of(kOne), known.lists.of(kOne));
  EXPECT_NE(known.lists.of(kOne), known.lists.of(kOther));
}

TEST(ListsByCluster, AreKeptBetweenTwoMachinesOfARollout) {
  Known known;
  const std::weak_ptr<ClusterLists> first = known.lists.of(kOne);

  known.clock.advance(9min);

  EXPECT_EQ(known.lists.of(kOne), first.lock());
}

TEST(ListsByCluster, AreDroppedOnceNoneHasGoneForLong) {
  Known known;
  const std::weak_ptr<ClusterLists> first = known.lists.of(kOne);

  known.clock.advance(11min);
  known.lists.of(kOther);

  EXPECT_TRUE(first.expired());
  EXPECT_EQ(known.lists.size(), 1);
}

TEST(ListsByCluster, AreNeverTakenFromADrainThatHoldsThem) {
  Known known;
  const auto held = known.lists.of(kOne);

  known.clock.advance(24h);

  EXPECT_EQ(known.lists.of(kOne), held);
}

}  // namespace
}  // namespace capstan::controllers::drain
