#include "net/address_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<std::string> denied(const std::string& host, const AddressRules& rules = {}) {
  const auto address = literal_address(host);
  EXPECT_TRUE(address) << host;
  return address ? why_denied(rules, *address) : std::nullopt;
}

TEST(AddressRules, LinkLocalAddressesAreDeniedInEveryNotation) {
  for (const char* host : {"169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "febf::1",
                           "::ffff:169.254.169.254", "::169.254.169.254", "64:ff9b::169.254.169.254",
                           "2002:a9fe:a9fe::1", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376"})
    EXPECT_THAT(denied(host), Optional(HasSubstr("link-local"))) << host;
}

TEST(AddressRules, SoIsTheMetadataServiceOfIpv6) {
  EXPECT_THAT(denied("fd00:ec2::254"), Optional(HasSubstr("metadata")));
  EXPECT_EQ(denied("fd00:ec2::253"), std::nullopt);
}

TEST(AddressRules, NeighboursOfTheDeniedAreNot) {
  for (const char* host : {"169.253.255.255", "169.255.0.0", "fe7f::1", "fec0::1", "10.0.0.1", "127.0.0.1",
                           "::1", "2001:db8::1", "64:ff9b::10.0.0.1", "0.0.0.0"})
    EXPECT_EQ(denied(host), std::nullopt) << host;
}

TEST(AddressRules, WhatTheFlagNamesIsDenied) {
  const AddressRules rules{.denied = {*parse_ip_network("10.1.0.0/16"), *parse_ip_network("fd12::/16"),
                                      *parse_ip_network("127.0.0.0/8")}};

  for (const char* host : {"10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "167838211"})
    EXPECT_THAT(denied(host, rules), Optional(HasSubstr("10.1.0.0/16"))) << host;
  EXPECT_THAT(denied("fd12::1", rules), Optional(HasSubstr("fd12::/16")));
  EXPECT_EQ(denied("10.2.0.0", rules), std::nullopt);
  EXPECT_EQ(denied("fd13::1", rules), std::nullopt);
}

// A connection to the unspecified address ends on this machine.
TEST(AddressRules, TheUnspecifiedAddressIsThisMachine) {
  const AddressRules rules{.denied = {*parse_ip_network("127.0.0.0/8")}};

  EXPECT_NE(denied("0.0.0.0", rules), std::nullopt);
  EXPECT_NE(denied("::", rules), std::nullopt);
}

TEST(AddressRules, NamesAreNoLiterals) {
  EXPECT_EQ(literal_address("localhost"), std::nullopt);
  EXPECT_EQ(literal_address("api.example.com"), std::nullopt);
  EXPECT_EQ(literal_address(""), std::nullopt);
}

TEST(IpNetworks, AreReadWithTheirLength) {
  EXPECT_TRUE(parse_ip_network("10.0.0.0/8"));
  EXPECT_TRUE(parse_ip_network("0.0.0.0/0"));
  EXPECT_TRUE(parse_ip_network("fd00::/8"));
  for (const char* text : {"10.0.0.0", "10.0.0.0/33", "fd00::/129", "10.0.0/8", "/8", "10.0.0.0/",
                           "10.0.0.0/x", "example.com/8", "10.0.0.0/-1", ""})
    EXPECT_FALSE(parse_ip_network(text)) << text;
}

}  // namespace
}  // namespace capstan::net
