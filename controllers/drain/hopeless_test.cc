#include "controllers/drain/hopeless.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/drain/drain_world_fixture.h"

namespace capstan::controllers::drain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

api::PodDisruptionBudget budget(std::int32_t expected = 3) {
  api::PodDisruptionBudget made;
  made.metadata.namespace_ = "default"_text;
  made.metadata.name = "b"_text;
  made.metadata.generation = 1;
  made.status = {.observed_generation = 1, .expected_pods = expected};
  return made;
}
std::string of_max_unavailable(IntOrString limit, std::int32_t expected = 3) {
  auto made = budget(expected);
  made.spec.max_unavailable = std::move(limit);
  return why_never(made);
}
std::string of_min_available(IntOrString limit, std::int32_t expected = 3) {
  auto made = budget(expected);
  made.spec.min_available = std::move(limit);
  return why_never(made);
}

TEST(HopelessBudgets, LetNothingBeUnavailable) {
  EXPECT_EQ(of_max_unavailable(IntOrString(0)),
            "PodDisruptionBudget default/b never allows an eviction, spec.maxUnavailable is 0: raise it, or "
            "delete the budget while the Node is drained");
  EXPECT_THAT(of_max_unavailable(IntOrString("0%"_text)), HasSubstr("spec.maxUnavailable is 0%"));
  EXPECT_EQ(of_max_unavailable(IntOrString("1%"_text)), "") << "a share is rounded up";
  EXPECT_EQ(of_max_unavailable(IntOrString(1), 0), "");
}

TEST(HopelessBudgets, WantAllThePodsThereAre) {
  EXPECT_EQ(of_min_available(IntOrString(3)),
            "PodDisruptionBudget default/b never allows an eviction, spec.minAvailable is 3 and 3 Pods are "
            "expected: lower it, run more replicas, or delete the budget while the Node is drained");
  EXPECT_THAT(of_min_available(IntOrString("100%"_text)), HasSubstr("spec.minAvailable is 100%"));
  EXPECT_THAT(of_min_available(IntOrString("50%"_text), 1), HasSubstr("1 Pod is expected"));
  EXPECT_EQ(of_min_available(IntOrString(2)), "");
}

TEST(HopelessBudgets, AreNotThoseWhosePodsWereNotCountedYet) {
  auto made = budget();
  made.spec.min_available = IntOrString(3);
  made.metadata.generation = 2;

  EXPECT_EQ(why_never(made), "");
  EXPECT_EQ(of_min_available(IntOrString(1), 0), "");
  EXPECT_EQ(why_never(budget()), "") << "neither limit is given";
}

// --- in the message of a drain ---

// Its second report: by then the budgets are watched.
std::string told(DrainWorld& world) {
  world.turn();
  world.hear(2);  // Pods, budgets
  return world.turn().message;
}

TEST(HopelessBudgets, AreNamedWithTheRemedyWhereAPolicyIsThere) {
  DrainWorld world;
  world.explain_budgets = true;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");

  EXPECT_THAT(told(world), HasSubstr("\n* PodDisruptionBudget default/b never allows an eviction, "
                                     "spec.maxUnavailable is 0: raise it"));
}

TEST(HopelessBudgets, AreUpstreamsWordsAloneWithoutAPolicy) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");

  EXPECT_THAT(told(world), Not(HasSubstr("never allows")));
}

TEST(HopelessBudgets, OverOnePodAreNamedByEachOther) {
  DrainWorld world;
  world.explain_budgets = true;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("a", "x", R"("maxUnavailable":1)");
  world.budget("b", "x", R"("maxUnavailable":1)");

  EXPECT_THAT(told(world), HasSubstr("(a, b: leave one of them)"));
}

}  // namespace
}  // namespace capstan::controllers::drain
