#include "net/signing_request.h"

#include <gmock/gmock.h>

#include <string>

namespace capstan::net {
namespace {

using testing::ElementsAre;

// Of "O=one, O=two, CN=a" and the alternative name a.example.
constexpr std::string_view kRequest = R"(-----BEGIN CERTIFICATE REQUEST-----
MIIBCjCBsQIBADAoMQwwCgYDVQQKDANvbmUxDDAKBgNVBAoMA3R3bzEKMAgGA1UE
AwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBRnfkdsD0DWc9wFO8T1NG7H
B608/DuUqXrPNHH0h3J2kWNYtOOaJo9pFuQwob4hK4/naz5GDVqpc08aDZYHgBig
JzAlBgkqhkiG9w0BCQ4xGDAWMBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAKBggqhkjO
PQQDAgNIADBFAiEA5f21jBjyd5Ngz9FYuAGwoSTm1TpWerJkOat8e4cIxnMCIHoJ
jjp/RbGhh0upDIZXUdlSQfTl8OjRfmLdzVRD+txo
-----END CERTIFICATE REQUEST-----
)";

TEST(SigningRequest, SaysWhatItsSubjectIs) {
  const auto facts = read_signing_request(kRequest);

  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->common_name, "a");
  EXPECT_THAT(facts->organizations, ElementsAre("one", "two"));
  EXPECT_EQ(facts->subject_entries, 3U);
  EXPECT_TRUE(facts->asks_for_extensions);
}

TEST(SigningRequest, OfAnotherSignatureIsInvalid) {
  std::string forged(kRequest);
  const auto end = forged.find("\n-----END");
  std::swap(forged[end - 12], forged[end - 20]);

  const auto facts = read_signing_request(forged);

  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, Code::Invalid);
}

TEST(SigningRequest, IsInvalidWhenItIsNone) {
  EXPECT_FALSE(read_signing_request(""));
  EXPECT_FALSE(
      read_signing_request("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"));
}

}  // namespace
}  // namespace capstan::net
