#include "bootstrap/token.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "base/base64.h"
#include "bootstrap/mint.h"

namespace capstan::bootstrap {
namespace {

using testing::MatchesRegex;

const TokenOwner kOwner = {
    .config = {.namespace_ = "default", .name = "m1"}, .uid = "u1", .machine = "Machine default/m1"};

Token a_token() {
  SeededRandomness randomness(1);
  Token token = mint(randomness);
  token.expires = Time::from_unix(1'800'000'000);
  return token;
}

std::string field(const boost::json::value& secret, std::string_view name) {
  return *base64_decode(secret.at("data").at(name).as_string());
}

TEST(Token, IsMintedAsKubernetesWantsIt) {
  SeededRandomness randomness(1);

  const Token first = mint(randomness);
  const Token second = mint(randomness);

  EXPECT_THAT(first.text(), MatchesRegex("[a-z0-9]{6}\\.[a-z0-9]{16}"));
  EXPECT_NE(first.text(), second.text());
}

TEST(Token, IsASecretThatAuthenticatesAndSignsNothing) {
  const Token token = a_token();

  const auto secret = token_secret(token, kOwner);

  EXPECT_EQ(std::string_view(secret.at("metadata").at("name").as_string()), "bootstrap-token-" + token.id);
  EXPECT_EQ(secret.at("metadata").at("namespace"), "kube-system");
  EXPECT_EQ(secret.at("type"), "bootstrap.kubernetes.io/token");
  EXPECT_EQ(field(secret, "usage-bootstrap-authentication"), "true");
  EXPECT_FALSE(secret.at("data").as_object().contains("usage-bootstrap-signing"));
  EXPECT_EQ(field(secret, "auth-extra-groups"), "system:bootstrappers:capstan");
  EXPECT_EQ(field(secret, "expiration"), "2027-01-15T08:00:00Z");
}

TEST(Token, IsReadAsItWasWritten) {
  const auto secret = token_secret(a_token(), kOwner);

  const auto read = read_token(secret);

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, a_token());
  EXPECT_EQ(config_in(secret), kOwner.config);
}

TEST(Token, IsReadFromAList) {
  auto item = token_secret(a_token(), kOwner);
  item.as_object().erase("kind");
  item.as_object().erase("apiVersion");

  EXPECT_TRUE(read_token(item));
}

TEST(Token, IsNotReadFromAnotherSecret) {
  auto secret = token_secret(a_token(), kOwner);
  secret.as_object()["type"] = "Opaque";

  EXPECT_FALSE(read_token(secret));
}

// A CloudConfig's name may have 253 characters, a label's value 63.
TEST(Token, TellsLongNamesApart) {
  const std::string stem(200, 'a');
  const auto selector = [&](std::string_view end) {
    return tokens_of({.namespace_ = "default", .name = stem + std::string(end)});
  };

  EXPECT_NE(selector("b"), selector("c"));
  EXPECT_THAT(selector("b"), MatchesRegex(".*config-name=a{54}-[0-9a-f]{8}"));
  EXPECT_EQ(config_in(token_secret(a_token(), {.config = {.namespace_ = "default", .name = stem}})),
            std::nullopt)
      << "a part of a name is no name";
}

}  // namespace
}  // namespace capstan::bootstrap
