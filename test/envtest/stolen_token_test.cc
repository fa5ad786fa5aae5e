// capstan-agent with a token that was minted for another Machine: the real provider approves, and
// kube-controller-manager signs what is approved.
#include "test/envtest/bootstrap_suite_fixture.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StolenToken : public Bootstrap {
 protected:
  RealServerOptions server_options() const override {
    return {.controller_manager = true,
            .controllers = {"certificatesigningrequest-approving-controller",
                            "certificatesigningrequest-signing-controller", "token-cleaner-controller"},
            .audit_policy = std::string(kAuditRequests),
            .apiserver_flags = {"--enable-bootstrap-token-auth=true", "--authorization-mode=Node,RBAC",
                                "--enable-admission-plugins=NodeRestriction"}};
  }
  void SetUp() override {
    Bootstrap::SetUp();
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
  }

  // The facts of the birth of a machine, with the token of another.
  std::string facts(const std::string& machine, const std::string& token_of) {
    json::value facts = json::parse(file_in_data(api::bootstrap::kAgentFactsFile, machine));
    facts.at("token") = json::parse(file_in_data(api::bootstrap::kAgentFactsFile, token_of)).at("token");
    return json::serialize(facts);
  }
  fs::path certificate_of(const std::string& machine) const {
    return folder_->path() / machine / "var/lib/capstan-agent/agent.pem";
  }
  // One round of the agent of that machine; what it said.
  std::string one_round(const std::string& machine, const std::string& facts) {
    const fs::path root = folder_->path() / machine;
    fs::create_directories(root / "etc/capstan");
    std::ofstream(root / "etc/capstan/agent.json") << facts;
    const auto outcome = run({.argv = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan-agent",
                                       "--root", root, "--systemctl", "/bin/true", "--once"}},
                             seconds(60));
    return outcome ? outcome->err : outcome.error().describe();
  }
  // Of all requests, "Approved" or "Denied" and whether there is a certificate.
  std::string answers() {
    const auto outcome = servers_->run_kubectl(
        {"get", "csr", "-o",
         "jsonpath={range .items[*]}{.status.conditions[0].type} {.status.certificate}\n{end}"});
    return outcome ? outcome->out : outcome.error().describe();
  }

  std::unique_ptr<ScratchFolder> folder_;
};

TEST_F(StolenToken, GetsNoCertificateOfAnotherMachineAndItsOwnMachineGetsOne) {
  add_cluster();
  add_node_config();
  add_machine(with_node_config(), "m1");
  add_machine(with_node_config(), "m2");
  ASSERT_TRUE(eventually([&] { return has_data("m1") && has_data("m2"); }));

  const std::string stolen = facts("m2", "m1");
  EXPECT_TRUE(eventually([&] {
    return one_round("m2", stolen).contains("Denied: the bootstrap token was minted for Machine default/m1");
  })) << answers();
  EXPECT_THAT(answers(), AllOf(HasSubstr("Denied"), Not(HasSubstr("Approved"))));
  EXPECT_FALSE(fs::exists(certificate_of("m2")));

  EXPECT_TRUE(eventually([&] {
    one_round("m1", facts("m1", "m1"));
    return fs::exists(certificate_of("m1"));
  })) << answers();
  EXPECT_THAT(answers(), HasSubstr("Approved LS0"));
  expect_rights_suffice(*servers_);
}

}  // namespace
}  // namespace capstan::envtest
