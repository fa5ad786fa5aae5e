#include "controllers/drain/force.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/safeguards.h"
#include "controllers/drain/drain_world_fixture.h"
#include "controllers/drain/pods_fixture.h"
#include "kube/resources.h"
#include "test/builders/machine.h"

namespace capstan::controllers::drain {
namespace {

using builders::a_node;
using builders::noon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// --- when ---

TEST(NodeTroubles, AreAReadyThatIsNotTrueAndAReadonlyFilesystem) {
  EXPECT_FALSE(trouble_of(a_node("n")));
  EXPECT_FALSE(trouble_of(a_node("n").condition("ReadonlyFilesystem", "False")));
  EXPECT_EQ(trouble_of(a_node("n").condition("Ready", "Unknown"))->what,
            "Ready is Unknown since 2026-01-01T12:00:00Z");
  EXPECT_EQ(trouble_of(a_node("n").condition("ReadonlyFilesystem", "True"))->what,
            "ReadonlyFilesystem is True since 2026-01-01T12:00:00Z");
}

TEST(NodeTroubles, CountFromTheOneThatBeganFirst) {
  const auto both = a_node("n")
                        .condition("Ready", "False", {}, noon() + Seconds(60))
                        .condition("ReadonlyFilesystem", "True", {}, noon());

  EXPECT_EQ(trouble_of(both)->since, noon());
}

TEST(ForceBegins, AfterTheNodesTimeAndNotFromBeforeTheClusterWasReached) {
  const NodeTrouble trouble{.what = "Ready is False", .since = noon()};
  const ForceRules rules{.not_ready_for = Seconds(300), .reached_since = noon() + Seconds(-3600)};

  EXPECT_EQ(force_begins(trouble, rules), noon() + Seconds(300));
  EXPECT_EQ(force_begins(trouble, {.not_ready_for = Seconds(300), .reached_since = noon() + Seconds(60)}),
            noon() + Seconds(360));
}

TEST(ForceBegins, NeverWithoutTroubleAPolicyOrContact) {
  const NodeTrouble trouble{.what = "Ready is False", .since = noon()};

  EXPECT_FALSE(force_begins({}, {.not_ready_for = Seconds(300), .reached_since = noon()}));
  EXPECT_FALSE(force_begins(trouble, {.reached_since = noon()}));
  EXPECT_FALSE(force_begins(trouble, {.not_ready_for = Seconds(300)}));
}

// --- which ---

TEST(ToBeDeleted, AreAllOfTheNodeThatDoNotStay) {
  const auto of_node = [](std::string_view name, std::string_view node) {
    return a_pod(name).with([&](api::Pod& pod) { pod.spec.node_name = Text(node); }).build();
  };
  const api::Pod first = of_node("first", "n");
  const api::Pod later = of_node("later", "n");
  const api::Pod stays = of_node("stays", "n");
  const api::Pod another = of_node("another", "n2");

  const auto pods =
      to_be_deleted({.skipped = {&stays}, .evict = {&first, &another}, .wait_later = {&later}}, "n");

  EXPECT_THAT(pods, ElementsAre(&first, &later));
}

// --- the round ---

Time now(const DrainWorld& world) { return Time::from(world.clock.now()); }

int deletions(const DrainWorld& world) { return world.client.count("delete pods"); }

DrainWorld& by_force(DrainWorld& world) {
  world.node_says("Ready", "True", now(world));
  world.force.why = "label capstan.dev/force-deletion";
  return world;
}

TEST(ForcedDrain, DeletesPodsWhateverTheirBudgetsSayAndIsDone) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}, .grace = 3600});
  world.pod({.name = "job", .labels = {{"cluster.x-k8s.io/drain", "wait-completed"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");

  const auto report = by_force(world).turn();

  EXPECT_TRUE(report.done);
  ASSERT_TRUE(report.by_force);
  EXPECT_EQ(report.by_force->why, "label capstan.dev/force-deletion");
  EXPECT_THAT(report.by_force->pods, ElementsAre("default/p", "default/job"));
  EXPECT_FALSE(world.has_pod("p"));
  EXPECT_FALSE(world.has_pod("job"));
  EXPECT_EQ(world.client.count("evict"), 0);
}

TEST(ForcedDrain, SaysByUidAndWithoutGraceWhatItDeletes) {
  DrainWorld world;
  world.pod({.name = "p"});

  by_force(world).turn();

  for (const auto& request : world.client.writes()) {
    if (!request.is("delete pods")) continue;
    EXPECT_EQ(request.deletion.grace_period_seconds, 0);
    EXPECT_NE(request.deletion.uid, "");
  }
  EXPECT_EQ(deletions(world), 1);
}

TEST(ForcedDrain, LeavesPodsThatStayAndThoseOfOtherNodes) {
  DrainWorld world;
  world.daemon_set("agent");
  world.pod({.name = "agent", .daemon_set = "agent"});
  world.pod({.name = "skipped", .labels = {{"cluster.x-k8s.io/drain", "skip"}}});
  world.pod({.name = "another", .node = "n2"});

  EXPECT_TRUE(by_force(world).turn().done);

  EXPECT_EQ(deletions(world), 0);
}

// A StatefulSet's Pod went with the Node's kubelet, and has come again under its name elsewhere.
void comes_again_elsewhere(DrainWorld& world) {
  world.client.before = [&world](const fakes::RecordedRequest& request) -> std::optional<Error> {
    if (!request.is("delete pods web-0")) return {};
    world.gone("web-0");
    world.pod({.name = "web-0", .node = "n2"});
    return {};
  };
}

TEST(ForcedDrain, LeavesThePodThatHasComeAgainElsewhereMeanwhile) {
  DrainWorld world;
  world.pod({.name = "web-0"});
  comes_again_elsewhere(world);

  by_force(world).turn();

  EXPECT_TRUE(world.has_pod("web-0"));
}

TEST(ForcedDrain, IsTroubleWhileAPodCannotBeDeletedAndDeletesTheOthers) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.pod({.name = "q"});
  world.client.refuse("delete pods p", {.code = Code::Forbidden, .message = "no"});

  const auto report = by_force(world).turn();

  EXPECT_FALSE(report.done);
  ASSERT_TRUE(report.trouble);
  EXPECT_THAT(report.trouble->message, HasSubstr("default/p"));
  EXPECT_FALSE(world.has_pod("q"));
}

TEST(ForcedDrain, TouchesNothingOfANodeThatHasTakenTheName) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.force.why = "label capstan.dev/force-deletion";
  world.set_node(a_node("n"));  // of another uid than the server's

  EXPECT_TRUE(world.turn().trouble);

  EXPECT_TRUE(world.has_pod("p"));
}

// --- a Node that is not ready ---

DrainWorld& after_five_minutes(DrainWorld& world) {
  world.force = {.not_ready_for = Seconds(300), .reached_since = now(world) + Seconds(-3600)};
  return world;
}

TEST(ForcedDrain, OfANodeThatWasNotReadyForLongEnough) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.node_says("Ready", "False", now(world) + Seconds(-290));

  const auto before = after_five_minutes(world).turn();
  world.pass(Seconds(10));
  const auto after = world.turn();

  EXPECT_FALSE(before.done);
  EXPECT_LE(before.recheck, Seconds(10)) << "it looks again when the time is over";
  ASSERT_TRUE(after.by_force);
  EXPECT_THAT(after.by_force->why, HasSubstr("Ready is False since"));
  EXPECT_FALSE(world.has_pod("p"));
}

// Its budget lets no Pod go; the cache alone says that the Node is not ready.
void falls_silent_in_the_cache(DrainWorld& world) {
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.node_says("Ready", "False", now(world) + Seconds(-600));
  const auto cached = world.clusters.get({"default", "c1"}).value()->nodes().get({.name = "n"});
  world.node_says("Ready", "True", now(world));
  world.set_node(*cached);
}

TEST(ForcedDrain, NotOfANodeThatTheServerSaysIsReady) {
  DrainWorld world;
  falls_silent_in_the_cache(world);

  EXPECT_FALSE(after_five_minutes(world).turn().done);

  EXPECT_TRUE(world.has_pod("p"));
}

#ifdef CAPSTAN_DEFECTS
TEST(ForcedDrain, WithoutItsSafeguardBelievesTheCacheThatANodeIsNotReady) {
  DrainWorld world;
  falls_silent_in_the_cache(world);

  switch_off(Safeguard::LiveNotReady);
  after_five_minutes(world).turn();
  switch_off(std::nullopt);

  EXPECT_FALSE(world.has_pod("p"));
}

TEST(ForcedDrain, WithoutItsSafeguardTakesThePodOfAnotherNode) {
  DrainWorld world;
  world.pod({.name = "web-0"});
  comes_again_elsewhere(world);

  switch_off(Safeguard::ForcedPods);
  by_force(world).turn();
  switch_off(std::nullopt);

  EXPECT_FALSE(world.has_pod("web-0"));
}
#endif

}  // namespace
}  // namespace capstan::controllers::drain
