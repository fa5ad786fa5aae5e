#include "net/pki.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_support.h"

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

TEST(Pki, RefusesNamesThatWouldAddOthers) {
  const auto ca = a_ca();

  EXPECT_FALSE(issue(ca, {.dns_names = {"a,DNS:evil"}, .server = true, .not_after = at(2040)}));
  EXPECT_FALSE(issue(ca, {.ip_addresses = {"10.0.0.999"}, .server = true, .not_after = at(2040)}));
}

TEST(Pki, RefusesTextThatIsNoPem) { EXPECT_FALSE(read_certificate("hello")); }

}  // namespace
}  // namespace capstan::net
