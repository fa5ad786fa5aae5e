#include <gmock/gmock.h>

#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/seen_fixture.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(PlanOfAHealthCheck, IsPrintedWithFromAndTo) {
  const auto plan = decide(*Seen().healthy("a").sick("b"));

  EXPECT_THAT(describe(plan),
              ElementsAre(StartsWith("own the check: "),
                          "hand over Machine b: HealthCheckSucceeded: none -> False(NodeDeleted), "
                          "OwnerRemediated: none -> False(WaitingForRemediation)",
                          "mark Machine a: HealthCheckSucceeded: none -> True(HealthCheckSucceeded)"));
}

TEST(PlanOfAHealthCheck, IsThatOfAnotherOneWhereTheyDoTheSame) {
  const Seen seen = Seen().healthy("a");

  EXPECT_EQ(decide(*seen), decide(*seen));
  EXPECT_NE(decide(*seen), decide(*Seen().sick("a")));
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
