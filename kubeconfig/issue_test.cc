#include "kubeconfig/issue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/pki.h"

namespace capstan::kubeconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WallTime in_year(int year) { return std::chrono::sys_days(std::chrono::year(year) / 6 / 1); }

net::KeyAndCertificate an_authority() { return *net::new_ca("kubernetes", in_year(2024), in_year(2034)); }

api::SecretContent ca_secret(const net::KeyAndCertificate& ca) {
  api::SecretContent secret{.namespace_ = "default", .name = "c1-ca"};
  secret.data.emplace("tls.crt", Secret<std::string>(ca.certificate_pem));
  secret.data.emplace("tls.key", ca.private_key_pem);
  return secret;
}

AdminRequest request(std::string host = "10.0.0.1") {
  return {.cluster_name = "c1", .host = std::move(host), .port = 6443, .now = in_year(2026)};
}

TEST(Issue, NamesEverythingAfterTheCluster) {
  const auto config = issue_admin(ca_secret(an_authority()), request());

  ASSERT_TRUE(config) << config.error().describe();
  EXPECT_EQ(config->clusters.at(0).name, "c1");
  EXPECT_EQ(config->clusters.at(0).server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->users.at(0).name, "c1-admin");
  EXPECT_EQ(config->contexts.at(0).name, "c1-admin@c1");
  EXPECT_EQ(config->current_context, "c1-admin@c1");
}

TEST(Issue, PutsAddressesWithColonsIntoBrackets) {
  const auto config = issue_admin(ca_secret(an_authority()), request("fd00::1"));

  ASSERT_TRUE(config);
  EXPECT_EQ(config->clusters.at(0).server, "https://[fd00::1]:6443");
}

TEST(Issue, LetsAnAdministratorInForAYear) {
  const auto ca = an_authority();

  const auto config = issue_admin(ca_secret(ca), request());

  ASSERT_TRUE(config);
  const auto facts = net::read_certificate(config->users.at(0).certificate_pem);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->common_name, "kubernetes-admin");
  EXPECT_THAT(facts->organizations, ElementsAre("system:masters"));
  EXPECT_EQ(facts->not_before, in_year(2024));
  EXPECT_EQ(facts->not_after, in_year(2026) + kAdminValidity);
  EXPECT_TRUE(net::check_issued_by(config->users.at(0).certificate_pem, ca.certificate_pem));
}

TEST(Issue, NamesTheKeyThatTheCaSecretLacks) {
  auto secret = ca_secret(an_authority());
  secret.data.erase("tls.key");

  const auto config = issue_admin(secret, request());

  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::Invalid);
  EXPECT_THAT(config.error().message, HasSubstr("secret default/c1-ca has no key \"tls.key\""));
}

TEST(Issue, RefusesACaThatIsNoCertificate) {
  auto secret = ca_secret(an_authority());
  secret.data["tls.crt"] = Secret<std::string>("garbage");

  const auto config = issue_admin(secret, request());

  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, HasSubstr("secret default/c1-ca, tls.crt"));
}

TEST(Issue, KnowsAKubeconfigThatWasMadeWithAnotherCa) {
  const auto ca = an_authority();
  const auto other = an_authority();
  const auto config = *issue_admin(ca_secret(ca), request());
  auto trusts_other = config;
  trusts_other.clusters.at(0).ca_pem = other.certificate_pem;
  auto trusts_both = config;
  trusts_both.clusters.at(0).ca_pem = other.certificate_pem + ca.certificate_pem;

  EXPECT_EQ(made_with_another_ca(config, ca_secret(ca)), std::nullopt);
  EXPECT_EQ(made_with_another_ca(config, ca_secret(other)), "the CA in Secret c1-ca has not signed it");
  EXPECT_EQ(made_with_another_ca(trusts_other, ca_secret(ca)),
            "its certificate-authority-data does not name the CA in Secret c1-ca");
  EXPECT_EQ(made_with_another_ca(trusts_both, ca_secret(ca)), std::nullopt);
}

TEST(Issue, KnowsWhenTheCertificateEnds) {
  const auto config = issue_admin(ca_secret(an_authority()), request());

  ASSERT_TRUE(config);
  EXPECT_EQ(certificate_end(*config), in_year(2026) + kAdminValidity);
  EXPECT_EQ(certificate_end(Kubeconfig{.users = {{.name = "token-only"}}}), std::nullopt);
}

}  // namespace
}  // namespace capstan::kubeconfig
