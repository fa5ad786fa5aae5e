#include "controllers/machine/drain/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "controllers/machine/drain/cordon.h"
#include "controllers/machine/drain/drain_message.h"
#include "controllers/machine/drain/pods_fixture.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using builders::noon;

std::vector<runtime::Snapshot<api::PodDisruptionBudget>> budget(api::PodDisruptionBudgetStatus status,
                                                                std::int64_t generation = 1) {
  api::PodDisruptionBudget made{.metadata = builders::metadata_of("PodDisruptionBudget", "b")};
  made.metadata.generation = generation;
  made.spec.selector = api::LabelSelector{.match_labels = {{"app", "x"}}};
  made.status = status;
  return {std::make_shared<const api::PodDisruptionBudget>(made)};
}

api::Pod covered() { return a_pod("p").labelled("app", "x").ready(); }

// --- budgets ---

TEST(SeemsEvictable, WithoutABudgetOverIt) {
  EXPECT_TRUE(seems_evictable(covered(), {}));
  EXPECT_TRUE(seems_evictable(a_pod("p").labelled("app", "y").ready(), budget({.observed_generation = 1})));
  EXPECT_TRUE(seems_evictable(a_pod("p").in_namespace("other").labelled("app", "x").ready(),
                              budget({.observed_generation = 1})));
}

TEST(SeemsEvictable, WhenTheBudgetHasSomethingLeft) {
  EXPECT_TRUE(seems_evictable(covered(), budget({.observed_generation = 1, .disruptions_allowed = 1})));
  EXPECT_FALSE(seems_evictable(covered(), budget({.observed_generation = 1, .disruptions_allowed = 0})));
}

TEST(SeemsEvictable, NotWhileTheBudgetIsNotCounted) {
  EXPECT_FALSE(seems_evictable(covered(), budget({.observed_generation = 1, .disruptions_allowed = 1}, 2)));
}

TEST(SeemsEvictable, WhenItIsNotReadyAndTheOthersSuffice) {
  const api::Pod sick = a_pod("p").labelled("app", "x");
  EXPECT_TRUE(
      seems_evictable(sick, budget({.observed_generation = 1, .current_healthy = 2, .desired_healthy = 2})));
  EXPECT_FALSE(
      seems_evictable(sick, budget({.observed_generation = 1, .current_healthy = 1, .desired_healthy = 2})));
}

TEST(SeemsEvictable, WhenItHasEnded) {
  EXPECT_TRUE(seems_evictable(a_pod("p").labelled("app", "x").phase("Succeeded"), budget({})));
}

TEST(SeemsEvictable, NotUnderTwoBudgets) {
  auto two = budget({.observed_generation = 1, .disruptions_allowed = 1});
  two.push_back(two.front());

  EXPECT_FALSE(seems_evictable(covered(), two));
}

// --- when ---

TEST(NextEviction, IsNowForAPodThatWasNeverTried) { EXPECT_EQ(next_eviction({.started = noon()}), noon()); }

TEST(NextEviction, ComesAfterALongerPauseTheLongerTheDrainLasts) {
  const Attempt early{.at = noon() + Seconds(20), .failure = "no"};
  EXPECT_EQ(next_eviction({.last = &early, .started = noon()}), noon() + Seconds(40));

  const Attempt late{.at = noon() + Seconds(600), .failure = "no"};
  EXPECT_EQ(next_eviction({.last = &late, .started = noon()}), noon() + Seconds(800));
}

TEST(NextEviction, ComesAtOnceWhenABudgetOpens) {
  Attempt last{.at = noon() + Seconds(600), .failure = "no"};
  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .hopeful = true}), last.at);

  last.hopeful = true;
  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .hopeful = true}), noon() + Seconds(800))
      << "it was open already, and the API server refused";
}

TEST(NextEviction, IsNotRepeatedAtOnceWhenItWasAccepted) {
  const Attempt last{.at = noon(), .accepted = true};

  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .hopeful = true}), noon() + Seconds(20));
}

// --- answers ---

TEST(EvictionAnswers, GoneIsGoneAndAnotherPodOfThatNameIsNot) {
  EXPECT_EQ(answer_of({.code = Code::NotFound}), EvictionAnswer::Gone);
  EXPECT_EQ(answer_of({.code = Code::Conflict}), EvictionAnswer::Replaced);
  EXPECT_EQ(answer_of({.code = Code::Internal}), EvictionAnswer::Failed);
}

TEST(EvictionAnswers, NameTheBudget) {
  const Error error{.code = Code::RateLimited,
                    .message = "Cannot evict pod as it would violate the pod's disruption budget.",
                    .causes = {{.reason = "DisruptionBudget", .message = "budget b needs 1"},
                               {.reason = "DisruptionBudget", .message = "and more"}}};

  EXPECT_TRUE(is_budget_refusal(error));
  EXPECT_EQ(failure_of(error),
            "Cannot evict pod as it would violate the pod's disruption budget. budget b needs 1,and more");
}

TEST(EvictionAnswers, TellAnOverloadedServerFromABudget) {
  const Error error{.code = Code::RateLimited, .message = "too many requests"};

  EXPECT_FALSE(is_budget_refusal(error));
  EXPECT_EQ(failure_of(error), "too many requests");
}

TEST(EvictionAnswers, ExplainATerminatingNamespace) {
  const Error error{
      .code = Code::Forbidden, .message = "forbidden", .causes = {{.reason = "NamespaceTerminating"}}};

  EXPECT_EQ(failure_of(error), kNamespaceGoes);
  EXPECT_EQ(failure_of({.code = Code::Forbidden, .message = "forbidden"}), "forbidden");
}

// --- cordon ---

TEST(Cordon, SaysForWhoseSakeAndBindsItselfToWhatItSaw) {
  const auto patch = cordon_patch(a_node("n").version_number(7), {"default", "m"});

  ASSERT_TRUE(patch);
  EXPECT_EQ(boost::json::serialize(*patch),
            R"({"metadata":{"resourceVersion":"7","annotations":{"capstan.dev/cordoned-by":"default/m"}},)"
            R"("spec":{"unschedulable":true}})");
}

TEST(Cordon, LeavesACordonOfAUserAlone) {
  const api::Node node = a_node("n").cordoned();

  EXPECT_FALSE(cordon_patch(node, {"default", "m"}));
  EXPECT_FALSE(uncordon_patch(node, {"default", "m"}));
}

TEST(Cordon, TakesBackItsOwn) {
  const api::Node node = a_node("n").version_number(7).cordoned().annotated(kCordonedBy, "default/m");

  EXPECT_EQ(boost::json::serialize(uncordon_patch(node, {"default", "m"}).value()),
            R"({"metadata":{"resourceVersion":"7","annotations":{"capstan.dev/cordoned-by":null}},)"
            R"("spec":{"unschedulable":null}})");
  EXPECT_FALSE(uncordon_patch(node, {"default", "other"}));
}

TEST(Cordon, OnlyUnknownIsUnreachable) {
  EXPECT_TRUE(is_unreachable(a_node("n").unreachable()));
  EXPECT_FALSE(is_unreachable(a_node("n").not_ready()));
  EXPECT_FALSE(is_unreachable(a_node("n")));
}

}  // namespace
}  // namespace capstan::controllers::machine
