#include "controllers/drain/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "controllers/drain/cordon.h"
#include "controllers/drain/drain_message.h"
#include "controllers/drain/pods_fixture.h"
#include "kubeconfig/gated_client.h"
#include "test/builders/node.h"

namespace capstan::controllers::drain {
namespace {

using builders::a_node;
using builders::noon;

Budgets budget(api::PodDisruptionBudgetStatus status, std::int64_t generation = 1) {
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

TEST(SeemsEvictable, WhenItIsNotReadyAndTheBudgetDoesNotMind) {
  auto lenient = budget({.observed_generation = 1, .current_healthy = 1, .desired_healthy = 2});
  auto made = *lenient.front();
  made.spec.unhealthy_pod_eviction_policy = Text("AlwaysAllow");
  lenient = {std::make_shared<const api::PodDisruptionBudget>(made)};

  EXPECT_TRUE(seems_evictable(a_pod("p").labelled("app", "x"), lenient));
  EXPECT_FALSE(seems_evictable(covered(), lenient));
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

// A drain of an hour met a server that was busy for a second, and left the Pod alone for five minutes.
TEST(NextEviction, ComesSoonAfterAnErrorThatIsNewHoweverLongTheDrainHasLasted) {
  const Time late = noon() + Seconds(3600);
  Attempt last{.at = late, .failure = "connection refused", .failing_since = late};
  EXPECT_EQ(next_eviction({.last = &last, .started = noon()}), late + Seconds(20));

  last.at = late + Seconds(120);
  EXPECT_EQ(next_eviction({.last = &last, .started = noon()}), last.at + Seconds(40)) << "it goes on";

  last.by_budget = true;
  EXPECT_EQ(next_eviction({.last = &last, .started = noon()}), last.at + Seconds(300));
}

TEST(NextEviction, ComesAtOnceWhenABudgetOpens) {
  const Budgets open = budget({.observed_generation = 1, .disruptions_allowed = 1});
  const Outlook hope = outlook_of(covered(), &open);
  Attempt last{.at = noon() + Seconds(600), .failure = "no", .by_budget = true};
  last.outlook = outlook_of(covered(), nullptr);
  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &hope}), last.at);

  last.outlook = hope;
  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &hope}), noon() + Seconds(800))
      << "it was open already, and the API server refused";
}

// Another eviction was faster, and between two looks of ours the budget has closed and opened again.
TEST(NextEviction, ComesAtOnceWhenABudgetThatWasOpenHasChanged) {
  Budgets open = budget({.observed_generation = 1, .disruptions_allowed = 1});
  const Attempt last{.at = noon() + Seconds(600),
                     .failure = "no",
                     .by_budget = true,
                     .outlook = outlook_of(covered(), &open)};
  auto later = *open.front();
  later.metadata.resource_version = api::ResourceVersion(99);
  open = {std::make_shared<const api::PodDisruptionBudget>(later)};
  const Outlook hope = outlook_of(covered(), &open);

  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &hope}), last.at);
}

TEST(NextEviction, ComesAtOnceWhenThePodHasChangedThatAWebhookRefused) {
  const Budgets none;
  const Outlook before = outlook_of(covered(), &none);
  const Attempt last{.at = noon() + Seconds(600), .failure = "a webhook says no", .outlook = before};
  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &before}), noon() + Seconds(800));

  const Outlook hope = outlook_of(a_pod("p").labelled("app", "x").ready().annotated("backed-up"), &none);

  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &hope}), last.at);
}

TEST(NextEviction, IsNotHurriedByAPodThatKeepsCrashingUnderABudgetThatAllowsNothing) {
  const Budgets closed = budget({.observed_generation = 1, .current_healthy = 1, .desired_healthy = 2});
  Attempt last{.at = noon() + Seconds(600), .failure = "no", .by_budget = true};
  last.outlook = outlook_of(covered(), &closed);
  const Outlook crashed = outlook_of(a_pod("p").labelled("app", "x"), &closed);

  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &crashed}), noon() + Seconds(800));
}

TEST(NextEviction, IsNotRepeatedAtOnceWhenItWasAccepted) {
  const Budgets none;
  const Attempt last{.at = noon(), .accepted = true};
  const Outlook hope = outlook_of(covered(), &none);

  EXPECT_EQ(next_eviction({.last = &last, .started = noon(), .now = &hope}), noon() + Seconds(20));
}

TEST(Spending, LeavesHopeForAsManyPodsAsTheBudgetHasRoomFor) {
  Budgets budgets = budget({.observed_generation = 1, .disruptions_allowed = 2});
  spend(covered(), true, budgets);
  EXPECT_TRUE(seems_evictable(covered(), budgets));
  spend(covered(), true, budgets);
  EXPECT_FALSE(seems_evictable(covered(), budgets));

  budgets = budget({.observed_generation = 1, .disruptions_allowed = 2});
  spend(covered(), false, budgets);
  EXPECT_FALSE(seems_evictable(covered(), budgets)) << "the API server knows better";
}

TEST(Spending, CostsNothingForPodsTheBudgetDoesNotCount) {
  Budgets budgets = budget(
      {.observed_generation = 1, .disruptions_allowed = 1, .current_healthy = 2, .desired_healthy = 1});
  spend(a_pod("sick").labelled("app", "x"), true, budgets);
  spend(a_pod("other").labelled("app", "y").ready(), true, budgets);

  EXPECT_TRUE(seems_evictable(covered(), budgets));
}

// --- answers ---

TEST(EvictionAnswers, GoneIsGoneAndAnotherPodOfThatNameIsNot) {
  EXPECT_EQ(answer_of({.code = Code::NotFound}), EvictionAnswer::Gone);
  EXPECT_EQ(answer_of({.code = Code::Conflict}), EvictionAnswer::Replaced);
  EXPECT_EQ(answer_of({.code = Code::Internal}), EvictionAnswer::Failed);
}

TEST(EvictionAnswers, TellOurOwnBrakeFromAServerThatRefuses) {
  const Error own{.code = Code::RateLimited,
                  .message = "4 in flight",
                  .retry_after = Seconds(1),
                  .reason = std::string(kubeconfig::kCrowdedOut)};
  EXPECT_EQ(answer_of(own), EvictionAnswer::CrowdedOut);

  // A server that is overloaded answers with a line of text and a header.
  for (const auto* reason : {"TooManyRequests", ""}) {
    Error theirs = own;
    theirs.reason = reason;
    EXPECT_EQ(answer_of(theirs), EvictionAnswer::Failed) << reason;
  }
}

TEST(EvictionAnswers, AreBoundedInLength) {
  std::string long_one;
  while (long_one.size() < 100000) long_one += "\u00e9";

  const std::string text = failure_of({.code = Code::Internal, .message = long_one});

  EXPECT_LE(text.size(), 520U);
  EXPECT_TRUE(text.ends_with("\u00e9..."));
}

TEST(FailureByNow, HasTheNumbersTheBudgetHasByNow) {
  const std::string start = "Cannot evict pod as it would violate the pod's disruption budget. ";
  const Attempt last{.failure = start + "The disruption budget b needs 2 healthy pods and has 1 currently",
                     .by_budget = true};

  EXPECT_EQ(failure_by_now(last, budget({.current_healthy = 2, .desired_healthy = 3})),
            start + "The disruption budget b needs 3 healthy pods and has 2 currently");
}

TEST(FailureByNow, KeepsOtherWordsAsTheyAre) {
  const Attempt processed{.failure = "The disruption budget b is still being processed", .by_budget = true};
  EXPECT_EQ(failure_by_now(processed, budget({})), processed.failure);
  const Attempt webhook{.failure = "no"};
  EXPECT_EQ(failure_by_now(webhook, budget({})), "no");
}

TEST(FailureByNow, NamesTheBudgetsWhenThereAreTooMany) {
  auto two = budget({});
  auto other = *two.front();
  other.metadata.name = Text("a");
  two.push_back(std::make_shared<const api::PodDisruptionBudget>(other));

  EXPECT_EQ(failure_by_now({.failure = "This pod has more than one PodDisruptionBudget."},
                           covering(covered(), two)),
            "This pod has more than one PodDisruptionBudget. (a, b: leave one of them)");
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
}

TEST(Cordon, OnlyUnknownIsUnreachable) {
  EXPECT_TRUE(is_unreachable(a_node("n").unreachable()));
  EXPECT_FALSE(is_unreachable(a_node("n").not_ready()));
  EXPECT_FALSE(is_unreachable(a_node("n")));
}

}  // namespace
}  // namespace capstan::controllers::drain
