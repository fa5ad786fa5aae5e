// The bootstrap provider on a real kube-apiserver: by the token in the data Secret a kubelet's first requests
// are let in, and after the join they are not.
#include "bootstrap/approval/request_fixture.h"
#include "test/envtest/bootstrap_suite_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Of "O=system:nodes, CN=system:node:m1".
constexpr std::string_view kCertificateRequest = R"(-----BEGIN CERTIFICATE REQUEST-----
MIHrMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz
dGVtOm5vZGU6bTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARFBrwOdGriiTc3
jT40uEwCPchoWhZ1KnQipkQgDd9JipB2zOK3Y3FSXMKJ57cO/p3wF81yNNjJflXg
RWPJx921oAAwCgYIKoZIzj0EAwIDSAAwRQIhANpYH8i0kjJh8lE2SNFQD2P1pKmQ
5YdNW0XI3/6gk5o2AiB9KWSdth1Xppn7P29EtRUxmXfCvpvkY8LL2sJzEOeD3Q==
-----END CERTIFICATE REQUEST-----
)";

const kube::Resource kSigningRequests = {.group = "certificates.k8s.io",
                                         .version = "v1",
                                         .plural = "certificatesigningrequests",
                                         .kind = "CertificateSigningRequest",
                                         .namespaced = false};

json::value signing_request(std::string_view name) {
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"request", base64_encode(kCertificateRequest)},
            {"signerName", "kubernetes.io/kube-apiserver-client-kubelet"},
            {"usages", {"digital signature", "client auth"}}}}};
}

TEST_F(Bootstrap, LetsAKubeletAskForItsCertificateUntilItHasJoined) {
  add_cluster();
  add_machine();
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const auto kubelet = client(as_kubelet());

  const auto user = who_am_i(*kubelet);
  must(user, "ask who we are");
  EXPECT_THAT(json::serialize(*user),
              AllOf(HasSubstr("system:bootstrap:"), HasSubstr("\"system:bootstrappers:capstan\"")));
  EXPECT_TRUE(eventually([&] {
    return kubelet->create(kSigningRequests, {.name = "m1"}, signing_request("m1"), {}, soon()).has_value();
  })) << "the bindings are made beside the token";
  const auto other = kubelet->list(kube::resources::secrets(), {.namespace_ = "default"}, soon());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::Forbidden);

  join();
  EXPECT_TRUE(eventually([&] { return tokens() == 0; }));
  EXPECT_TRUE(eventually([&] {
    const auto refused = who_am_i(*kubelet);
    return !refused && refused.error().code == Code::Unauthorized;
  }));
  expect_rights_suffice(*servers_);
}

TEST_F(Bootstrap, RenewsTheDataWhenTheTokenWasTaken) {
  add_cluster();
  add_machine();
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const std::string first = as_kubelet().token.reveal();

  take_token();
  change_commands();

  EXPECT_TRUE(eventually([&] { return as_kubelet().token.reveal() != first; }));
  must(who_am_i(*client(as_kubelet())), "ask who we are");
  expect_rights_suffice(*servers_);
}

TEST_F(Bootstrap, LetsAnAgentReadItsNodeConfigAndNothingElse) {
  add_cluster();
  add_node_config();
  const kube::ObjectKey secret = bootstrap::nodeconfig::secret_key(named("workers"));
  ASSERT_TRUE(eventually([&] { return !get<api::NodeConfig>("workers").status.checksum.empty(); }));

  const auto stored = admin_->get(kube::resources::secrets(), secret, soon());
  must(stored, "read the Secret");
  EXPECT_EQ(api::read_secret(*stored)->find("checksum")->reveal(),
            get<api::NodeConfig>("workers").status.checksum);
  for (const std::string_view verb : {"get", "list", "watch"})
    EXPECT_TRUE(eventually([&] { return agents_may(verb, secret.name); })) << verb;
  EXPECT_FALSE(agents_may("get", "bootstrap-token-abcdef"));
  EXPECT_FALSE(agents_may("patch", secret.name));

  must(kube::remove<api::NodeConfig>(*admin_, named("workers"), {}, soon()), "delete the NodeConfig");
  EXPECT_TRUE(eventually([&] { return !kube::get<api::NodeConfig>(*admin_, named("workers"), soon()); }));
  EXPECT_TRUE(eventually([&] { return !agents_may("get", secret.name); }));
  EXPECT_FALSE(admin_->get(kube::resources::secrets(), secret, soon()));
  expect_rights_suffice(*servers_);
}

TEST_F(Bootstrap, ApprovesTheCertificateOfAnAgentForItsOwnMachineAlone) {
  add_cluster();
  add_node_config();
  add_machine(with_node_config());
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const auto agent = client(as_new_agent());
  const auto ask = [&](const std::string& name, std::string_view pem) {
    return agent
        ->create(kSigningRequests, {.name = name},
                 {{"apiVersion", "certificates.k8s.io/v1"},
                  {"kind", "CertificateSigningRequest"},
                  {"metadata", {{"name", name}}},
                  {"spec",
                   {{"request", base64_encode(pem)},
                    {"signerName", bootstrap::approval::kSigner},
                    {"usages", json::array{"client auth"}}}}},
                 {}, soon())
        .has_value();
  };

  EXPECT_TRUE(eventually([&] { return ask("own", bootstrap::approval::kRequestOfM1); }));
  EXPECT_TRUE(ask("anothers", bootstrap::approval::kRequestOfM2));

  EXPECT_TRUE(eventually([&] { return answer("own") == "Approved"; })) << answer("own");
  EXPECT_TRUE(eventually([&] { return answer("anothers") == "Denied"; })) << answer("anothers");
  expect_rights_suffice(*servers_);
}

// kube-controller-manager deletes tokens that have ended.
class TokenCleaner : public Bootstrap {
 protected:
  RealServerOptions server_options() const override {
    RealServerOptions options = Bootstrap::server_options();
    options.controller_manager = true;
    options.controllers = {"token-cleaner-controller"};
    return options;
  }
  std::string token_in_data() { return as_kubelet().token.reveal(); }
  static kube::ObjectKey secret_of(const std::string& token) {
    return bootstrap::key_of_token(token.substr(0, token.find('.')));
  }
  bool is_there(const std::string& token) {
    return admin_->get(kube::resources::secrets(), secret_of(token), soon()).has_value();
  }
  Time expiry_of(const std::string& token) {
    const auto secret = admin_->get(kube::resources::secrets(), secret_of(token), soon());
    const auto read = secret ? bootstrap::read_token(*secret) : fail(secret.error());
    must(read, "read the token");
    return read ? read->expires : Time();
  }
  // When it ends: read from the server it may be an extension already.
  Time let_expire(const std::string& token, Seconds from_now) {
    const Time end = Time::from(clock_.now()) + from_now;
    must(
        admin_->patch(kube::resources::secrets(), secret_of(token), bootstrap::expiry_patch(end), {}, soon()),
        "change the token's expiry");
    return end;
  }
};

TEST_F(TokenCleaner, TakesATokenThatHasEndedAndTheMachineGetsAnother) {
  add_cluster();
  add_machine();
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const std::string first = token_in_data();

  let_expire(first, Seconds(-60));
  ASSERT_TRUE(eventually([&] { return !is_there(first); }));
  change_commands();

  EXPECT_TRUE(eventually([&] { return token_in_data() != first; }));
  EXPECT_TRUE(is_there(token_in_data()));
  must(who_am_i(*client(as_kubelet())), "ask who we are");
}

TEST_F(TokenCleaner, LeavesATokenThatWasExtendedBeforeItsEnd) {
  constexpr Seconds kLeft{15};
  add_cluster();
  add_machine();
  ASSERT_TRUE(eventually([&] { return has_data(); }));
  const std::string token = token_in_data();
  const Time first_end = let_expire(token, kLeft);

  change_commands();
  ASSERT_TRUE(eventually([&] { return expiry_of(token) > first_end + Seconds(3600); }));
  ASSERT_TRUE(eventually([&] { return Time::from(clock_.now()) > first_end + Seconds(5); }));

  EXPECT_TRUE(is_there(token));
  EXPECT_EQ(token_in_data(), token);
}

}  // namespace
}  // namespace capstan::envtest
