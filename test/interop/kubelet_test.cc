// capstan-agent beside a real kubelet, which scripts/envtest --interop builds: the agent lets it join, and
// takes the token off the disk once kube-controller-manager has signed its certificate. The machine is a
// folder: the kubelet has it for its root, as the agent has. It needs a container runtime for more than that.
#include <signal.h>

#include <cstdlib>

#include "net/pki.h"
#include "test/envtest/agent_ground_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::Not;

constexpr std::string_view kAutomaticApproval = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: capstan-node-client-approval}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole,
          name: "system:certificates.k8s.io:certificatesigningrequests:nodeclient"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:bootstrappers:capstan"}]
)";
constexpr std::string_view kKubeletConfiguration =
    R"({"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","failSwapOn":false,"failCgroupV1":false,)"
    R"("containerRuntimeEndpoint":"unix:///run/none.sock"})";
constexpr std::string_view kCommand =
    "chroot {0} /usr/local/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf "
    "--kubeconfig=/etc/kubernetes/kubelet.conf --cert-dir=/var/lib/kubelet/pki "
    "--config=/var/lib/kubelet/config.yaml --hostname-override=m1";

class AgentBesideKubelet : public ::testing::Test, protected AgentGround {
 protected:
  AgentBesideKubelet() : AgentGround(fs::read_symlink("/proc/self/exe").parent_path()) {}
  void SetUp() override {
    const char* kubelet = std::getenv("CAPSTAN_KUBELET");
    ASSERT_NE(kubelet, nullptr) << "CAPSTAN_KUBELET names no kubelet: scripts/envtest --interop builds it";
    start();
    kubectl({"apply", "-f", "-"}, std::string(kAutomaticApproval));
    fs::create_directories(machine() / "usr/local/bin");
    fs::create_directories(machine() / "run");
    fs::copy_file(kubelet, machine() / "usr/local/bin/kubelet");
    // A systemctl that starts the kubelet's unit, in a session of its own, and again whenever it ends.
    write(machine().parent_path() / "unit",
          fmt::format("while :; do {}; sleep 1; done", fmt::format(kCommand, machine().string())));
    write(systemctl(), fmt::format(R"(#!/bin/sh
echo "$@" >>{0}
[ "$*" = 'restart -- kubelet.service' ] || exit 0
setsid sh {1}/unit >{1}/kubelet.log 2>&1 &
echo $! >{1}/kubelet.pid
)",
                                   told().string(), machine().parent_path().string()));
  }
  void TearDown() override {
    const int pid = std::atoi(content_of(pid_file()).c_str());
    if (pid > 0) kill(-pid, SIGKILL);
  }
  fs::path kubelet_log() const { return machine().parent_path() / "kubelet.log"; }
  fs::path pid_file() const { return machine().parent_path() / "kubelet.pid"; }
  // Where the kubelet keeps it: kubelet-client-current.pem is a link that leads there from the machine's
  // root.
  std::string kubelet_certificate() const {
    for (const auto& entry : fs::directory_iterator(machine() / "var/lib/kubelet/pki"))
      if (!entry.is_symlink() && entry.path().filename().string().starts_with("kubelet-client"))
        return content_of(entry.path());
    return {};
  }
  bool has(std::string_view path) const { return fs::exists(machine() / path); }
};

TEST_F(AgentBesideKubelet, LetsItJoinAndReportsWithItsCertificate) {
  const std::string text = fmt::format(
      R"({{"clusterName":"c1","apply":{{"maxDelaySeconds":0}},"kubelet":{{"configuration":{}}}}})",
      kKubeletConfiguration);
  offer(text);
  EXPECT_EQ(one_round(), "");
  approve();

  EXPECT_EQ(one_round(), "");
  ASSERT_TRUE(eventually([&] { return has("etc/kubernetes/kubelet.conf"); }))
      << content_of(told()) << content_of(kubelet_log());
  kubectl({"create", "-f", "-"}, R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"m1"}})");
  EXPECT_EQ(one_round(), "");

  const auto certificate = net::read_certificate(kubelet_certificate());
  ASSERT_TRUE(certificate) << certificate.error().describe();
  EXPECT_EQ(certificate->common_name, "system:node:m1");
  EXPECT_EQ(applied(), agent::checksum_of(text));
  EXPECT_FALSE(has("etc/kubernetes/bootstrap-kubelet.conf"));
  EXPECT_THAT(on_machine("etc/capstan/agent.json"), Not(HasSubstr("0123456789abcdef")));
}

}  // namespace
}  // namespace capstan::envtest
