#include "controllers/machinehealthcheck/shared_cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/machinehealthcheck/report.h"
#include "controllers/machinehealthcheck/seen_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using builders::a_node;
using builders::a_policy;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

// Half of at least three, within five minutes.
const api::MachineLifecyclePolicy kPolicy = a_policy("p").selecting_everything().shared_cause();

Symptom well() { return {.policy = &kPolicy}; }
Symptom ill(std::int64_t since) { return {.policy = &kPolicy, .ill_since = at(since)}; }
Symptom recovered(std::int64_t since) { return {.policy = &kPolicy, .well_since = at(since)}; }
Symptom in_zone(Symptom symptom, std::string_view zone) {
  symptom.failure_domain = zone;
  return symptom;
}
Symptom in_pool(Symptom symptom, std::string_view pool) {
  symptom.pool = pool;
  return symptom;
}

SharedCauseVerdict verdict_of(const std::vector<Symptom>& symptoms, std::int64_t now = 0) {
  return shared_cause(symptoms, at(now).wall());
}

TEST(SharedCause, HalfOfTheTargetsAtOnceIsOneAndLessIsNone) {
  EXPECT_TRUE(verdict_of({ill(-60), ill(-50), well(), well()}).holds());
  EXPECT_FALSE(verdict_of({ill(-60), well(), well(), well()}).holds());
}

TEST(SharedCause, WhoIsIllIsHeldAndNobodyElse) {
  EXPECT_THAT(verdict_of({ill(-60), well(), ill(-50), well()}).held, ElementsAre(true, false, true, false));
}

TEST(SharedCause, TroublesThatBeganFarApartAreNone) {
  EXPECT_TRUE(verdict_of({ill(-600), ill(-300), well(), well()}).holds());
  EXPECT_FALSE(verdict_of({ill(-601), ill(-300), well(), well()}).holds());
}

TEST(SharedCause, StandsHoweverLongAgoItBegan) {
  EXPECT_TRUE(verdict_of({ill(-60), ill(-50), well()}, 7 * 86400).holds());
}

TEST(SharedCause, TheLargestBurstCounts) {
  const auto verdict = verdict_of({ill(-9000), ill(-3000), ill(-2990), ill(-2980), well(), well()});

  ASSERT_THAT(verdict.evidence, SizeIs(1));
  EXPECT_EQ(verdict.evidence.front().ill, 3);
  EXPECT_EQ(verdict.evidence.front().first, at(-3000));
  EXPECT_EQ(verdict.evidence.front().last, at(-2980));
}

TEST(SharedCause, AnOlderTroubleInTheSameDomainIsHeldToo) {
  const auto verdict = verdict_of({ill(-90000), ill(-60), ill(-50), ill(-40), well()});

  EXPECT_THAT(verdict.held, ElementsAre(true, true, true, true, false));
}

TEST(SharedCause, ADomainThatIsTooSmallTellsNothing) {
  EXPECT_FALSE(verdict_of({ill(-60), ill(-50)}).holds());
  EXPECT_TRUE(verdict_of({ill(-60), ill(-50), ill(-40)}).holds());
}

TEST(SharedCause, IsOffWithoutAPolicyThatAsksForIt) {
  const api::MachineLifecyclePolicy silent = a_policy("silent").selecting_everything();
  std::vector<Symptom> symptoms = {ill(-60), ill(-50), ill(-40)};

  for (auto& symptom : symptoms) symptom.policy = nullptr;
  EXPECT_FALSE(verdict_of(symptoms).holds());
  for (auto& symptom : symptoms) symptom.policy = &silent;
  EXPECT_FALSE(verdict_of(symptoms).holds());
}

TEST(SharedCause, TargetsOfOtherPoliciesAreNoEvidence) {
  std::vector<Symptom> symptoms = {ill(-60), ill(-50), well(), well(), well()};
  EXPECT_FALSE(verdict_of(symptoms).holds());

  symptoms[3].policy = symptoms[4].policy = nullptr;

  EXPECT_TRUE(verdict_of(symptoms).holds());
}

TEST(SharedCause, FollowsTheLimitsOfItsPolicy) {
  const api::MachineLifecyclePolicy strict = a_policy("strict").selecting_everything().shared_cause(
      {.window_seconds = 10, .threshold_percent = 25, .minimum_targets = 4});
  const auto with = [&](std::vector<Symptom> symptoms) {
    for (auto& symptom : symptoms) symptom.policy = &strict;
    return verdict_of(symptoms).holds();
  };

  EXPECT_TRUE(with({ill(-60), well(), well(), well()}));
  EXPECT_FALSE(with({ill(-60), well(), well(), well(), well()}));
  EXPECT_FALSE(with({ill(-60), ill(-60), ill(-60)}));
  EXPECT_TRUE(with({ill(-60), ill(-50), well(), well(), well()}));
  EXPECT_FALSE(with({ill(-60), ill(-49), well(), well(), well()}));
}

// Of a policy that an older schema let in.
TEST(SharedCause, AWindowBelowZeroIsNone) {
  auto policy = kPolicy;
  policy.spec.health.shared_cause->window_seconds = -1;
  const Symptom sick{.policy = &policy, .ill_since = at(-60)};
  const Symptom later{.policy = &policy, .ill_since = at(-50)};

  EXPECT_TRUE(verdict_of({sick, sick, later}).holds());
  EXPECT_FALSE(verdict_of({sick, later, {.policy = &policy}}).holds());
}

TEST(SharedCause, AZoneThatBrokeHoldsItsOwnTargetsOnly) {
  const auto verdict = verdict_of({in_zone(ill(-60), "a"), in_zone(ill(-60), "a"), in_zone(ill(-60), "a"),
                                   in_zone(ill(-9000), "b"), in_zone(well(), "b"), in_zone(well(), "b"),
                                   in_zone(well(), "c"), in_zone(well(), "c"), in_zone(well(), "c")});

  EXPECT_THAT(verdict.held, ElementsAre(true, true, true, false, false, false, false, false, false));
  ASSERT_THAT(verdict.evidence, SizeIs(1));
  EXPECT_EQ(verdict.evidence.front().scope, Scope::FailureDomain);
  EXPECT_EQ(verdict.evidence.front().domain, "a");
}

TEST(SharedCause, APoolThatBrokeHoldsItsOwnTargetsOnly) {
  const auto verdict =
      verdict_of({in_pool(ill(-60), "MachineDeployment web"), in_pool(ill(-60), "MachineDeployment web"),
                  in_pool(well(), "MachineDeployment web"), in_pool(ill(-9000), "MachineDeployment db"),
                  in_pool(well(), "MachineDeployment db"), in_pool(well(), "MachineDeployment db")});

  EXPECT_THAT(verdict.held, ElementsAre(true, true, false, false, false, false));
  ASSERT_THAT(verdict.evidence, SizeIs(1));
  EXPECT_EQ(verdict.evidence.front().domain, "MachineDeployment web");
}

TEST(SharedCause, WhatTheWholeClusterExplainsIsNotToldByZone) {
  const auto verdict = verdict_of({in_zone(ill(-60), "a"), in_zone(ill(-60), "a"), in_zone(ill(-60), "a"),
                                   in_zone(ill(-60), "b"), in_zone(ill(-60), "b"), in_zone(ill(-60), "b")});

  ASSERT_THAT(verdict.evidence, SizeIs(1));
  EXPECT_EQ(verdict.evidence.front().scope, Scope::Cluster);
}

TEST(SharedCause, WhatOneZoneExplainsIsNotToldByCluster) {
  const auto verdict = verdict_of({in_zone(ill(-60), "a"), in_zone(ill(-60), "a"), in_zone(ill(-60), "a"),
                                   in_zone(well(), "b"), in_zone(well(), "b"), in_zone(well(), "b")});

  ASSERT_THAT(verdict.evidence, SizeIs(1));
  EXPECT_EQ(verdict.evidence.front().scope, Scope::FailureDomain);
}

TEST(SharedCause, ThoseThatJustCameBackStillCountAndAreNotHeld) {
  const auto verdict = verdict_of({ill(-1000), recovered(-20), recovered(-10), well()});

  EXPECT_THAT(verdict.held, ElementsAre(true, false, false, false));
  EXPECT_EQ(verdict.evidence.front().recovered, 2);
  EXPECT_EQ(verdict.evidence.front().last_recovery, at(-10));
}

TEST(SharedCause, EndsAWindowAfterTheRecoveriesAndSaysWhen) {
  const std::vector<Symptom> symptoms = {ill(-1000), recovered(0), recovered(20), well()};

  EXPECT_EQ(verdict_of(symptoms, 30).next, 270s + 1ms);
  EXPECT_EQ(verdict_of(symptoms, 301).next, 19s + 1ms);
  EXPECT_TRUE(verdict_of(symptoms, 320).holds());
  EXPECT_FALSE(verdict_of(symptoms, 321).holds());
}

TEST(SharedCause, EndsAtOnceWhenNobodyIsIll) {
  EXPECT_FALSE(verdict_of({recovered(-2), recovered(-2), recovered(-1)}).holds());
}

TEST(SharedCause, NeedsNoWakingWhileNobodyComesBack) {
  EXPECT_EQ(verdict_of({ill(-60), ill(-50), well()}).next, std::nullopt);
}

TEST(Describe, TellsNumbersDomainTimesAndRemedy) {
  const auto verdict = verdict_of({in_zone(ill(-60), "a"), in_zone(ill(-50), "a"),
                                   in_zone(recovered(-10), "a"), well(), well(), well(), well()});

  EXPECT_EQ(describe(verdict, "c1"),
            "Remediation is on hold, this looks like what the machines share and not like the machines:\n"
            "  * 2 of 3 targets of failure domain a turned unhealthy within 5m0s, from 2026-01-01T11:59:00Z "
            "to 2026-01-01T11:59:10Z, 1 more are well again, the last since 2026-01-01T11:59:50Z "
            "(MachineLifecyclePolicy p: 50%)\n"
            "It goes on when fewer are unhealthy; a Machine with the annotation "
            "cluster.x-k8s.io/remediate-machine is replaced all the same");
}

TEST(Describe, OfAHundredPoolsThatBrokeNamesAFewAndTheRemedy) {
  std::vector<Symptom> symptoms;
  std::vector<std::string> pools;
  for (int i = 0; i < 100; ++i)
    pools.push_back("MachineDeployment " + std::string(60, 'x') + std::to_string(i));
  for (const std::string& pool : pools) {
    for (int i = 0; i < 3; ++i) symptoms.push_back(in_pool(ill(0), pool));
  }
  // Each pool at another time: the Cluster as a whole explains none of them.
  for (std::size_t i = 0; i < symptoms.size(); ++i)
    symptoms[i].ill_since = at(-10'000 * static_cast<std::int64_t>(i / 3));

  const std::string told = describe(verdict_of(symptoms), "c1");

  EXPECT_THAT(told, HasSubstr("and 90 more"));
  EXPECT_THAT(told, testing::EndsWith("is replaced all the same"));
  EXPECT_LT(told.size(), 10'240U) << "what a condition can hold";
}

// --- through decide and report ---

const auto kShared = a_policy("p").selecting_everything().shared_cause().shared();

api::MachineHealthCheck watching_ready(std::int32_t timeout) {
  auto check = a_check();
  check.spec.checks.unhealthy_node_conditions.push_back(
      {.type = "Ready"_text, .status = "Unknown"_text, .timeout_seconds = timeout});
  return check;
}

// Nodes of that age in minutes, unreachable since so many seconds; 0: ready for an hour.
Observation fleet(const api::MachineHealthCheck& check, const std::vector<std::int64_t>& unreachable_for) {
  Seen seen(check);
  for (std::size_t i = 0; i < unreachable_for.size(); ++i) {
    const std::string name = "w" + std::to_string(i);
    const auto since = unreachable_for[i];
    seen.on_node(a_worker(name).on_node(name),
                 a_node(name).created(at(-3600)).condition("Ready", since == 0 ? "True" : "Unknown", "",
                                                           at(since == 0 ? -3600 : -since)));
  }
  seen.with([](Observation& world) {
    for (auto& target : world.targets) target.policy = kShared;
  });
  return *seen;
}

TEST(DecideSharedCause, WhoIsAboutToExpireIsEvidenceAgainstTheFirst) {
  const auto plan = decide(fleet(watching_ready(300), {301, 299, 298, 0}));

  EXPECT_TRUE(plan.held(0));
  EXPECT_EQ(plan.counts.unhealthy, 1);
}

TEST(DecideSharedCause, IsOffWithoutAPolicy) {
  auto seen = fleet(watching_ready(300), {301, 301, 301, 301});
  for (auto& target : seen.targets) target.policy = nullptr;

  const auto plan = decide(seen);

  EXPECT_TRUE(plan.remediate);
  EXPECT_FALSE(plan.held(0));
}

TEST(DecideSharedCause, AMachineThatIsBeingDeletedIsNoEvidence) {
  auto seen = fleet(watching_ready(300), {301, 301, 0, 0});
  ASSERT_TRUE(decide(seen).held(0));

  auto leaving = *seen.targets[1].machine;
  leaving.metadata.deletion_timestamp = at(-10);
  seen.targets[1].machine = std::make_shared<const api::Machine>(leaving);

  EXPECT_FALSE(decide(seen).held(0));
}

TEST(DecideSharedCause, WhoeverAsksByHandIsNeitherEvidenceNorHeld) {
  auto seen = fleet(watching_ready(300), {301, 301, 301, 0});
  auto marked = *seen.targets[0].machine;
  marked.metadata.annotations.set(api::annotation::kRemediateMachine, "");
  seen.targets[0].machine = std::make_shared<const api::Machine>(marked);

  const auto plan = decide(seen);

  EXPECT_FALSE(plan.held(0));
  EXPECT_TRUE(plan.held(1));
  EXPECT_TRUE(plan.remediate);
}

TEST(DecideSharedCause, ANodeThatNeverJoinedIsIllFromItsDeadlineOn) {
  Seen seen;
  for (const auto* name : {"a", "b", "c"}) seen.without_node(a_worker(name).created(at(-700)));
  seen.with([](Observation& world) {
    for (auto& target : world.targets) target.policy = kShared;
  });

  const auto plan = decide(*seen);

  ASSERT_TRUE(plan.held(0));
  EXPECT_EQ(plan.shared_cause.evidence.front().first, at(-100));
}

TEST(DecideSharedCause, StartingMachinesAreNoEvidence) {
  Seen seen;
  for (const auto* name : {"a", "b", "c"}) seen.without_node(a_worker(name).created(at(-100)));
  seen.sick("d");
  seen.with([](Observation& world) {
    for (auto& target : world.targets) target.policy = kShared;
  });

  EXPECT_FALSE(decide(*seen).held(3));
}

api::MachineHealthCheck on_hold(api::MachineHealthCheck check) {
  auto condition = api::conditions::make("RemediationAllowed", "False", "SharedCause");
  condition.last_transition_time = at(-1800);
  check.status.conditions = {condition};
  return check;
}

// One came back ten seconds ago, its Node is of that age.
Observation recovering(const api::MachineHealthCheck& check, std::int64_t node_age) {
  auto seen = fleet(check, {2000, 0, 0});
  seen.targets[1].node = a_node("w1").created(at(-node_age)).condition("Ready", "True", "", at(-10)).shared();
  return seen;
}

TEST(DecideSharedCause, RecoveriesCountOnlyWhileItIsOnHold) {
  EXPECT_TRUE(decide(recovering(on_hold(watching_ready(300)), 3600)).held(0));
  EXPECT_FALSE(decide(recovering(watching_ready(300), 3600)).held(0));
}

TEST(DecideSharedCause, ANodeThatIsYoungerThanTheTroubleDidNotRecover) {
  EXPECT_FALSE(decide(recovering(on_hold(watching_ready(300)), 60)).held(0));
}

TEST(DecideSharedCause, LooksAgainWhenTheLastRecoveryIsAWindowAgo) {
  EXPECT_EQ(decide(recovering(on_hold(watching_ready(300)), 3600)).recheck, 290s + 1ms);
}

std::string shown(const api::MachineHealthCheck& check) {
  const auto found = api::conditions::find(check.status.conditions, "RemediationAllowed");
  return found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}

TEST(ReportSharedCause, TheVerdictStandsInTheConditionAndInAnEvent) {
  const auto seen = fleet(watching_ready(300), {301, 301, 301});
  const auto plan = decide(seen);

  const auto after = report(seen, plan, {.check = *seen.check});

  EXPECT_THAT(shown(after), HasSubstr("False SharedCause: Remediation is on hold"));
  EXPECT_THAT(shown(after), HasSubstr("3 of 3 targets of Cluster c1"));
  EXPECT_EQ(after.status.remediations_allowed, 0);
  ASSERT_THAT(news(plan, *seen.check, after), SizeIs(1));
  EXPECT_EQ(news(plan, *seen.check, after).front().code, api::NoteCode::RemediationRestricted);
}

TEST(ReportSharedCause, IsAnEventBeforeTheFirstTimeoutIsOver) {
  const auto seen = fleet(watching_ready(300), {20, 20, 20});
  const auto plan = decide(seen);

  EXPECT_THAT(news(plan, *seen.check, report(seen, plan, {.check = *seen.check})), SizeIs(1));
}

TEST(ReportSharedCause, IsToldOnceHoweverItsNumbersChange) {
  const auto seen = fleet(watching_ready(300), {301, 301, 301});
  const auto plan = decide(seen);
  const auto before = report(seen, plan, {.check = *seen.check});
  const auto later = fleet(watching_ready(300), {301, 301, 0});
  const auto later_plan = decide(later);

  const auto after = report(later, later_plan, {.check = before});

  EXPECT_NE(shown(before), shown(after));
  EXPECT_THAT(news(later_plan, before, after), IsEmpty());
}

TEST(ReportSharedCause, GoesAwayWithTheEvidence) {
  const auto seen = fleet(on_hold(watching_ready(300)), {301, 0, 0});

  EXPECT_THAT(shown(report(seen, decide(seen), {.check = *seen.check})),
              HasSubstr("True RemediationAllowed"));
}

TEST(ReportSharedCause, TellsALimitThatIsExceededAsWell) {
  auto check = watching_ready(300);
  check.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to = IntOrString(1);
  const auto seen = fleet(check, {301, 301, 301});

  EXPECT_THAT(shown(report(seen, decide(seen), {.check = *seen.check})), HasSubstr("exceeds maxUnhealthy"));
}

TEST(ReportSharedCause, PoliciesInEachOthersWayAreToldOnTheCheck) {
  auto seen = fleet(watching_ready(300), {0, 0, 0});
  seen.rival_policies = {"p", "q"};

  EXPECT_THAT(shown(report(seen, decide(seen), {.check = *seen.check})),
              HasSubstr("MachineLifecyclePolicies p, q select the same objects"));
}

TEST(TakeBack, AMarkIsTakenBackOnlyWhileTheOwnerHasNotBegun) {
  const auto marked = [](std::string_view reason) {
    api::Machine machine = a_worker("a").condition("OwnerRemediated", "False", reason);
    unmark_for_owner(machine);
    return api::conditions::find(machine.status.conditions, "OwnerRemediated") != nullptr;
  };

  EXPECT_FALSE(marked("WaitingForRemediation"));
  EXPECT_FALSE(marked("RemediationDeferred"));
  EXPECT_TRUE(marked("MachineDeleting"));
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
