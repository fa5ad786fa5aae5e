// The agent of a machine, from a bootstrap token to a Node and later changes.
#include "agent/joined_fixture.h"
#include "test/envtest/agent_ground_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::Not;
using ::testing::StartsWith;

class AgentOnRealServers : public ::testing::Test, protected AgentGround {
 protected:
  AgentOnRealServers() : AgentGround(fs::read_symlink("/proc/self/exe").parent_path()) {}
  void SetUp() override { start(); }
};

TEST_F(AgentOnRealServers, TurnsATokenIntoACertificateAndAMachineIntoANode) {
  settle(config("1"));

  EXPECT_EQ(on_machine("etc/a.conf"), "1");
  EXPECT_EQ(applied(), agent::checksum_of(config("1")));
  EXPECT_FALSE(fs::exists(machine() / "etc/kubernetes/bootstrap-kubelet.conf"));
  EXPECT_THAT(on_machine("etc/capstan/agent.json"), Not(HasSubstr("0123456789abcdef")));
  EXPECT_EQ(content_of(told()),
            "enable -- a.service\nenable --now -- kubelet.service\nrestart -- a.service\n");
  const std::string group = "--as-group=capstan.dev:node-config:default:workers";
  const std::string user = "--as=capstan.dev:agent:default:m1";
  EXPECT_THAT(kubectl({"auth", "can-i", "get", "secrets/workers", "-n", "kube-system", user, group}),
              "yes\n");
  EXPECT_THAT(refused({"auth", "can-i", "get", "secrets/other", "-n", "kube-system", user, group}),
              Not(HasSubstr("yes")));
}

TEST_F(AgentOnRealServers, AppliesAChangeAndRestartsByHandWhileItRuns) {
  settle(config("1"));
  const auto agent = ChildProcess::start({.argv = command()}, log());
  ASSERT_TRUE(agent) << agent.error().describe();
  offer(config("2"));
  EXPECT_TRUE(eventually([&] { return on_machine("etc/a.conf") == "2"; })) << content_of(agent->log());
  EXPECT_TRUE(eventually([&] { return applied() == agent::checksum_of(config("2")); }));
  const auto second = run({.argv = command()}, seconds(20));
  ASSERT_TRUE(second) << second.error().describe();
  EXPECT_EQ(second->exit_code, 5) << "one agent to a machine";
  EXPECT_THAT(second->err, HasSubstr("another capstan-agent runs on this machine"));
  EXPECT_THAT(kubectl({"annotate", "node", "m1", "capstan.dev/restart-services=containerd"}),
              HasSubstr("node/m1 annotated"));
  EXPECT_TRUE(eventually([&] { return content_of(told()).ends_with("restart -- containerd.service\n"); }))
      << content_of(told());
  EXPECT_TRUE(eventually([&] { return annotation(R"(capstan\.dev/restart-services)").empty(); }));
}

// The program of the other version lies there already: fetching needs a server with a certificate.
TEST_F(AgentOnRealServers, AnswersAnUpdateInPlaceOnItsOwnNode) {
  const std::string program = "kubelet v1.36.0";
  const std::string text =
      fmt::format(R"({{"clusterName":"c1","apply":{{"maxDelaySeconds":0}},"kubelet":{{"binaries":[)"
                  R"({{"version":"v1.36.0","url":"https://127.0.0.1:1/kubelet","sha256":"{}"}}]}}}})",
                  agent::checksum_of(program));
  settle(text);
  write(machine() / "usr/local/bin/kubelet", program);
  fs::permissions(machine() / "usr/local/bin/kubelet", static_cast<fs::perms>(0755));
  const auto agent = ChildProcess::start({.argv = command()}, log());
  ASSERT_TRUE(agent) << agent.error().describe();

  kubectl({"annotate", "node", "m1", "capstan.dev/update-version=v1.36.0"});
  kubectl({"label", "node", "m1", "capstan.dev/ready-for-update=workers-2"});

  EXPECT_TRUE(eventually([&] { return label(R"(capstan\.dev/update-result)") == "successful"; }))
      << content_of(agent->log());
  kubectl({"label", "node", "m1", "capstan.dev/update-result-", "capstan.dev/ready-for-update=workers-3",
           "--overwrite"});
  kubectl({"annotate", "node", "m1", "capstan.dev/update-version=v1.37.0", "--overwrite"});
  EXPECT_TRUE(eventually([&] { return label(R"(capstan\.dev/update-result)") == "failed"; }))
      << content_of(agent->log());
  EXPECT_THAT(annotation(R"(capstan\.dev/update-failed-reason)"),
              HasSubstr("no kubelet.binaries of v1.37.0"));
}

// kube-controller-manager signs for a year, of which 80 % are 292 days.
class RenewalOnRealServers : public AgentOnRealServers {
 protected:
  void SetUp() override {
    AgentOnRealServers::SetUp();
    settle(config("1"));
  }
  std::string certificate() const { return on_machine("var/lib/capstan-agent/agent.pem"); }
  void set_certificate_received(int days_ago) {
    const fs::path path = machine() / "var/lib/capstan-agent/state.json";
    const WallTime then = SystemClock().now() - std::chrono::days(days_ago);
    json::value state = json::parse(content_of(path));
    state.at("certificateReceived") = std::chrono::floor<seconds>(then).time_since_epoch().count();
    write(path, json::serialize(state));
  }
  // Gets it, and answers as whom the agent has asked.
  std::string renew_certificate() {
    kubectl({"delete", "csr", "--all"});
    EXPECT_EQ(one_round(), "");
    const std::string requester = kubectl({"get", "csr", "-o", "jsonpath={.items[*].spec.username}"});
    approve();
    EXPECT_EQ(one_round(), "");
    return requester;
  }
  void expect_another_than(const std::string& first) {
    EXPECT_THAT(certificate(), StartsWith("-----BEGIN"));
    EXPECT_NE(certificate(), first);
    offer(config("2"));
    EXPECT_EQ(one_round(), "");
    EXPECT_EQ(on_machine("etc/a.conf"), "2") << "the API server takes it";
  }
};

TEST_F(RenewalOnRealServers, AfterFourFifthsOfItsLifeTheCertificateAsksForTheNextOne) {
  const std::string first = certificate();
  set_certificate_received(300);

  EXPECT_EQ(renew_certificate(), "capstan.dev:agent:default:m1");

  expect_another_than(first);
}

TEST_F(RenewalOnRealServers, AfterALongSleepTheKubeletAsks) {
  const std::string first = certificate();
  set_certificate_received(400);

  EXPECT_EQ(renew_certificate(), "system:node:m1");

  expect_another_than(first);
}

TEST_F(RenewalOnRealServers, WithoutItsFileTheKubeletAsks) {
  const std::string first = certificate();
  fs::remove(machine() / "var/lib/capstan-agent/agent.pem");

  EXPECT_EQ(renew_certificate(), "system:node:m1");

  expect_another_than(first);
}

// The machine's clock says that it is good; the API server's says that it has ended.
TEST_F(RenewalOnRealServers, ForOneThatTheServerRefusesTheKubeletAsks) {
  const auto ca = net::new_ca("another", SystemClock().now(), SystemClock().now() + std::chrono::days(365));
  ASSERT_TRUE(ca) << ca.error().describe();
  const std::string refused =
      agent::credentials_of(*ca, {.common_name = "capstan.dev:agent:default:m1"}, SystemClock().now());
  write(machine() / "var/lib/capstan-agent/agent.pem", refused);
  kubectl({"delete", "csr", "--all"});
  const auto agent = ChildProcess::start({.argv = command()}, log());
  ASSERT_TRUE(agent) << agent.error().describe();

  EXPECT_TRUE(eventually([&] { return kubectl({"get", "csr", "-o", "name"}).contains("capstan-agent-"); }))
      << content_of(agent->log());
  EXPECT_EQ(kubectl({"get", "csr", "-o", "jsonpath={.items[*].spec.username}"}), "system:node:m1");
  approve();
  EXPECT_TRUE(eventually([&] { return certificate() != refused; })) << content_of(agent->log());
  offer(config("2"));
  EXPECT_TRUE(eventually([&] { return on_machine("etc/a.conf") == "2"; })) << content_of(agent->log());
}

}  // namespace
}  // namespace capstan::envtest
