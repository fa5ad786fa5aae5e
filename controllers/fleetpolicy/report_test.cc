#include "controllers/fleetpolicy/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/fleetpolicy/seen_fixture.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using builders::a_fleet_policy;
using builders::noon;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

std::string shown(const Seen& world, std::string_view type) {
  const api::FleetPolicy after = report(world.seen(), world.plan());
  const auto found = api::conditions::find(after.status.conditions, type);
  if (found == nullptr) return "absent";
  return found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}

TEST(FleetReport, SaysThatItCountsAndThatNoneWaits) {
  const Seen world = seen_by(a_fleet_policy().limits(1)).with(asking("a"));

  EXPECT_EQ(shown(world, "Applied"), "True Applied: ");
  EXPECT_EQ(shown(world, "Limiting"), "False NoneWaits: ");
  EXPECT_EQ(shown(world, "Frozen"), "False NotFrozen: ");
  EXPECT_EQ(report(world.seen(), world.plan()).status.in_flight, 1);
}

TEST(FleetReport, OfASecondPolicySaysThatItIsIgnored) {
  const Seen world = seen_by(a_fleet_policy("other").limits(1)).with(asking("a"));

  EXPECT_THAT(shown(world, "Applied"), HasSubstr("False Ignored: the FleetPolicy of a management cluster is "
                                                 "called fleet, this one is ignored"));
  EXPECT_EQ(shown(world, "Limiting"), "absent");
  EXPECT_THAT(report(world.seen(), world.plan()).status.grants, IsEmpty());
}

TEST(FleetReport, NamesTheMachineThatWaitsLongestAndItsLimit) {
  const Seen world = seen_by(a_fleet_policy().limits(0)).with(asking("a", 60s)).with(asking("b"));

  EXPECT_EQ(shown(world, "Limiting"),
            "True LimitReached: 2 deletions wait, the longest Machine default/a (ScaleIn, since "
            "2026-01-01T11:59:00Z): spec.limits[0] (0 within 10m0s in all Clusters) allows none");
}

TEST(FleetReport, NamesALimitThatMeansNothing) {
  const Seen world = seen_by(a_fleet_policy().limits(IntOrString("many"_text), 600s)).with(asking("a"));

  EXPECT_THAT(shown(world, "Limiting"),
              HasSubstr("True InvalidLimit: spec.limits[0].max: Invalid value: \"many\": must be a number"));
}

// Bad input: windows that never open.
TEST(FleetReport, NamesTheWindowsThatNeverOpen) {
  const Seen world = seen_by(a_fleet_policy()).where([](Observation& seen) {
    seen.windows.list = {{.problem = "spec.windows[0].cron: \"0 2 30 2 *\" never comes"}};
  });

  EXPECT_THAT(shown(world, "WindowsUnderstood"),
              AllOf(HasSubstr("False NotUnderstood"), HasSubstr("spec.windows[0].cron")));
  EXPECT_EQ(shown(seen_by(a_fleet_policy()), "WindowsUnderstood"), "absent");
}

TEST(FleetReport, SaysThatTheFleetIsFrozenAndWhatOpensIt) {
  const Seen world = seen_by(a_fleet_policy()).where([](Observation& seen) { seen.frozen = "incident 7"; });

  EXPECT_EQ(
      shown(world, "Frozen"),
      "True FrozenByAnnotation: no Machine of any Cluster is made or deleted, but by a user: \"incident "
      "7\"; take annotation capstan.dev/freeze off");
  const Seen silent = seen_by(a_fleet_policy()).where([](Observation& seen) { seen.frozen = ""; });
  EXPECT_THAT(shown(silent, "Frozen"), testing::HasSubstr("but by a user; take annotation"));
}

}  // namespace
}  // namespace capstan::controllers::fleetpolicy
