#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/cluster/decide.h"
#include "controllers/cluster/report.h"
#include "test/builders/cluster.h"

namespace capstan::controllers::cluster {
namespace {

Observation seen(api::Cluster cluster) {
  return {.now = Time::from_unix(1'800'000'000),
          .cluster = std::make_shared<const api::Cluster>(std::move(cluster))};
}

TEST(Decide, LeavesAnOrdinaryClusterUnpaused) {
  const auto plan = decide(seen(builders::a_cluster("c")));

  EXPECT_FALSE(plan.paused);
  EXPECT_EQ(plan.why, "");
}

TEST(Decide, NamesBothWaysToPause) {
  api::Cluster cluster = builders::a_cluster("c").held().paused();

  const auto plan = decide(seen(cluster));

  EXPECT_TRUE(plan.paused);
  EXPECT_EQ(plan.why,
            "Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation");
}

TEST(Report, SaysSinceWhenTheClusterIsPaused) {
  const auto world = seen(builders::a_cluster("c").held());

  const auto after = report(world, decide(world));

  const auto* paused = api::conditions::find(after.status.conditions, "Paused");
  ASSERT_NE(paused, nullptr);
  EXPECT_EQ(paused->status.view(), "True");
  EXPECT_EQ(paused->last_transition_time, world.now);
}

TEST(Report, ChangesNothingTheSecondTime) {
  const auto world = seen(builders::a_cluster("c").held());
  const auto once = seen(report(world, decide(world)));

  const auto twice = report(once, decide(once));

  EXPECT_EQ(twice, *once.cluster);
}

}  // namespace
}  // namespace capstan::controllers::cluster
