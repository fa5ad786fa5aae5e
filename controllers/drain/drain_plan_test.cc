#include "controllers/drain/drain_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/drain/drain_message.h"
#include "controllers/drain/pods_fixture.h"

namespace capstan::controllers::drain {
namespace {

using builders::noon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Rules = std::vector<runtime::Snapshot<api::MachineDrainRule>>;

struct DrainPods {
  std::vector<api::Pod> pods = {};
  Rules rules = {};
  DrainAnswers answers = {};
  Time now = noon();
  bool unreachable = false;
  api::Labels labels = {{"pool", "blue"}};
  api::Labels cluster = {{"stage", "test"}};
  std::vector<DrainRule> compiled = {};

  DrainPlan plan() {
    compiled = rules_for({.machine = labels, .cluster = cluster}, rules).value();
    return drain_plan(
        {.now = now, .unreachable = unreachable, .pods = pods, .rules = compiled, .answers = answers});
  }
  std::vector<std::string> contradictions() {
    compiled = rules_for({.machine = labels, .cluster = cluster}, rules).value();
    std::vector<std::string> lines;
    for (auto& each :
         drain::contradictions({.now = now, .pods = pods, .rules = compiled, .answers = answers}))
      lines.push_back(each.line);
    return lines;
  }
};

std::vector<std::string> names(const DrainPlan::Pods& pods) {
  std::vector<std::string> list;
  for (const auto* pod : pods) list.push_back(pod->metadata.name.str());
  return list;
}

bool has_nothing_to_do(const DrainPlan& plan) {
  return plan.evict.empty() && plan.terminating.empty() && plan.overdue.empty() &&
         plan.wait_completed.empty() && plan.evict_later.empty() && plan.wait_later.empty();
}

// --- who goes at all ---

TEST(DrainPlan, EvictsOrdinaryPodsByName) {
  DrainPods world{.pods = {a_pod("b"), a_pod("a").of("ReplicaSet", "r")}};

  EXPECT_THAT(names(world.plan().evict), ElementsAre("a", "b"));
}

TEST(DrainPlan, HasNothingToDoWithoutPods) { EXPECT_TRUE(has_nothing_to_do(DrainPods().plan())); }

TEST(DrainPlan, LeavesPodsOfLivingDaemonSets) {
  DrainPods world{.pods = {a_pod("a").of("DaemonSet", "d")}};
  world.answers.living_daemon_sets.insert({"default", "d"});

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.skipped), ElementsAre("a"));
  EXPECT_TRUE(has_nothing_to_do(plan));
}

TEST(DrainPlan, EvictsPodsWhoseDaemonSetIsGone) {
  DrainPods world{.pods = {a_pod("a").of("DaemonSet", "d")}};

  EXPECT_THAT(names(world.plan().evict), ElementsAre("a"));
}

TEST(DrainPlan, EvictsFinishedPodsOfDaemonSets) {
  DrainPods world{.pods = {a_pod("a").of("DaemonSet", "d").phase("Failed")}};
  world.answers.living_daemon_sets.insert({"default", "d"});

  EXPECT_THAT(names(world.plan().evict), ElementsAre("a"));
}

TEST(DrainPlan, LeavesStaticPods) {
  DrainPods world{.pods = {a_pod("a").mirror()}};

  EXPECT_THAT(names(world.plan().skipped), ElementsAre("a"));
}

TEST(DrainPlan, ReadsTheDrainLabelGenerously) {
  DrainPods world{.pods = {a_pod("a").drain_label("Skip"), a_pod("b").drain_label("wait-completed"),
                           a_pod("c").drain_label("WaitCompleted"), a_pod("d").drain_label("whatever")}};

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.skipped), ElementsAre("a"));
  EXPECT_THAT(names(plan.wait_completed), ElementsAre("b", "c"));
  EXPECT_THAT(names(plan.evict), ElementsAre("d"));
}

TEST(DrainPlan, PrefersTheLabelOverRules) {
  DrainPods world{.pods = {a_pod("a").drain_label("skip")}};
  world.rules = {a_rule("r").does("Drain").shared()};

  EXPECT_THAT(names(world.plan().skipped), ElementsAre("a"));
}

TEST(DrainPlan, NeverAsksRulesAboutDaemonSetsAndStaticPods) {
  DrainPods world{.pods = {a_pod("a").of("DaemonSet", "d"), a_pod("b").mirror()}};
  world.answers.living_daemon_sets.insert({"default", "d"});
  world.rules = {a_rule("r").does("WaitCompleted").shared()};

  EXPECT_THAT(names(world.plan().skipped), ElementsAre("a", "b"));
}

// --- rules ---

TEST(DrainRules, TheFirstByNameThatMatchesCounts) {
  DrainPods world{.pods = {a_pod("a").labelled("app", "db")}};
  world.rules = {a_rule("z").does("Drain").shared(),
                 a_rule("b").does("WaitCompleted").for_pods("app", "db").shared(),
                 a_rule("a").does("Skip").for_pods("app", "web").shared()};

  EXPECT_THAT(names(world.plan().wait_completed), ElementsAre("a"));
}

TEST(DrainRules, OfOtherMachinesAndClustersDoNotCount) {
  DrainPods world{.pods = {a_pod("a")}};
  world.rules = {a_rule("a").does("Skip").for_machines("pool", "red").shared(),
                 a_rule("b").does("Skip").for_clusters("stage", "live").shared()};
  EXPECT_THAT(names(world.plan().evict), ElementsAre("a"));

  world.rules.push_back(a_rule("c").does("Skip").for_machines("pool", "blue").shared());
  EXPECT_THAT(names(world.plan().skipped), ElementsAre("a"));
}

TEST(DrainRules, SelectByLabelsOfTheNamespace) {
  DrainPods world{.pods = {a_pod("a"), a_pod("b").in_namespace("kube-system")}};
  world.rules = {a_rule("r").does("Skip").for_namespaces("kind", "system").shared()};
  world.answers.namespaces = {{"default", {}}, {"kube-system", {{"kind", "system"}}}};

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.skipped), ElementsAre("b"));
  EXPECT_THAT(questions_about(world.pods, world.compiled).namespaces, ElementsAre("default", "kube-system"));
}

TEST(DrainRules, AskForNoNamespacesWithoutNeed) {
  DrainPods world{
      .pods = {a_pod("a").of("DaemonSet", "d"), a_pod("b").of("DaemonSet", "e").phase("Succeeded")}};
  world.rules = {a_rule("r").for_pods("app", "db").shared()};
  world.plan();

  const auto questions = questions_about(world.pods, world.compiled);

  EXPECT_THAT(questions.namespaces, IsEmpty());
  EXPECT_THAT(questions.daemon_sets, ElementsAre(api::ObjectKey{"default", "d"}));
}

TEST(DrainRules, OneThatCannotBeReadStopsEveryDrain) {
  auto broken = a_rule("r").for_machines("pool", "red").for_pods("a", "b").build();
  auto pods = std::vector<api::DrainRulePods>(broken.spec.pods.begin(), broken.spec.pods.end());
  pods[0].selector->match_expressions = {{.key = Text("x"), .operator_ = Text("Like")}};
  broken.spec.pods = api::List<api::DrainRulePods>(std::move(pods));
  const Rules rules = {std::make_shared<const api::MachineDrainRule>(broken)};
  const api::Labels none;

  const auto compiled = rules_for({.machine = none, .cluster = none}, rules);

  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, Code::Invalid);
  EXPECT_THAT(compiled.error().message, HasSubstr("MachineDrainRule r spec.pods[0].selector"));
}

// --- order ---

DrainPods ordered() {
  DrainPods world{.pods = {a_pod("late").labelled("app", "late"), a_pod("normal"),
                           a_pod("early").labelled("app", "early")}};
  world.rules = {a_rule("early").order(-5).for_pods("app", "early").shared(),
                 a_rule("late").order(5).for_pods("app", "late").shared()};
  return world;
}

TEST(DrainPlan, EvictsTheLowestOrderOnly) {
  DrainPods world = ordered();

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.evict), ElementsAre("early"));
  EXPECT_THAT(names(plan.evict_later), ElementsAre("late", "normal"));
}

TEST(DrainPlan, WaitsForTerminatingPodsOfTheLowestOrder) {
  DrainPods world = ordered();
  world.pods[2].metadata.deletion_timestamp = noon();

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.terminating), ElementsAre("early"));
  EXPECT_THAT(plan.evict, IsEmpty());
}

TEST(DrainPlan, LetsWaitedForPodsBlockHigherOrders) {
  DrainPods world = ordered();
  world.pods = {world.pods[0], a_pod("job").drain_label("wait-completed").phase("Succeeded")};

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.wait_completed), ElementsAre("job"));
  EXPECT_THAT(names(plan.evict_later), ElementsAre("late"));
}

TEST(DrainPlan, WaitsLaterWhenALowerOrderIsThere) {
  DrainPods world = ordered();
  world.pods = {world.pods[2], a_pod("job").drain_label("wait-completed")};

  const auto plan = world.plan();

  EXPECT_THAT(names(plan.evict), ElementsAre("early"));
  EXPECT_THAT(names(plan.wait_later), ElementsAre("job"));
}

TEST(DrainPlan, GivesWaitCompletedNoOrder) {
  DrainPods world{.pods = {a_pod("a")}};
  world.rules = {a_rule("r").does("WaitCompleted").order(9).for_pods("x", "y").shared()};
  world.plan();

  EXPECT_EQ(world.compiled[0].order, 0);
}

// --- Pods on their way out ---

TEST(DrainPlan, GivesUpPodsThatNobodyCanEnd) {
  DrainPods world{.pods = {a_pod("a").deleting(noon())}, .now = noon() + Seconds(2), .unreachable = true};
  EXPECT_THAT(names(world.plan().skipped), ElementsAre("a"));

  world.now = noon() + Seconds(1);
  EXPECT_THAT(names(world.plan().terminating), ElementsAre("a"));

  world.now = noon() + Seconds(2);
  world.unreachable = false;
  EXPECT_THAT(names(world.plan().terminating), ElementsAre("a"));
}

TEST(DrainPlan, NoticesPodsThatIgnoreTheirGracePeriod) {
  DrainPods world{.pods = {a_pod("a").deleting(noon())}, .now = noon() + kGraceSlack};
  const auto patient = world.plan();
  EXPECT_THAT(names(patient.terminating), ElementsAre("a"));
  EXPECT_EQ(next_by_time(patient, false), noon() + kGraceSlack + Seconds(1));

  world.now = noon() + kGraceSlack + Seconds(1);

  EXPECT_THAT(names(world.plan().overdue), ElementsAre("a"));
  EXPECT_FALSE(next_by_time(world.plan(), false));
}

TEST(DrainPlan, IsLookedAtAgainAsSoonAsAPodMayBeGivenUp) {
  DrainPods world{.pods = {a_pod("a").deleting(noon() + Seconds(10))}, .unreachable = true};
  const auto plan = world.plan();
  const auto when = next_by_time(plan, true);

  ASSERT_TRUE(when);
  world.now = *when;

  EXPECT_THAT(names(world.plan().skipped), ElementsAre("a"));
  EXPECT_EQ(*when, noon() + Seconds(12));
}

// --- contradictions ---

TEST(Contradictions, AreTheRulesThatWantDifferentThingsOfOnePod) {
  DrainPods world{.pods = {a_pod("p"), a_pod("q"), a_pod("r").labelled("app", "db")}};
  world.rules = {a_rule("all").order(1).shared(), a_rule("db").does("Skip").for_pods("app", "db").shared(),
                 a_rule("every").order(2).shared()};

  const auto found = world.contradictions();

  EXPECT_THAT(found,
              ElementsAre("MachineDrainRules all (Drain, order 1) and db (Skip), every (Drain, order 2) "
                          "contradict each other about Pod default/r: all counts, its name comes first; "
                          "change spec.pods so that only one of them matches, or delete one",
                          HasSubstr("all (Drain, order 1) and every (Drain, order 2) contradict each "
                                    "other about Pods default/p, default/q: all counts")));
}

TEST(Contradictions, AreNoneWhereRulesAgreeOrDoNotMeet) {
  DrainPods world{.pods = {a_pod("p").labelled("app", "db"), a_pod("q").labelled("app", "web")}};
  world.rules = {a_rule("a").order(0).for_pods("app", "db").shared(),
                 a_rule("b").for_pods("app", "db").shared(),
                 a_rule("c").does("Skip").for_pods("app", "web").shared(),
                 a_rule("d").does("Skip").for_machines("pool", "red").shared()};

  EXPECT_THAT(world.contradictions(), IsEmpty());
}

TEST(Contradictions, DoNotConcernPodsThatRulesAreNotAskedAbout) {
  DrainPods world{.pods = {a_pod("a").mirror(), a_pod("b").drain_label("skip")}};
  world.rules = {a_rule("x").does("Skip").shared(), a_rule("y").does("WaitCompleted").shared()};

  EXPECT_THAT(world.contradictions(), IsEmpty());
}

// --- words ---

TEST(DrainMessage, IsWordedAsUpstreamDoes) {
  const DrainProgress progress{
      .started = noon(),
      .terminating = {"ns/a"},
      .failed = {{"Cannot evict pod as it would violate the pod's disruption budget. The disruption budget b "
                  "needs 1 healthy pods and has 1 currently",
                  {"ns/b", "ns/c", "ns/d", "ns/e", "ns/f"}},
                 {"connection refused", {"ns/g"}}},
      .wait_completed = {"ns/h"},
      .evict_later = {"ns/i", "ns/j", "ns/k", "ns/l"},
      .wait_later = {"ns/m"}};

  EXPECT_EQ(
      drain_message(progress),
      "Drain not completed yet (started at 2026-01-01T12:00:00Z):\n"
      "* Pod ns/a: deletionTimestamp set, but still not removed from the Node\n"
      "* Pods ns/b, ns/c, ns/d, ... (2 more): cannot evict pod as it would violate the pod's disruption "
      "budget. The disruption budget b needs 1 healthy pods and has 1 currently\n"
      "* Pod ns/g: failed to evict Pod, connection refused\n"
      "* Pod ns/h: waiting for completion\n"
      "After above Pods have been removed from the Node, the following Pods will be evicted: ns/i, ns/j, "
      "ns/k, ... (1 more)\n"
      "After above Pods have been removed from the Node, waiting for the following Pods to complete without "
      "eviction: ns/m");
}

TEST(DrainMessage, SumsUpWhatGoesBeyondFiveFailures) {
  DrainProgress progress{.started = noon()};
  for (const char* why : {"1", "2", "3", "4", "5", "6"}) progress.failed[why] = {"ns/a"};
  EXPECT_THAT(drain_message(progress), HasSubstr("5\n* 1 Pod with other issues"));

  progress.failed["7"] = {"ns/b", "ns/c"};
  EXPECT_THAT(drain_message(progress), HasSubstr("5\n* 3 Pods with other issues"));
}

TEST(DrainMessage, NamesPodsThatIgnoreTheirGracePeriod) {
  EXPECT_THAT(
      drain_message({.started = noon(), .overdue = {"ns/a", "ns/b"}}),
      HasSubstr("* Pods ns/a, ns/b: deletionTimestamp set, but still not removed from the Node although the "
                "grace period is over"));
}

}  // namespace
}  // namespace capstan::controllers::drain
