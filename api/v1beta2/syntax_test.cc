#include "api/v1beta2/syntax.h"

#include <gtest/gtest.h>

namespace capstan::api {
namespace {

TEST(LabelValue, StaysAsItIsWhenItCan) {
  EXPECT_EQ(label_value("md-0"), "md-0");
  EXPECT_EQ(label_value(std::string(63, 's')), std::string(63, 's'));
}

TEST(LabelValue, IsHashedOtherwise) { EXPECT_EQ(label_value(std::string(70, 's')), "hash_hY_ydw_z"); }

TEST(LabelValue, MayBeEmptyButNotBeginWithADash) {
  EXPECT_TRUE(label_value_faults("").empty());
  EXPECT_TRUE(label_value_faults("A_b.c-1").empty());
  EXPECT_FALSE(label_value_faults("-a").empty());
  EXPECT_FALSE(label_value_faults("a b").empty());
  EXPECT_FALSE(label_value_faults(std::string(64, 'a')).empty());
}

TEST(LabelKey, HasAtMostOnePrefixThatIsADomain) {
  EXPECT_TRUE(label_key_faults("a").empty());
  EXPECT_TRUE(label_key_faults("example.com/My.Name").empty());
  EXPECT_FALSE(label_key_faults("Example.com/a").empty());
  EXPECT_FALSE(label_key_faults("example.com/").empty());
  EXPECT_FALSE(label_key_faults("/a").empty());
  EXPECT_FALSE(label_key_faults("a/b/c").empty());
  EXPECT_FALSE(label_key_faults("").empty());
}

TEST(DnsSubdomain, IsLowerCaseWithProperParts) {
  EXPECT_TRUE(dns_subdomain_faults("a-1.example.com").empty());
  EXPECT_FALSE(dns_subdomain_faults("a..b").empty());
  EXPECT_FALSE(dns_subdomain_faults("A").empty());
  EXPECT_FALSE(dns_subdomain_faults("a-").empty());
  EXPECT_FALSE(dns_subdomain_faults(std::string(254, 'a')).empty());
}

TEST(Cidr, NeedsAnAddressAndAPrefixThatFits) {
  EXPECT_TRUE(is_cidr("10.0.0.0/8"));
  EXPECT_TRUE(is_cidr("fd00::/128"));
  EXPECT_FALSE(is_cidr("10.0.0.0"));
  EXPECT_FALSE(is_cidr("10.0.0.0/33"));
  EXPECT_FALSE(is_cidr("10.0.0/8"));
  EXPECT_FALSE(is_cidr("10.0.0.0/"));
  EXPECT_FALSE(is_cidr("10.0.0.0/-1"));
  EXPECT_FALSE(is_cidr("fd00::/129"));
}

}  // namespace
}  // namespace capstan::api
