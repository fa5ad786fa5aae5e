// The agent as the node's side of updates in place.
#include <fmt/format.h>

#include "agent/agent_fixture.h"

namespace capstan::agent {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kKubelet = "/usr/local/bin/kubelet";

std::string entry(std::string_view version, std::string_view program) {
  return fmt::format(R"({{"version":"{}","url":"https://x/{}","sha256":"{}"}})", version, version,
                     checksum_of(program));
}
std::string config(const std::string& entries) {
  return AgentStage::config(R"("kubelet":{"binaries":[)" + entries + "]}");
}
const std::string kOld = entry("v1.35.0", "kubelet v1.35.3");
const std::string kNew = entry("v1.36.0", "kubelet v1.36.0");

class AgentUpdate : public ::testing::Test {
 protected:
  // A Node whose kubelet came from the NodeConfig.
  void settle(const std::string& entries) {
    stage.download = "kubelet v1.35.3";
    stage.settle(config(entries));
    runs("v1.35.3");
    stage.download = "kubelet v1.36.0";
  }
  void runs(std::string_view version) {
    stage.change(kube::resources::nodes(), {.name = kNode},
                 {{"status", {{"nodeInfo", {{"kubeletVersion", version}}}}}}, "status");
  }
  void ask(const json::value& annotations) {
    stage.change(kube::resources::nodes(), {.name = kNode},
                 {{"metadata",
                   {{"labels", {{"capstan.dev/ready-for-update", "web-2"}}}, {"annotations", annotations}}}});
  }
  std::string label(std::string_view key) {
    const json::value node = stage.node();
    const json::value* labels = node.at("metadata").as_object().if_contains("labels");
    if (labels == nullptr || !labels->as_object().contains(key)) return "none";
    return std::string(std::string_view(labels->at(key).as_string()));
  }
  std::string result() { return label("capstan.dev/update-result"); }

  AgentStage stage;
};

TEST_F(AgentUpdate, BringsTheKubeletOfTheVersionAndReportsOnceItRuns) {
  settle(kOld + "," + kNew);
  ask({{"capstan.dev/update-version", "v1.36.0"}});

  const Round round = stage.agent->round({});
  EXPECT_EQ(stage.machine.text(kKubelet), "kubelet v1.36.0");
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 1U);
  EXPECT_EQ(result(), "none") << "the old one is what the Node tells of";
  EXPECT_TRUE(round.waiting);

  runs("v1.36.0");
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(result(), "successful");
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 1U);
}

TEST_F(AgentUpdate, KeepsTheVersionAfterTheLabelsAreGone) {
  settle(kOld + "," + kNew);
  ask({{"capstan.dev/update-version", "v1.36.0"}});
  stage.round();
  runs("v1.36.0");
  stage.round();
  stage.change(
      kube::resources::nodes(), {.name = kNode},
      {{"metadata",
        {{"labels", {{"capstan.dev/ready-for-update", nullptr}, {"capstan.dev/update-result", nullptr}}},
         {"annotations", {{"capstan.dev/update-version", nullptr}}}}}});
  stage.start();

  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.machine.text(kKubelet), "kubelet v1.36.0") << "the facts of its birth say v1.35.0";
  EXPECT_EQ(result(), "none");
}

TEST_F(AgentUpdate, WithoutAnEntryOfTheVersionFailsAndSucceedsOnceThereIsOne) {
  settle(kOld);
  ask({{"capstan.dev/update-version", "v1.36.0"}});

  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(result(), "failed");
  EXPECT_THAT(stage.annotation("capstan.dev/update-failed-reason"),
              HasSubstr("no kubelet.binaries of v1.36.0"));
  EXPECT_EQ(stage.machine.text(kKubelet), "kubelet v1.35.3");

  stage.offer_and_release(config(kOld + "," + kNew));
  stage.round();
  stage.clock.advance(std::chrono::minutes(2));
  stage.change(kube::resources::nodes(), {.name = kNode},
               {{"metadata", {{"labels", {{"capstan.dev/update-result", nullptr}}}}}});
  stage.round();
  runs("v1.36.0");
  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(result(), "successful");
}

TEST_F(AgentUpdate, WithAnotherBootstrapConfigurationTouchesNothing) {
  settle(kOld + "," + kNew);
  ask({{"capstan.dev/update-version", "v1.36.0"},
       {"capstan.dev/update-bootstrap", "CloudConfigTemplate web-b"}});

  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(result(), "failed");
  EXPECT_EQ(stage.machine.text(kKubelet), "kubelet v1.35.3");
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 0U);
}

TEST_F(AgentUpdate, KilledAfterItsRestartStillWaitsForTheOtherKubelet) {
  settle(kOld + "," + kNew);
  ask({{"capstan.dev/update-version", "v1.36.0"}});
  stage.round();
  stage.start();

  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(result(), "none");

  runs("v1.36.0");
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(result(), "successful");
}

}  // namespace
}  // namespace capstan::agent
