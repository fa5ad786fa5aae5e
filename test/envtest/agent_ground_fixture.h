// capstan-agent on a real kube-apiserver: bootstrap token, a certificate that kube-controller-manager signs,
// one Secret under RBAC, and a Node under the node authorizer and NodeRestriction. It plays provider,
// approver and kubelet; systemctl is a script that notes its arguments. What goes wrong is a failure of
// gtest. One thread.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>

#include "agent/checksum.h"
#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config_release.h"
#include "base/base64.h"
#include "base/threads.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::seconds;
using ::testing::HasSubstr;

inline constexpr std::string_view kToken = "abcdef.0123456789abcdef";
inline constexpr std::string_view kRights = R"(
apiVersion: v1
kind: Secret
metadata: {name: bootstrap-token-abcdef, namespace: kube-system}
type: bootstrap.kubernetes.io/token
stringData: {token-id: abcdef, token-secret: 0123456789abcdef, usage-bootstrap-authentication: "true",
             auth-extra-groups: "system:bootstrappers:capstan"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: capstan-node-bootstrapper}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:node-bootstrapper"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:bootstrappers:capstan"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: workers, namespace: kube-system}
rules: [{apiGroups: [""], resources: [secrets], resourceNames: [workers], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: workers, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: workers}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "capstan.dev:node-config:default:workers"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: workers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:node-bootstrapper"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "capstan.dev:node-config:default:workers"}]
)";

inline std::string config(std::string_view content) {
  return fmt::format(
      R"({{"clusterName":"c1","apply":{{"maxDelaySeconds":0}},"files":[{{"path":"/etc/a.conf","content":"{}"}}],)"
      R"("units":[{{"name":"a.service","filePaths":["/etc/a.conf"]}}]}})",
      content);
}

inline void write(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << content;
}

class AgentGround {
 public:
  // `programs` is the folder of capstan-agent.
  explicit AgentGround(fs::path programs, std::string audit_policy = {})
      : programs_(std::move(programs)), audit_policy_(std::move(audit_policy)) {}
  void start() {
    auto servers = RealServers::start(
        {.controller_manager = true,
         .controllers = {"certificatesigningrequest-approving-controller",
                         "certificatesigningrequest-signing-controller", "token-cleaner-controller"},
         .audit_policy = audit_policy_,
         .apiserver_flags = {"--enable-bootstrap-token-auth=true", "--authorization-mode=Node,RBAC",
                             "--enable-admission-plugins=NodeRestriction"}});
    ASSERT_TRUE(servers) << servers.error().describe();
    servers_ = std::move(*servers);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    kubectl({"apply", "-f", "-"}, std::string(kRights));
    write(machine() / "etc/capstan/agent.json",
          json::serialize(json::value{{"server", servers_->url()},
                                      {"certificateAuthority", servers_->ca_pem()},
                                      {"token", kToken},
                                      {"namespace", "default"},
                                      {"machine", "m1"},
                                      {"version", "v1.35.0"},
                                      {"nodeConfig", "workers"},
                                      {"secret", "workers"}}));
    write(systemctl(), fmt::format("#!/bin/sh\necho \"$@\" >>{}\n", told().string()));
    fs::permissions(systemctl(), fs::perms::owner_all);
  }

  fs::path machine() const { return folder_->path() / "machine"; }
  fs::path systemctl() const { return folder_->path() / "systemctl"; }
  fs::path told() const { return folder_->path() / "told"; }
  void pause(Nanoseconds span) { threads_.pause(Deadline::in(clock_, span)); }
  // How often the agent had systemctl restart units.
  std::size_t restarts() const {
    const std::string text = content_of(told());
    std::size_t count = 0;
    for (auto at = text.find("restart "); at != std::string::npos; at = text.find("restart ", at + 1))
      ++count;
    return count;
  }
  std::string on_machine(std::string_view path) const { return content_of(machine() / path); }

  std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
  }
  std::string refused(std::vector<std::string> arguments) {
    return envtest::refused(*servers_, std::move(arguments));
  }
  std::vector<std::string> command() const {
    return {programs_ / "capstan-agent", "--root", machine(), "--systemctl", systemctl()};
  }
  // What it said; empty when nothing is left to be tried again.
  std::string one_round() {
    std::vector<std::string> argv = command();
    argv.emplace_back("--once");
    const auto outcome = run({.argv = argv}, seconds(60));
    if (!outcome) return outcome.error().describe();
    return outcome->exit_code == 0 ? "" : outcome->err;
  }
  bool eventually(const std::function<bool()>& holds) {
    const Deadline deadline = Deadline::in(clock_, seconds(30));
    while (!holds()) {
      if (deadline.passed(clock_.steady_now())) return false;
      threads_.pause(Deadline::in(clock_, std::chrono::milliseconds(200)));
    }
    return true;
  }
  void offer(const std::string& text) {
    const std::string checksum = agent::checksum_of(text);
    const json::value secret = {
        {"apiVersion", "v1"},
        {"kind", "Secret"},
        {"metadata",
         {{"name", "workers"},
          {"namespace", "kube-system"},
          {"annotations",
           {{api::bootstrap::annotation::kReleased, api::bootstrap::release_text(checksum, UINT32_MAX)}}}}},
        {"stringData", {{"config.json", text}, {"checksum", checksum}}}};
    EXPECT_THAT(kubectl({"apply", "-f", "-"}, json::serialize(secret)), HasSubstr("secret/workers"));
  }
  void approve() {
    const std::string requests = kubectl({"get", "csr", "-o", "name"});
    EXPECT_THAT(requests, HasSubstr("capstan-agent-"));
    const std::string name = requests.substr(0, requests.find('\n'));
    EXPECT_THAT(kubectl({"certificate", "approve", name}), HasSubstr("approved"));
    EXPECT_TRUE(
        eventually([&] { return !kubectl({"get", name, "-o", "jsonpath={.status.certificate}"}).empty(); }));
  }
  void join() {
    const auto kubeconfig = servers_->kubeconfig_for("system:node:m1", "system:nodes");
    ASSERT_TRUE(kubeconfig);
    write(machine() / "etc/kubernetes/kubelet.conf", content_of(*kubeconfig));
    EXPECT_THAT(
        kubectl({"create", "-f", "-"}, R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"m1"}})"),
        HasSubstr("node/m1 created"));
  }
  std::string annotation(std::string_view escaped) { return of_node("annotations", escaped); }
  std::string label(std::string_view escaped) { return of_node("labels", escaped); }
  std::string of_node(std::string_view map, std::string_view escaped) {
    return kubectl({"get", "node", "m1", "-o", fmt::format("jsonpath={{.metadata.{}.{}}}", map, escaped)});
  }
  std::string applied() { return annotation(R"(bootstrap\.capstan\.dev/applied)"); }
  // A Node with that configuration.
  void settle(const std::string& text) {
    offer(text);
    EXPECT_EQ(one_round(), "");
    approve();
    EXPECT_EQ(one_round(), "");
    EXPECT_THAT(on_machine("etc/kubernetes/bootstrap-kubelet.conf"), HasSubstr(std::string(kToken)));
    join();
    EXPECT_EQ(one_round(), "");
  }

  const RealServers& servers() const { return *servers_; }
  fs::path log() const { return folder_->path() / "agent.log"; }

 private:
  const fs::path programs_;
  const std::string audit_policy_;
  SystemClock clock_;
  SystemThreads threads_;
  std::unique_ptr<RealServers> servers_;
  std::unique_ptr<ScratchFolder> folder_;
};

}  // namespace capstan::envtest
