// What the agent asks of the server while its watches tell it of changes.
#include "agent/agent_fixture.h"

namespace capstan::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kOwn = "capstan.dev:agent:default:m1";
constexpr std::string_view kKubelet = "system:node:m1";
const std::string kRestart(api::bootstrap::annotation::kRestartServices);

std::string config(std::string_view content) {
  return AgentStage::config(R"("files":[{"path":"/etc/a.conf","content":")" + std::string(content) +
                            R"("}],"units":[{"name":"a.service","filePaths":["/etc/a.conf"]}])");
}

class AgentWatching : public ::testing::Test {
 protected:
  AgentWatching() {
    stage.rules.watches = true;
    stage.settle(config("1"));
    stage.send_event(kKubelet, stage.node());  // what the agent has written itself
    EXPECT_EQ(stage.round(), "");
    EXPECT_THAT(stage.rules.asked, IsEmpty());
  }
  // The Secret has another configuration, released, and its part of the delay has passed.
  void change_config(const std::string& text) {
    stage.offer_and_release(text);
    stage.send_event(kOwn, stage.secret());
    EXPECT_EQ(stage.round(), "");
    stage.clock.advance(std::chrono::minutes(2));
  }

  AgentStage stage;
};

TEST_F(AgentWatching, AChangeOfTheSecretCostsItsReportAlone) {
  change_config(config("2"));

  EXPECT_EQ(stage.round(), "");
  stage.send_event(kKubelet, stage.node());
  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "2");
  EXPECT_EQ(stage.applied(), checksum_of(config("2")));
  EXPECT_THAT(stage.rules.asked, ElementsAre("system:node:m1 patch Node m1"));
}

TEST_F(AgentWatching, ARestartByHandCostsTakingTheAnnotationOff) {
  stage.change(kube::resources::nodes(), {.name = kNode},
               {{"metadata", {{"annotations", {{kRestart, "a"}}}}}});
  stage.send_event(kKubelet, stage.node());

  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.systemctl.count("restart a.service"), 1U);
  EXPECT_EQ(stage.annotation(kRestart), "none");
  EXPECT_THAT(stage.rules.asked, ElementsAre("system:node:m1 patch Node m1"));
}

TEST_F(AgentWatching, ARestartThatTheAnswerToAReportShowsIsDoneAtOnce) {
  change_config(config("2"));
  stage.change(kube::resources::nodes(), {.name = kNode},
               {{"metadata", {{"annotations", {{kRestart, "x"}}}}}});

  const Round round = stage.agent->round({});
  EXPECT_EQ(round.at, stage.clock.now());
  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.systemctl.count("restart x.service"), 1U);
}

TEST_F(AgentWatching, AnEventOlderThanItsOwnReportIsNoNews) {
  const json::value before = stage.node();
  change_config(config("2"));
  EXPECT_EQ(stage.round(), "");
  stage.rules.asked.clear();

  stage.send_event(kKubelet, before);

  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.rules.asked, IsEmpty()) << "the report is not sent again";
}

TEST_F(AgentWatching, ASecretThatWasDeletedIsLookedForEachTime) {
  const json::value last = stage.secret();
  ASSERT_TRUE(stage.user.remove(kube::resources::secrets(), kSecret, {}, kNever));
  stage.send_event(kOwn, last, "DELETED");

  EXPECT_THAT(stage.round(), HasSubstr("read Secret"));
  EXPECT_THAT(stage.round(), HasSubstr("read Secret"));
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1");

  stage.offer_and_release(config("2"));
  EXPECT_EQ(stage.round(), "");
  stage.clock.advance(std::chrono::minutes(2));
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "2");
}

TEST_F(AgentWatching, ASecretWithAnotherChecksumStaysToldUntilItIsMended) {
  stage.change(kube::resources::secrets(), kSecret,
               {{"data", {{"config.json", base64_encode(config("2"))}}}});
  stage.send_event(kOwn, stage.secret());

  EXPECT_THAT(stage.round(), HasSubstr("does not have the checksum"));
  EXPECT_THAT(stage.round(), HasSubstr("does not have the checksum"));

  stage.offer(config("1"));
  stage.send_event(kOwn, stage.secret());
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.apply_error(), "none");
}

TEST_F(AgentWatching, WhatAWatchDidNotTellIsReadAfterTenMinutes) {
  stage.offer_and_release(config("2"));
  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.rules.asked, IsEmpty());
  stage.clock.advance(std::chrono::minutes(10));

  EXPECT_EQ(stage.round(), "");

  EXPECT_THAT(stage.rules.asked,
              ElementsAre("system:node:m1 read Node m1", std::string(kOwn) + " read Secret " + kSecret.name));
}

// Agents of a cluster hear a release at the same moment, and none of them may read because of that.
TEST_F(AgentWatching, ReadsAgainAtATimeOfItsOwnWhateverItHears) {
  const auto before = stage.agent->round({}).at;
  ASSERT_TRUE(before);
  EXPECT_GT(*before, stage.clock.now() + std::chrono::minutes(3));
  EXPECT_LT(*before, stage.clock.now() + std::chrono::minutes(10));
  stage.clock.advance(*before - stage.clock.now() - std::chrono::seconds(1));
  stage.send_event(kOwn, stage.secret());

  const Round heard = stage.agent->round({});
  EXPECT_EQ(heard.at, before);
  EXPECT_THAT(stage.rules.asked, IsEmpty());
  stage.clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(stage.round(), "");

  EXPECT_THAT(stage.rules.asked, SizeIs(1)) << "the Node or the Secret, not both";
}

TEST_F(AgentWatching, AWatchIsOpenedAnewBeforeItEnds) {
  const int before = stage.rules.opened;

  for (int i = 0; i < 6; ++i) {
    stage.clock.advance(std::chrono::minutes(10));
    EXPECT_EQ(stage.round(), "");
  }

  EXPECT_GE(stage.rules.opened, before + 4) << "two watches of half an hour, in an hour";
}

TEST_F(AgentWatching, AnEventThatCannotBeReadMakesItRead) {
  stage.offer_and_release(config("2"));
  stage.rules.watched.find(kOwn)->second->on_bytes("{\"type\":\n");

  EXPECT_EQ(stage.round(), "");

  EXPECT_THAT(stage.rules.asked, ElementsAre(std::string(kOwn) + " read Secret " + kSecret.name));
}

}  // namespace
}  // namespace capstan::agent
