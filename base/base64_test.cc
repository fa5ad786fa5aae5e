#include "base/base64.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(Base64, GivesThePublishedValues) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);

  EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
  EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
}

TEST(Base64, IgnoresLineBreaks) {
  EXPECT_EQ(base64_decode("Zm\r\n9v\n"), "foo");
  EXPECT_EQ(base64_decode("Zm9vYg=\n="), "foob");
}

TEST(Base64, RefusesWhatGoRefuses) {
  for (const std::string_view text :
       {"Zm9vYg", "Zm9v=", "Zm 9", "=", "====", "Zm9v====", "Zm9vYg==x", "Zm_-", "Z===", "Zg==Zg=="}) {
    const auto bytes = base64_decode(text);

    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, Code::Invalid);
  }
}

TEST(Base64, ErrorDoesNotRepeatTheText) {
  const auto bytes = base64_decode("c2VjcmV0!!!!");

  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().message.find("c2Vj"), std::string::npos);
}

TEST(Base64Url, UsesItsOwnAlphabetWithoutPadding) {
  EXPECT_EQ(base64url_encode("\xfb\xff"), "-_8");
  EXPECT_EQ(base64url_decode("-_8"), "\xfb\xff");
  EXPECT_FALSE(base64url_decode("+/8"));
  EXPECT_FALSE(base64url_decode("-_8="));
}

}  // namespace
}  // namespace capstan
