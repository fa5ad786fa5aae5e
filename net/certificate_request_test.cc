#include "net/certificate_request.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>

#include "net/openssl.h"

namespace capstan::net {
namespace {

using RequestPtr = std::unique_ptr<X509_REQ, FreeWith<X509_REQ_free>>;

const Subject kSubject = {.common_name = "capstan.dev:agent:default:m1",
                          .organizations = {"capstan.dev:node-config:default:workers"}};

TEST(CertificateRequest, NamesItsSubjectAndIsSignedByItsKey) {
  const auto key = new_private_key();
  ASSERT_TRUE(key);

  const auto text = certificate_request(kSubject, *key);

  ASSERT_TRUE(text) << text.error().describe();
  const BioPtr bio = memory_bio(*text);
  const RequestPtr request(PEM_read_bio_X509_REQ(bio.get(), nullptr, nullptr, nullptr));
  ASSERT_TRUE(request);
  EXPECT_EQ(name_text(X509_REQ_get_subject_name(request.get())),
            "CN=capstan.dev:agent:default:m1,O=capstan.dev:node-config:default:workers");
  EXPECT_EQ(X509_REQ_verify(request.get(), X509_REQ_get0_pubkey(request.get())), 1);
}

TEST(CertificateRequest, NeedsAKey) {
  EXPECT_FALSE(certificate_request(kSubject, Secret<std::string>("no key")));
}

TEST(CertificateRequest, KnowsTheCertificateOfItsKey) {
  const WallTime now = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
  const auto ca = new_ca("test", now, now + std::chrono::days(1));
  const auto own = issue(*ca, {.subject = kSubject, .client = true, .not_before = now, .not_after = now});

  EXPECT_TRUE(belong_together(own->certificate_pem, own->private_key_pem));
  EXPECT_FALSE(belong_together(own->certificate_pem, *new_private_key()));
}

}  // namespace
}  // namespace capstan::net
