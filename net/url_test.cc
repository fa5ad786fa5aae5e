#include "net/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::net {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Url, ReadsEveryPart) {
  const auto url = parse_url("HTTPS://us%40er:se%3Acret@Example.COM:6443/prefix/x?a=b&c#top");

  ASSERT_TRUE(url);
  EXPECT_EQ(*url, (Url{.scheme = "https",
                       .user = "us@er",
                       .password = "se:cret",
                       .host = "example.com",
                       .port = "6443",
                       .path = "/prefix/x",
                       .query = "a=b&c",
                       .has_credentials = true}));
}

TEST(Url, KnowsTheUsualPortsAndTheRootPath) {
  EXPECT_EQ(parse_url("https://a")->port, "443");
  EXPECT_EQ(parse_url("http://a")->port, "80");
  EXPECT_EQ(parse_url("http://a?x")->path, "/");
}

TEST(Url, TakesTheBracketsOffAnIpv6Address) {
  const auto url = parse_url("https://[FE80::1]:6443");

  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "fe80::1");
  EXPECT_EQ(url->port, "6443");
  EXPECT_EQ(host_and_port(url->host, url->port), "[fe80::1]:6443");
}

TEST(Url, RefusesWhatIsNoUrl) {
  for (const char* bad :
       {"", "example.com", "://x", "https://", "https://:1", "https://a:b", "https://a:123456",
        "https://[::1", "https://[::1]x", "https://a b", "https://a\r\nX: y"}) {
    EXPECT_FALSE(parse_url(bad)) << bad;
  }
}

TEST(Url, EncodesWhatWouldEndAValue) { EXPECT_EQ(encode_query_value("a=b&c,d/é"), "a%3Db%26c%2Cd%2F%C3%A9"); }

TEST(Url, ReadsQueriesInOrderAndKeepsMalformedEscapes) {
  const Query query = parse_query("a=1+2&b=%2f&&c&bad=%zz%4");

  EXPECT_THAT(query, ElementsAre(Pair("a", "1 2"), Pair("b", "/"), Pair("c", ""), Pair("bad", "%zz%4")));
}

TEST(Url, WritesQueriesThatReadBackTheSame) {
  const Query query = {{"labelSelector", "a in (b,c)"}, {"x", "+ &="}};

  EXPECT_EQ(parse_query(render_query(query)), query);
}

}  // namespace
}  // namespace capstan::net
