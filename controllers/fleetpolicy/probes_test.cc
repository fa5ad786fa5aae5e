#include "controllers/fleetpolicy/probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/fleetpolicy/seen_fixture.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Two places, of which one was given before.
Plan two_granted_and_three_waiting() {
  return seen_by(builders::a_fleet_policy().limits(2).granted("a", builders::noon()))
      .with(granted("a"))
      .with(asking("b"))
      .with(asking("c"))
      .with(asking("d"))
      .with(asking("e"))
      .plan();
}

TEST(Probes, ShowHowManyDeletionsWaitAndHowManyWereGranted) {
  Metrics metrics;
  const Probes probes(&metrics);

  probes.show(two_granted_and_three_waiting());

  EXPECT_THAT(metrics.text(), AllOf(HasSubstr("capstan_fleet_deletions_waiting 3"),
                                    HasSubstr("capstan_fleet_deletions_in_flight 2")));
}

// As of a FleetPolicy that is deleted.
TEST(Probes, ShowNoneOfAnEmptyPlan) {
  Metrics metrics;
  const Probes probes(&metrics);
  probes.show(two_granted_and_three_waiting());

  probes.show(Plan());

  EXPECT_THAT(metrics.text(), AllOf(HasSubstr("capstan_fleet_deletions_waiting 0"),
                                    HasSubstr("capstan_fleet_deletions_in_flight 0")));
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
