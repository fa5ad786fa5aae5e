#include "controllers/drain/drainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "controllers/drain/drain_world_fixture.h"
#include "controllers/drain/pods_fixture.h"
#include "kubeconfig/gated_client.h"

namespace capstan::controllers::drain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kNodeVolume =
    R"("volumesAttached":[{"name":"kubernetes.io/csi/disk^h","devicePath":""}])";

bool is_cordoned(DrainWorld& world) {
  const auto node = world.node();
  const auto* unschedulable = node.at("spec").as_object().if_contains("unschedulable");
  return unschedulable != nullptr && unschedulable->as_bool();
}

std::size_t evictions_at_once(const DrainWorld& world) {
  return static_cast<std::size_t>(std::ranges::count_if(world.client.writes(), [](const auto& request) {
    return request.is("evict") && request.deletion.grace_period_seconds.has_value();
  }));
}

Error refused_by(const std::string& budget) {
  return {
      .code = Code::RateLimited,
      .message = "Cannot evict pod as it would violate the pod's disruption budget.",
      .reason = "TooManyRequests",
      .causes = {{.reason = "DisruptionBudget", .message = "The disruption budget " + budget + " needs"}}};
}

// --- the simple ways ---

TEST(Drainer, FinishesAtOnceOnANodeWithoutPods) {
  DrainWorld world;

  EXPECT_TRUE(world.turn().done);
  EXPECT_TRUE(is_cordoned(world));
}

TEST(Drainer, EvictsAndFinishesWhenThePodIsGone) {
  DrainWorld world;
  world.pod({.name = "p"});

  const auto first = world.turn();

  EXPECT_FALSE(first.done) << "it has only just been told to go";
  EXPECT_THAT(first.message, HasSubstr("* Pod default/p: deletionTimestamp set, but still not removed"));
  EXPECT_TRUE(world.finish().done);
}

TEST(Drainer, WaitsForPodsThatTakeTheirTime) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});
  world.turn();

  EXPECT_FALSE(world.turn().done);
  world.gone("p");

  EXPECT_TRUE(world.finish().done);
  EXPECT_EQ(world.client.count("evict p"), 1);
}

TEST(Drainer, IsFinishedWhenTheNodeIsGone) {
  DrainWorld world;
  world.clusters.remove_node({"default", "c1"}, "n");
  ASSERT_TRUE(world.memory.remove({.version = "v1", .plural = "nodes", .kind = "Node", .namespaced = false},
                                  {.name = "n"}, {}, Deadline::never()));

  EXPECT_TRUE(world.turn().done);
}

TEST(Drainer, AsksWhetherANodeTheCacheDoesNotHaveIsReallyGone) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});
  world.clusters.remove_node({"default", "c1"}, "n");

  EXPECT_FALSE(world.turn().done);
}

// --- cordon ---

TEST(Drainer, CordonsOnceAndLeavesItsName) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});

  world.turn();

  const auto node = world.node();
  EXPECT_EQ(node.at("metadata").at("annotations").at("capstan.dev/cordoned-by"), "default/m");
}

TEST(Drainer, LeavesTheCordonOfAUserAlone) {
  DrainWorld world;
  world.set_node(builders::a_node("n").cordoned());

  EXPECT_TRUE(world.turn().done);

  EXPECT_EQ(world.client.count("patch nodes"), 0);
}

TEST(Drainer, EvictsNothingFromANodeItCannotCordon) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.client.refuse("patch nodes", {.code = Code::Forbidden, .message = "may not patch nodes"});

  const auto report = world.turn();

  ASSERT_TRUE(report.trouble);
  EXPECT_THAT(report.trouble->message, HasSubstr("may not patch nodes"));
  EXPECT_EQ(world.client.count("evict"), 0);
}

// --- budgets ---

TEST(Drainer, NamesThePodAndTheBudgetThatHoldItUp) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("minAvailable":1)");

  const auto report = world.turn();

  EXPECT_FALSE(report.done);
  EXPECT_EQ(
      report.message,
      "Drain not completed yet (started at 2026-01-01T00:00:00Z):\n"
      "* Pod default/p: cannot evict pod as it would violate the pod's disruption budget. The disruption "
      "budget b needs 1 healthy pods and has 1 currently");
}

TEST(Drainer, CountsEvictionsByTheirResult) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.pod({.name = "free"});
  world.budget("b", "x", R"("minAvailable":1)");

  (void)world.turn();

  EXPECT_THAT(
      world.metrics.text(),
      testing::AllOf(testing::HasSubstr("capstan_drain_evictions_total{result=\"accepted\"} 1"),
                     testing::HasSubstr("capstan_drain_evictions_total{result=\"refused_by_budget\"} 1"),
                     testing::HasSubstr("capstan_drain_evictions_total{result=\"failed\"} 0")));
}

TEST(Drainer, TakesOneAtATimeWhenTheBudgetAllowsOne) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.pod({.name = "q", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("minAvailable":1)");

  const auto report = world.turn();

  EXPECT_FALSE(world.has_pod("p"));
  EXPECT_TRUE(world.has_pod("q"));
  EXPECT_THAT(report.message, HasSubstr("* Pod default/q: cannot evict pod as it would violate"));
}

TEST(Drainer, TakesHalfWhenTheBudgetAllowsHalf) {
  DrainWorld world;
  for (const char* name : {"p", "q", "r", "s"}) world.pod({.name = name, .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("minAvailable":"50%")");

  world.turn();

  const int left = world.has_pod("p") + world.has_pod("q") + world.has_pod("r") + world.has_pod("s");
  EXPECT_EQ(left, 2);
}

TEST(Drainer, GoesOnWithPodsBehindOneThatIsHeldUp) {
  DrainWorld world;
  world.pod({.name = "a", .labels = {{"app", "x"}}});
  world.pod({.name = "b"});
  world.budget("b", "x", R"("maxUnavailable":0)");

  world.turn();

  EXPECT_TRUE(world.has_pod("a"));
  EXPECT_FALSE(world.has_pod("b"));
}

TEST(Drainer, ComesBackAtOnceWhenTheBudgetOpens) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("minAvailable":1)");
  world.turn();

  world.make(
      "v1/pods",
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"q","labels":{"app":"x"}},
                "spec":{"nodeName":"elsewhere","terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"i"}]},
                "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  world.settle();

  EXPECT_TRUE(world.finish().done);
  EXPECT_EQ(world.client.count("evict p"), 2);
}

// Between two turns the budget opens, another eviction takes it, and it opens again: the version tells.
TEST(Drainer, ComesBackAtOnceWhenABudgetThatRefusedWhileItSeemedOpenHasChanged) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}, .grace = 30});
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.turn();
  world.hear(2);
  world.client.refuse("evict p", refused_by("b"));
  world.relax("b", R"({"spec":{"maxUnavailable":1}})");
  world.hear(2);
  world.turn();
  ASSERT_EQ(world.client.count("evict p"), 2) << "it looked open, but was not";
  world.turn();
  ASSERT_EQ(world.client.count("evict p"), 2) << "nothing new";

  world.client.allow();
  world.relax("b", R"({"metadata":{"labels":{"something":"new"}}})");
  world.hear(1);
  world.turn();

  EXPECT_EQ(world.client.count("evict p"), 3);
}

TEST(Drainer, AsksForOnePodWhenABudgetOpensForOne) {
  DrainWorld world;
  for (const char* name : {"p", "q", "r"}) world.pod({.name = name, .labels = {{"app", "x"}}, .grace = 30});
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.turn();
  world.hear(2);
  ASSERT_EQ(world.client.count("evict"), 3);

  world.relax("b", R"({"spec":{"maxUnavailable":1}})");
  world.hear(2);
  world.turn();

  EXPECT_EQ(world.client.count("evict"), 4);
}

TEST(Drainer, ShowsTheNumbersTheBudgetHasByNowAndNotMoreOftenThanEveryTenSeconds) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("minAvailable":3)");
  world.turn();
  world.hear(2);
  world.turn();
  world.pod({.name = "q", .labels = {{"app", "x"}}, .node = "elsewhere"});
  world.settle();
  world.hear(1);

  const auto early = world.turn();
  EXPECT_THAT(early.message, HasSubstr("needs 3 healthy pods and has 1 currently"));
  EXPECT_EQ(early.recheck, Seconds(10));
  world.pass(early.recheck);

  EXPECT_THAT(world.turn().message, HasSubstr("needs 3 healthy pods and has 2 currently"));
  EXPECT_EQ(world.client.count("evict p"), 1);
}

TEST(Drainer, NamesTheBudgetsOfAPodThatHasTooMany) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("minAvailable":1)");
  world.budget("c", "x", R"("minAvailable":1)");
  world.turn();
  world.hear(2);

  for (int i = 0; i < 3; ++i) {
    const auto report = world.turn();
    EXPECT_TRUE(report.message.ends_with("does not support. (b, c: leave one of them)")) << report.message;
    world.pass(Seconds(11));
  }
}

TEST(Drainer, HasNotTakenPlaceWhenItWasCrowdedOut) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.client.refuse("evict p", {.code = Code::RateLimited,
                                  .message = "4 in flight",
                                  .retry_after = Seconds(1),
                                  .reason = std::string(kubeconfig::kCrowdedOut)});

  ASSERT_TRUE(world.turn().trouble);
  world.client.allow();

  EXPECT_TRUE(world.finish().done) << "nobody waits for a pause";
}

TEST(Drainer, WatchesNothingOnceItIsToldToStop) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});
  world.turn();
  world.hear(1);

  world.drainer->stop_watching({"default", "m"});
  const auto woken = world.woken.count();
  world.gone("p");

  EXPECT_EQ(world.woken.count(), woken);
  EXPECT_TRUE(world.turn().done);
}

TEST(Drainer, AsksABudgetThatAllowsNothingAtMostFortyTimesInTwoHours) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");

  for (int turns = 0; turns < 720; ++turns) {  // something wakes the Machine every ten seconds
    world.turn();
    world.pass(Seconds(10));
  }

  EXPECT_LE(world.client.count("evict p"), 40);
  EXPECT_GE(world.client.count("evict p"), 20);
  EXPECT_TRUE(world.has_pod("p"));
}

TEST(Drainer, StopsListingPodsOnceItWatchesThem) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.turn();
  world.hear(2);  // Pods and budgets, in either order
  world.turn();
  const int lists = world.client.count("list pods");

  for (int i = 0; i < 10; ++i) world.turn();

  EXPECT_EQ(world.client.count("list pods"), lists);
  EXPECT_EQ(world.client.count("list-stream pods"), 1);
}

TEST(Drainer, LooksAgainWhenTheNextEvictionIsDue) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");

  const auto report = world.turn();
  EXPECT_EQ(report.recheck, Seconds(20));

  world.pass(report.recheck);
  world.turn();
  EXPECT_EQ(world.client.count("evict p"), 2);
}

// --- other answers to an eviction ---

TEST(Drainer, DoesNotMindAPodThatIsGoneAlready) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.client.refuse("evict p", {.code = Code::NotFound, .message = "no such pod"});

  EXPECT_TRUE(world.turn().done);
}

TEST(Drainer, IsNotFinishedWhenAnotherPodHasTakenTheName) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.client.refuse("evict p", {.code = Code::Conflict, .message = "Precondition failed: UID"});

  const auto report = world.turn();

  EXPECT_FALSE(report.done);
  EXPECT_THAT(report.message, HasSubstr("* Pod default/p: failed to evict Pod, another Pod of that name"));
  world.client.allow();
  EXPECT_TRUE(world.finish().done);
}

TEST(Drainer, TellsOtherErrorsAndGoesOn) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.pod({.name = "q"});
  world.client.refuse("evict p", {.code = Code::Internal, .message = "webhook says no"});

  const auto report = world.turn();

  EXPECT_FALSE(report.trouble);
  EXPECT_THAT(report.message, HasSubstr("* Pod default/p: failed to evict Pod, webhook says no"));
  EXPECT_FALSE(world.has_pod("q"));
}

TEST(Drainer, DoesNotSleepOnARetryAfter) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.pod({.name = "q"});
  world.client.refuse("evict p", {.code = Code::RateLimited,
                                  .message = "Too many requests",
                                  .retry_after = std::chrono::seconds(10),
                                  .reason = "TooManyRequests"});

  const auto report = world.turn();

  EXPECT_THAT(report.message, HasSubstr("* Pod default/p: failed to evict Pod, Too many requests"));
  EXPECT_FALSE(world.has_pod("q"));
}

TEST(Drainer, LeavesTheRestOfALongRoundForTheNext) {
  DrainWorld world;
  for (const char* name : {"p", "q", "r"}) world.pod({.name = name});
  world.client.before = [&](const fakes::RecordedRequest& request) -> std::optional<Error> {
    if (request.is("evict")) world.pass(Seconds(6));
    return std::nullopt;
  };

  const auto report = world.turn();

  EXPECT_EQ(world.client.count("evict"), 2);
  EXPECT_THAT(
      report.message,
      HasSubstr("* Pod default/r: failed to evict Pod, eviction timeout of 10s reached, eviction will be "
                "retried"));
  world.client.before = {};
  EXPECT_TRUE(world.finish().done);
}

TEST(Drainer, ReadsANodeAnewThatChangedSinceItWasCached) {
  DrainWorld world;
  auto stale = builders::a_node("n").version_number(1);
  world.set_node(stale);

  EXPECT_TRUE(world.turn().done);

  EXPECT_TRUE(is_cordoned(world));
}

TEST(Drainer, KeepsTheOldAnswerWhileItPauses) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");
  const auto first = world.turn();
  world.pass(Seconds(5));

  EXPECT_EQ(world.turn().message, first.message);
  EXPECT_EQ(world.client.count("evict p"), 1);
}

// --- what others have to do ---

TEST(Drainer, WaitsForPodsThatShallComplete) {
  DrainWorld world;
  world.pod({.name = "job", .labels = {{"cluster.x-k8s.io/drain", "wait-completed"}}});

  const auto report = world.turn();
  EXPECT_THAT(report.message, HasSubstr("* Pod default/job: waiting for completion"));
  EXPECT_EQ(world.client.count("evict"), 0);

  world.gone("job");
  EXPECT_TRUE(world.finish().done);
}

TEST(Drainer, GoesThroughTheOrdersOneByOne) {
  DrainWorld world;
  world.pod({.name = "db", .labels = {{"app", "db"}}});
  world.pod({.name = "web", .labels = {{"app", "web"}}});
  world.rules = {a_rule("db").order(10).for_pods("app", "db").shared()};

  const auto report = world.turn();
  EXPECT_FALSE(world.has_pod("web"));
  EXPECT_TRUE(world.has_pod("db"));
  EXPECT_THAT(report.message,
              HasSubstr("After above Pods have been removed from the Node, the following Pods will be "
                        "evicted: default/db"));

  EXPECT_TRUE(world.finish().done);
}

TEST(Drainer, LeavesPodsOfDaemonSetsAndAsksForThemOnce) {
  DrainWorld world;
  world.daemon_set("d");
  world.pod({.name = "agent", .daemon_set = "d"});
  world.pod({.name = "p", .grace = 30});
  world.turn();
  world.gone("p");

  EXPECT_TRUE(world.finish().done);

  EXPECT_TRUE(world.has_pod("agent"));
  EXPECT_EQ(world.client.count("get daemonsets"), 1);
}

TEST(Drainer, EvictsNothingWhenADaemonSetCannotBeAskedFor) {
  DrainWorld world;
  world.daemon_set("d");
  world.pod({.name = "agent", .daemon_set = "d"});
  world.client.refuse("get daemonsets", {.code = Code::Unavailable, .message = "no answer"});

  EXPECT_TRUE(world.turn().trouble);
  EXPECT_TRUE(world.has_pod("agent"));
}

TEST(Drainer, AsksForLabelsOfNamespacesWhenRulesNeedThem) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.rules = {a_rule("r").does("Skip").for_namespaces("kubernetes.io/metadata.name", "default").shared()};

  EXPECT_TRUE(world.turn().done);
  EXPECT_TRUE(world.has_pod("p"));
}

TEST(Drainer, StopsOverARuleThatCannotBeRead) {
  DrainWorld world;
  world.pod({.name = "p"});
  world.rules = {a_rule("r").does("Later").shared()};

  const auto trouble = world.turn().trouble;

  ASSERT_TRUE(trouble);
  EXPECT_THAT(
      trouble->message,
      HasSubstr("MachineDrainRule r spec.drain.behavior: unknown value \"Later\"; correct the rule or "
                "delete it, until then no Node of a Machine in namespace default is drained"));
  EXPECT_TRUE(world.has_pod("p"));
}

TEST(Drainer, DoesNotWaitForAKubeletThatIsNotThere) {
  DrainWorld world;
  world.set_node(builders::a_node("n").unreachable());
  world.pod({.name = "p", .grace = 30});

  EXPECT_FALSE(world.turn().done);
  EXPECT_EQ(evictions_at_once(world), 1U);

  world.pass(Seconds(5));
  EXPECT_TRUE(world.finish().done) << "nobody can end it";
  EXPECT_TRUE(world.has_pod("p"));
}

TEST(Drainer, TellsWhenAPodIgnoresItsGracePeriod) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 10});
  const auto report = world.turn();
  EXPECT_THAT(report.message, Not(HasSubstr("grace period")));

  world.pass(Seconds(60));

  EXPECT_THAT(world.turn().message,
              HasSubstr("* Pod default/p: deletionTimestamp set, but still not removed from the "
                        "Node although the grace period is over"));
}

// --- connection and memory ---

TEST(Drainer, WatchesThroughTheNewConnectionAfterALoss) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});
  world.turn();
  ASSERT_TRUE(world.awake());
  world.turn();

  world.clusters.connect({"default", "c1"}, &world.client);
  world.turn();
  world.gone("p");

  EXPECT_TRUE(world.finish().done);
}

TEST(Drainer, RemembersNothingOfAMachineThatIsGone) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});
  world.turn();
  EXPECT_EQ(world.drainer->size(), 1u);

  world.drainer->forget({"default", "m"});

  EXPECT_EQ(world.drainer->size(), 0u);
}

// A Node that is not empty for weeks, with Pods that come and go as they tolerate the cordon.
TEST(Drainer, RemembersOnlyPodsThatAreThere) {
  DrainWorld world;
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.pod({.name = "stays", .labels = {{"app", "x"}}});

  for (int i = 0; i < 20; ++i) {
    const std::string name = "p" + std::to_string(i);
    const std::string agent = "agent" + std::to_string(i);
    world.daemon_set(agent);
    world.pod({.name = name, .labels = {{"app", "x"}}});
    world.pod({.name = agent, .daemon_set = agent});
    world.drainer->stop_watching({"default", "m"});  // so that each turn lists
    world.turn();
    world.gone(name);
    world.gone(agent);
    world.pass(Seconds(20));
  }
  world.drainer->stop_watching({"default", "m"});
  world.turn();

  EXPECT_LE(world.drainer->remembered({"default", "m"}), 1U);
}

TEST(Drainer, WakesNobodyOnceItRests) {
  DrainWorld world;
  world.pod({.name = "p", .grace = 30});
  world.turn();
  ASSERT_TRUE(world.awake()) << "its watch has begun";

  world.drainer->stop();
  const auto woken = world.woken.count();
  world.gone("p");

  EXPECT_EQ(world.drainer->size(), 0U);
  EXPECT_EQ(world.woken.count(), woken);
}

TEST(Drainer, LosesOnlyPausesWhenItsMemoryIsLost) {
  DrainWorld world;
  world.pod({.name = "p", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");
  const auto before = world.turn();

  world.drainer->forget({"default", "m"});
  world.pass(Seconds(1));

  EXPECT_EQ(world.turn().message, before.message);
}

// --- volumes ---

TEST(DrainerVolumes, NeedTwoRequestsWhenNothingIsAttached) {
  DrainWorld world;
  ASSERT_TRUE(world.turn().done);

  EXPECT_TRUE(world.volumes().done);

  EXPECT_EQ(world.client.count("list volumeattachments"), 1);
  EXPECT_EQ(world.client.count("list persistentvolumes"), 0);
}

void attach_disk(DrainWorld& world) {
  world.make(
      "v1/persistentvolumes",
      R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"capacity":{"storage":"1Gi"},
                "accessModes":["ReadWriteOnce"],"csi":{"driver":"disk","volumeHandle":"h"},
                "claimRef":{"kind":"PersistentVolumeClaim","namespace":"default","name":"data"}}})");
  world.make("storage.k8s.io/v1/volumeattachments",
             R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":"va"},
                "spec":{"attacher":"disk","nodeName":"n","source":{"persistentVolumeName":"pv"}},"status":{"attached":true}})");
}

TEST(DrainerVolumes, AreWaitedForByName) {
  DrainWorld world;
  attach_disk(world);
  world.turn();

  const auto report = world.volumes();

  EXPECT_FALSE(report.done);
  EXPECT_EQ(report.message,
            "Waiting for Node volumes to be detached (started at 2026-01-01T00:00:00Z)\n"
            "* PersistentVolumeClaims: default/data");
  EXPECT_EQ(report.recheck, Seconds(20));
}

TEST(DrainerVolumes, OfPodsThatStayAreNotWaitedFor) {
  DrainWorld world;
  attach_disk(world);
  world.pod({.name = "p", .labels = {{"cluster.x-k8s.io/drain", "skip"}}, .claim = "data"});
  ASSERT_TRUE(world.turn().done);

  EXPECT_TRUE(world.volumes().done);
}

TEST(DrainerVolumes, AreReadFromTheNodeItself) {
  DrainWorld world;
  const auto status = boost::json::parse("{\"status\":{" + std::string(kNodeVolume) + "}}");
  ASSERT_TRUE(world.memory.patch({.version = "v1", .plural = "nodes", .kind = "Node", .namespaced = false},
                                 {.name = "n"}, status, {.subresource = "status"}, Deadline::never()));

  EXPECT_THAT(world.volumes().message,
              HasSubstr("* Node with .status.volumesAttached entries not matching a PersistentVolume: "
                        "kubernetes.io/csi/disk^h"));
  ASSERT_TRUE(world.turn().done);
  EXPECT_FALSE(world.volumes().done) << "also from the answer to the cordon";
}

TEST(DrainerVolumes, OfAnUnreachableNodeAreNotWaitedFor) {
  DrainWorld world;
  attach_disk(world);
  world.set_node(builders::a_node("n").unreachable());

  EXPECT_TRUE(world.volumes().done);
}

TEST(DrainerVolumes, ThatCannotBeListedAreTrouble) {
  DrainWorld world;
  world.client.refuse("list volumeattachments", {.code = Code::Forbidden, .message = "no"});

  EXPECT_TRUE(world.volumes().trouble);
}

}  // namespace
}  // namespace capstan::controllers::drain
