#include "kubeconfig/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::kubeconfig {
namespace {

using namespace std::literals;

const ProbeRules kRules = {};

Moment at(std::chrono::seconds since_connecting) {
  return {.steady = SteadyTime(1h + since_connecting), .wall = WallTime(24h + since_connecting)};
}

Probe after_failures(int count) {
  Probe probe(at(0s));
  for (int i = 1; i <= count; ++i) probe.failed(at(i * 10s), "no answer");
  return probe;
}

TEST(Probe, IsConnectedFromTheStartAndDueAfterTenSeconds) {
  const Probe probe(at(0s));

  EXPECT_EQ(probe.health(kRules), Health::Connected);
  EXPECT_EQ(probe.due(kRules), at(10s).steady);
  EXPECT_EQ(probe.last_success(), at(0s).wall);
  EXPECT_EQ(probe.first_failure(), std::nullopt);
}

ProbeRules together() {
  ProbeRules rules;
  rules.together = 1s;
  return rules;
}

TEST(Probe, IsDueTogetherWithOthersWhenTheNextRoundBegins) {
  const Probe probe({.steady = at(0s).steady + 400ms});

  EXPECT_EQ(probe.due(together()), at(11s).steady);
  EXPECT_EQ(probe.due(kRules), at(10s).steady + 400ms);
}

TEST(Probe, StaysInItsRoundWhenTheAnswerTookAMoment) {
  Probe probe(at(0s));

  probe.answered({.steady = at(10s).steady + 200ms});

  EXPECT_EQ(probe.due(together()), at(20s).steady);
}

TEST(Probe, IsNeverDueBeforeTenSilentSecondsAreOver) {
  Probe probe(at(0s));

  probe.answered({.steady = at(10s).steady + 200ms});
  probe.heard({.steady = at(15s).steady + 200ms});

  EXPECT_EQ(probe.due(together()), at(26s).steady);
}

TEST(Probe, IsNotPutOffToARoundWhileInDoubt) {
  Probe probe(at(0s));

  probe.failed({.steady = at(10s).steady + 400ms}, "no answer");

  EXPECT_EQ(probe.due(together()), at(20s).steady + 400ms);
}

TEST(Probe, SuspectsAfterOneFailureAndGivesUpAfterFive) {
  EXPECT_EQ(after_failures(1).health(kRules), Health::Suspect);
  EXPECT_EQ(after_failures(4).health(kRules), Health::Suspect);
  EXPECT_EQ(after_failures(5).health(kRules), Health::Down);
  EXPECT_EQ(after_failures(6).health(kRules), Health::Down);
}

TEST(Probe, RemembersTheFirstFailureOfTheRowAndTheLastReason) {
  Probe probe = after_failures(2);

  probe.failed(at(30s), "connection refused");

  EXPECT_EQ(probe.first_failure(), at(10s).wall);
  EXPECT_EQ(probe.last_success(), at(0s).wall);
  EXPECT_EQ(probe.failures(), 3);
  EXPECT_EQ(probe.why(), "connection refused");
}

TEST(Probe, OneAnswerEndsTheRow) {
  Probe probe = after_failures(4);

  probe.answered(at(50s));
  probe.failed(at(60s), "no answer");

  EXPECT_EQ(probe.failures(), 1);
  EXPECT_EQ(probe.first_failure(), at(60s).wall);
  EXPECT_EQ(probe.last_success(), at(50s).wall);
}

TEST(Probe, AnAnswerAfterTheClockWasSetBackIsTheLastSuccess) {
  Probe probe(at(0s));
  const Moment set_back{.steady = at(10s).steady, .wall = at(10s).wall - 1h};

  probe.answered(set_back);

  EXPECT_EQ(probe.last_success(), set_back.wall);
  EXPECT_EQ(probe.last_answer(), set_back.steady);
}

TEST(Probe, WhatIsHeardPutsTheNextQuestionOff) {
  Probe probe(at(0s));

  probe.heard(at(7s));

  EXPECT_EQ(probe.due(kRules), at(17s).steady);
  EXPECT_EQ(probe.last_success(), at(7s).wall);
}

TEST(Probe, WhatWasHeardBeforeAFailureDoesNotExcuseIt) {
  Probe probe = after_failures(1);

  probe.heard(at(8s));

  EXPECT_EQ(probe.health(kRules), Health::Suspect);
  EXPECT_EQ(probe.last_success(), at(0s).wall);
}

TEST(Probe, WhatIsHeardAfterAFailureEndsTheSuspicion) {
  Probe probe = after_failures(1);

  probe.heard(at(12s));

  EXPECT_EQ(probe.health(kRules), Health::Connected);
  EXPECT_EQ(probe.why(), "");
}

// A kubeconfig that may not read "/" works all the same.
TEST(Probe, ARefusalByTheServerItselfIsAnAnswer) {
  EXPECT_TRUE(is_answer({.code = Code::Forbidden, .reason = "Forbidden"}));
  EXPECT_TRUE(is_answer({.code = Code::RateLimited, .reason = "TooManyRequests"}));
}

TEST(Probe, SilenceRefusedCredentialsAndProxiesAreNone) {
  EXPECT_FALSE(is_answer({.code = Code::Timeout}));
  EXPECT_FALSE(is_answer({.code = Code::Unauthorized, .reason = "Unauthorized"}));
  EXPECT_FALSE(is_answer({.code = Code::Forbidden}));  // no Status came with it
  EXPECT_FALSE(is_answer({.code = Code::Internal, .reason = "InternalError"}));
}

}  // namespace
}  // namespace capstan::kubeconfig
