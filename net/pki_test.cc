#include "net/pki.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "net/test_support.h"
#include "net/token.h"

namespace capstan::net {
namespace {

using testing::ElementsAre;

WallTime at(int year) { return std::chrono::sys_days(std::chrono::year(year) / 6 / 1); }

KeyAndCertificate a_ca() { return value_of(new_ca("our CA", at(2024), at(2044))); }

TEST(Pki, CertificatesSayWhatWasAskedFor) {
  const auto ca = a_ca();

  const auto made =
      value_of(issue(ca, {.subject = {.common_name = "admin", .organizations = {"system:masters", "ops"}},
                          .dns_names = {"a.example", "*.b.example"},
                          .ip_addresses = {"10.0.0.1", "fd00::1"},
                          .server = true,
                          .not_before = at(2025),
                          .not_after = at(2026)}));

  const auto facts = value_of(read_certificate(made.certificate_pem));
  EXPECT_EQ(facts.subject, "CN=admin,O=ops,O=system:masters");
  EXPECT_EQ(facts.issuer, "CN=our CA");
  EXPECT_EQ(facts.common_name, "admin");
  EXPECT_THAT(facts.organizations, ElementsAre("system:masters", "ops"));
  EXPECT_THAT(facts.dns_names, ElementsAre("a.example", "*.b.example"));
  EXPECT_THAT(facts.ip_addresses, ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_EQ(facts.not_before, at(2025));
  EXPECT_EQ(facts.not_after, at(2026));
  EXPECT_FALSE(facts.is_ca);
  EXPECT_EQ(facts.public_key_pem, value_of(public_key_of(made.private_key_pem)));
  EXPECT_TRUE(check_issued_by(made.certificate_pem, ca.certificate_pem));
}

TEST(Pki, ACertificateAuthoritySignsItself) {
  const auto ca = a_ca();

  const auto facts = value_of(read_certificate(ca.certificate_pem));

  EXPECT_TRUE(facts.is_ca);
  EXPECT_EQ(facts.subject, facts.issuer);
  EXPECT_TRUE(check_issued_by(ca.certificate_pem, ca.certificate_pem));
}

TEST(Pki, TellsACertificateOfAnotherAuthority) {
  const auto made =
      value_of(issue(a_ca(), {.subject = {.common_name = "x"}, .client = true, .not_after = at(2040)}));

  const auto checked = check_issued_by(made.certificate_pem, a_ca().certificate_pem);

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Code::Unauthorized);
}

TEST(Pki, ARequestBecomesACertificateWithItsNames) {
  const auto ca = a_ca();
  const auto key = value_of(new_private_key());
  const auto request = value_of(new_signing_request(
      key, {.subject = {.common_name = "system:node:n1", .organizations = {"system:nodes"}},
            .dns_names = {"n1"}}));

  const auto asked = value_of(read_signing_request(request));
  const auto made =
      value_of(sign_request(ca, request, {.client = true, .not_before = at(2025), .not_after = at(2026)}));

  EXPECT_EQ(asked.subject.common_name, "system:node:n1");
  const auto facts = value_of(read_certificate(made));
  EXPECT_EQ(facts.common_name, "system:node:n1");
  EXPECT_THAT(facts.organizations, ElementsAre("system:nodes"));
  EXPECT_THAT(facts.dns_names, ElementsAre("n1"));
  EXPECT_EQ(facts.public_key_pem, value_of(public_key_of(key)));
}

TEST(Pki, RefusesNamesThatWouldAddOthers) {
  const auto ca = a_ca();

  EXPECT_FALSE(issue(ca, {.dns_names = {"a,DNS:evil"}, .server = true, .not_after = at(2040)}));
  EXPECT_FALSE(issue(ca, {.ip_addresses = {"10.0.0.999"}, .server = true, .not_after = at(2040)}));
}

TEST(Pki, RefusesTextThatIsNoPem) {
  EXPECT_FALSE(read_certificate("hello"));
  EXPECT_FALSE(public_key_of(Secret<std::string>("hello")));
  EXPECT_FALSE(read_signing_request("hello"));
}

TEST(Token, ComesBackVerified) {
  const auto key = value_of(new_private_key());

  const auto token = value_of(sign_token(key, "key-1", R"({"sub":"system:serviceaccount:a:b"})"));

  EXPECT_EQ(value_of(token_key_id(token)), "key-1");
  EXPECT_EQ(value_of(verify_token(value_of(public_key_of(key)), token)),
            R"({"sub":"system:serviceaccount:a:b"})");
}

TEST(Token, IsRefusedWhenAnythingWasChanged) {
  const auto key = value_of(new_private_key());
  const auto other = value_of(new_private_key());
  const auto token = value_of(sign_token(key, "k", R"({"sub":"a"})"));
  const auto trusted = value_of(public_key_of(key));
  const auto dot = token.find('.');

  EXPECT_FALSE(verify_token(value_of(public_key_of(other)), token));
  EXPECT_FALSE(verify_token(trusted, token.substr(0, token.size() - 4)));
  const std::string other_payload =
      token.substr(0, dot + 1) + base64url_encode(R"({"sub":"b"})") + token.substr(token.rfind('.'));
  EXPECT_FALSE(verify_token(trusted, other_payload));
  const std::string no_algorithm = base64url_encode(R"({"alg":"none","typ":"JWT"})") + token.substr(dot);
  EXPECT_FALSE(verify_token(trusted, no_algorithm));
  EXPECT_FALSE(verify_token(trusted, "a.b"));
  EXPECT_FALSE(verify_token(trusted, ""));
}

}  // namespace
}  // namespace capstan::net
