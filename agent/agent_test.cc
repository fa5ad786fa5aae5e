#include "agent/agent.h"

#include "agent/agent_fixture.h"

namespace capstan::agent {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kFirst = AgentStage::config(
    R"("files":[{"path":"/etc/a.conf","content":"1"}],"units":[{"name":"a.service","filePaths":["/etc/a.conf"]}])");
const std::string kSecond = AgentStage::config(
    R"("files":[{"path":"/etc/a.conf","content":"2"}],"units":[{"name":"a.service","filePaths":["/etc/a.conf"]}])");
constexpr std::string_view kBootstrap = "/etc/kubernetes/bootstrap-kubelet.conf";
const std::string kRestart(api::bootstrap::annotation::kRestartServices);

void ask_restart(AgentStage& stage, std::string_view units) {
  stage.change(kube::resources::nodes(), {.name = kNode},
               {{"metadata", {{"annotations", {{kRestart, units}}}}}});
}

TEST(Agent, ANewMachineGetsItsCertificateItsConfigurationAndThenJoins) {
  AgentStage stage;
  stage.offer(kFirst);
  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.rules.asked, ElementsAre(HasSubstr("token create CertificateSigningRequest")));
  EXPECT_FALSE(stage.machine.has(kBootstrap)) << "not before its configuration stands";

  stage.sign_requests();
  EXPECT_EQ(stage.round(), "");

  EXPECT_THAT(stage.rules.asked, Contains("capstan.dev:agent:default:m1 read Secret " + kSecret.name));
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1");
  EXPECT_THAT(stage.machine.text(kBootstrap), HasSubstr("abcdef.0123456789abcdef"));
  EXPECT_EQ(stage.machine.mode(kBootstrap), 0600U);
  EXPECT_THAT(stage.systemctl.calls,
              ElementsAre("enable a.service", "enable --now kubelet.service", "restart a.service"));
}

TEST(Agent, AfterTheJoinTheTokenIsOffTheDiskAndTheNodeSaysWhatStands) {
  AgentStage stage;
  stage.settle(kFirst);

  EXPECT_FALSE(stage.machine.has(kBootstrap));
  for (const auto& [path, content] : stage.machine.tree())
    EXPECT_THAT(content, Not(HasSubstr("0123456789abcdef"))) << path;
  EXPECT_EQ(stage.applied(), checksum_of(kFirst));
  EXPECT_EQ(stage.apply_error(), "none");
  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.systemctl.calls, IsEmpty()) << "nothing is restarted without a change";
  EXPECT_THAT(stage.rules.asked, Not(Contains(HasSubstr("patch")))) << "and nothing is written";
}

TEST(Agent, WhileTheKubeletHasItsKubeconfigNoneIsWrittenForIt) {
  AgentStage stage;
  stage.join();
  stage.offer_and_release(kFirst);
  stage.round();
  stage.sign_requests();
  stage.round();

  EXPECT_FALSE(stage.machine.has(kBootstrap));
  EXPECT_THAT(stage.machine.text("/etc/capstan/agent.json"), Not(HasSubstr("abcdef.")));
}

TEST(Agent, TheKubeletsKubeconfigsMayHaveOtherPaths) {
  AgentStage stage;
  const std::string other_paths = AgentStage::config(
      R"("kubelet":{"kubeconfigPath":"/var/k/kubelet.conf","bootstrapKubeconfigPath":"/var/k/bootstrap.conf"})");
  stage.offer_and_release(other_paths);
  stage.round();
  stage.sign_requests();
  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.machine.text("/var/k/bootstrap.conf"), HasSubstr("abcdef.0123456789abcdef"));
  EXPECT_FALSE(stage.machine.has(kBootstrap));

  stage.join();
  std::filesystem::rename(stage.machine.at(kKubeletKubeconfig), stage.machine.at("/var/k/kubelet.conf"));
  EXPECT_EQ(stage.round(), "");

  EXPECT_FALSE(stage.machine.has("/var/k/bootstrap.conf"));
  EXPECT_EQ(stage.applied(), checksum_of(other_paths));
}

TEST(Agent, ANodeWaitsForItsReleaseAndThenAPartOfTheDelay) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.offer(kSecond);
  stage.round();
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1") << "not released";

  stage.release(kSecond);
  const Round round = stage.agent->round({});
  ASSERT_TRUE(round.at);
  EXPECT_LT(*round.at - stage.clock.now(), seconds(100));
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1") << "its part of the delay is not over";
  stage.start();
  EXPECT_EQ(stage.agent->round({}).at, round.at) << "a new process waits for the same time";
  stage.clock.advance(*round.at - stage.clock.now());
  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "2");
  EXPECT_EQ(stage.applied(), checksum_of(kSecond));
  EXPECT_THAT(stage.systemctl.calls, ElementsAre("restart a.service"));
}

TEST(Agent, AConfigurationWithAnotherChecksumIsRefusedAndTold) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.change(kube::resources::secrets(), kSecret, {{"data", {{"config.json", base64_encode(kSecond)}}}});

  EXPECT_THAT(stage.round(), HasSubstr("does not have the checksum"));

  EXPECT_THAT(stage.apply_error(), HasSubstr("does not have the checksum"));
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1");
  stage.offer(kFirst);
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.apply_error(), "none");
}

TEST(Agent, AConfigurationWithOneBadPathIsRefusedWhole) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.offer_and_release(AgentStage::config(
      R"("files":[{"path":"/etc/a.conf","content":"3"},{"path":"/etc/../../x","content":"3"}])"));
  stage.clock.advance(hours(1));

  stage.round();

  EXPECT_THAT(stage.apply_error(), HasSubstr("the configuration is refused"));
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1");
}

TEST(Agent, AnErrorIsReportedWithTheChecksumThatWasTried) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.systemctl.failing = {"a.service"};
  stage.offer_and_release(std::string(kSecond));
  stage.round();
  stage.clock.advance(hours(1));
  stage.round();

  EXPECT_THAT(stage.apply_error(), HasSubstr("restart a.service"));
  EXPECT_EQ(stage.applied(), checksum_of(kSecond));

  const std::string bad = AgentStage::config(R"("files":[{"path":"/etc/../../x","content":"3"}])");
  stage.offer_and_release(bad);
  stage.round();
  EXPECT_THAT(stage.apply_error(), HasSubstr("the configuration is refused"));
  EXPECT_EQ(stage.applied(), checksum_of(bad));
}

TEST(Agent, AUnitThatFailsIsToldAndKeepsNoOtherBack) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.systemctl.failing = {"a.service"};
  ask_restart(stage, "a,b");

  stage.round();

  EXPECT_EQ(stage.apply_error(), "restart a.service: exit code 1: Job failed.");
  EXPECT_EQ(stage.systemctl.count("restart b.service"), 1U);
  stage.systemctl.failing.clear();
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.apply_error(), "none");
  EXPECT_EQ(stage.systemctl.count("restart b.service"), 1U);
}

TEST(Agent, AFullDiskIsToldAndNothingIsRestartedUntilTheFileIsWhole) {
  AgentStage stage;
  stage.settle(AgentStage::config(R"("files":[{"path":"/etc/a.conf","content":")" + std::string(5000, 'x') +
                                  R"("}],"units":[{"name":"a.service","filePaths":["/etc/a.conf"]}])"));
  stage.machine.put("/etc/a.conf", "by hand");
  {
    const FullDisk full(3000);
    EXPECT_THAT(stage.round(), HasSubstr("write /etc/a.conf: /etc/a.conf: write:"));
  }
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "by hand");
  EXPECT_THAT(stage.apply_error(), HasSubstr("write /etc/a.conf"));
  EXPECT_THAT(stage.systemctl.calls, IsEmpty());

  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.machine.text("/etc/a.conf"), std::string(5000, 'x'));
  EXPECT_EQ(stage.apply_error(), "none");
  EXPECT_THAT(stage.systemctl.calls, ElementsAre("restart a.service"));
}

TEST(Agent, RestartsByHandAreDoneOnceAndTheAnnotationGoes) {
  AgentStage stage;
  stage.settle(kFirst);
  ask_restart(stage, " kubelet, a.service,--force,");

  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.round(), "");

  EXPECT_EQ(stage.annotation(kRestart), "none");
  EXPECT_THAT(stage.systemctl.calls, ElementsAre("restart a.service", "restart kubelet.service"));
  EXPECT_THAT(stage.rules.asked, Contains("system:node:m1 patch Node m1"));
}

TEST(Agent, WithoutAServerForHoursTheMachineIsKeptAsItIsToBeAndThenTakesWhatHasChanged) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.rules.answers = false;
  stage.machine.put("/etc/a.conf", "by hand");
  stage.start();

  for (int hour = 0; hour < 6; ++hour) {
    EXPECT_THAT(stage.round(), HasSubstr("no route to host"));
    EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1");
    stage.clock.advance(hours(1));
  }
  EXPECT_THAT(stage.systemctl.calls, ElementsAre("restart a.service"));

  stage.offer_and_release(kSecond);
  stage.rules.answers = true;
  EXPECT_EQ(stage.round(), "");
  stage.clock.advance(seconds(100));
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "2");
  EXPECT_EQ(stage.applied(), checksum_of(kSecond));
}

TEST(Agent, WithoutTheSecretForHoursTheMachineKeepsWhatItHasAndThenTakesWhatHasChanged) {
  AgentStage stage;
  stage.settle(kFirst);
  ASSERT_TRUE(stage.user.remove(kube::resources::secrets(), kSecret, {}, kNever));

  for (int hour = 0; hour < 6; ++hour) {
    EXPECT_THAT(stage.round(), HasSubstr("read Secret"));
    stage.clock.advance(hours(1));
  }
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "1");
  EXPECT_EQ(stage.apply_error(), "none");
  EXPECT_THAT(stage.systemctl.calls, IsEmpty());

  stage.offer_and_release(kSecond);
  EXPECT_EQ(stage.round(), "");
  stage.clock.advance(seconds(100));
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.machine.text("/etc/a.conf"), "2");
}

TEST(Agent, RenewsItsCertificateAfterFourFifthsOfItsLifeWithItself) {
  AgentStage stage;
  stage.settle(kFirst);
  const std::string first = stage.machine.text("/var/lib/capstan-agent/agent.pem");
  stage.clock.advance(days(8));

  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.rules.asked,
              Contains(HasSubstr("capstan.dev:agent:default:m1 create CertificateSigningRequest")));
  stage.sign_requests();
  EXPECT_EQ(stage.round(), "");

  EXPECT_NE(stage.machine.text("/var/lib/capstan-agent/agent.pem"), first);
  EXPECT_FALSE(stage.machine.has("/var/lib/capstan-agent/next.pem"));
}

TEST(Agent, AfterALongSleepItAsksWithTheKubeletsIdentity) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.forget_requests();
  stage.clock.advance(days(20));

  stage.round();
  EXPECT_THAT(stage.rules.asked, Contains(HasSubstr("system:node:m1 create CertificateSigningRequest")));
  stage.sign_requests();
  EXPECT_EQ(stage.round(), "");

  EXPECT_THAT(stage.rules.asked.back(), HasSubstr("capstan.dev:agent:default:m1 read Secret"));
}

TEST(Agent, ACertificateThatTheServerRefusesIsReplacedWhateverTheClockSays) {
  AgentStage stage;
  stage.settle(kFirst);
  stage.rules.expired = {"capstan.dev:agent:default:m1"};
  EXPECT_THAT(stage.round(), HasSubstr("Unauthorized"));

  stage.round();
  stage.sign_requests();
  stage.rules.expired.clear();

  EXPECT_EQ(stage.round(), "");
  EXPECT_THAT(stage.rules.asked, Contains(HasSubstr("system:node:m1 create CertificateSigningRequest")));
}

TEST(Agent, ARequestThatWasDeniedIsToldAndAnotherOneMade) {
  AgentStage stage;
  stage.offer(kFirst);
  stage.round();
  const std::string first = stage.machine.text("/var/lib/capstan-agent/next.pem");
  const auto requests = stage.user.list(kRequests, {}, kNever);
  const std::string name(
      std::string_view(requests->at("items").as_array().at(0).at("metadata").at("name").as_string()));
  stage.change(
      kRequests, {.name = name},
      {{"status", {{"conditions", json::array{{{"type", "Denied"}, {"message", "it has a Node"}}}}}}},
      "status");

  EXPECT_THAT(stage.round(), HasSubstr("Denied: it has a Node"));
  EXPECT_EQ(stage.round(), "");

  EXPECT_NE(stage.machine.text("/var/lib/capstan-agent/next.pem"), first);
}

TEST(Agent, AKubeletIsFetchedCheckedAndRestarted) {
  AgentStage stage;
  stage.settle(kFirst);
  const std::string config = AgentStage::config(
      R"("kubelet":{"binaries":[{"version":"v1.35.0","url":"https://x/kubelet","sha256":")" +
      checksum_of("kubelet v1.35.3") + "\"}]}");
  stage.offer_and_release(config);
  stage.round();
  stage.clock.advance(hours(1));

  EXPECT_THAT(stage.round(), HasSubstr("fetch /usr/local/bin/kubelet: what came has another checksum"));
  EXPECT_FALSE(stage.machine.has("/usr/local/bin/kubelet"));
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 0U);

  stage.download = "kubelet v1.35.3";
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.machine.text("/usr/local/bin/kubelet"), "kubelet v1.35.3");
  EXPECT_EQ(stage.machine.mode("/usr/local/bin/kubelet"), 0755U);
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 1U);
  EXPECT_EQ(stage.apply_error(), "none");
}

// The files of a.service were written, and it was not restarted for hours, because the kubelet's server was
// away; and the first failure of the download stopped the change on all other Nodes.
TEST(Agent, ADownloadThatFailsOnANodeHoldsBackTheKubeletAloneAndIsReportedAfterAMinute) {
  AgentStage stage;
  stage.settle(kFirst);
  const std::string config = AgentStage::config(
      R"("files":[{"path":"/etc/a.conf","content":"2"}],"units":[{"name":"a.service","filePaths":["/etc/a.conf"]}],)"
      R"("kubelet":{"binaries":[{"version":"v1.35.0","url":"https://x/kubelet","sha256":")" +
      checksum_of("kubelet v1.35.3") + "\"}]}");
  stage.offer_and_release(config);
  stage.round();
  stage.clock.advance(hours(1));

  EXPECT_THAT(stage.round(), HasSubstr("fetch /usr/local/bin/kubelet"));
  EXPECT_EQ(stage.systemctl.count("restart a.service"), 1U);
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 0U);
  EXPECT_EQ(stage.apply_error(), "none");
  EXPECT_EQ(stage.applied(), checksum_of(kFirst));

  stage.clock.advance(std::chrono::minutes(1));
  EXPECT_THAT(stage.round(), HasSubstr("fetch /usr/local/bin/kubelet"));
  EXPECT_THAT(stage.apply_error(), HasSubstr("fetch /usr/local/bin/kubelet"));
  EXPECT_EQ(stage.applied(), checksum_of(config));

  stage.download = "kubelet v1.35.3";
  EXPECT_EQ(stage.round(), "");
  EXPECT_EQ(stage.apply_error(), "none");
  EXPECT_EQ(stage.systemctl.count("restart a.service"), 1U);
  EXPECT_EQ(stage.systemctl.count("restart kubelet.service"), 1U);
}

TEST(Agent, WithoutItsFactsItSaysWhichFileIsMissing) {
  AgentStage stage;
  std::filesystem::remove(stage.machine.at("/etc/capstan/agent.json"));

  EXPECT_THAT(stage.round(), HasSubstr("/etc/capstan/agent.json: no such file"));
}

}  // namespace
}  // namespace capstan::agent
