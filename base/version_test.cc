#include "base/version.h"

#include <gtest/gtest.h>

#include <vector>

namespace capstan {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }

TEST(Version, ReadsAllParts) {
  const Version read = version("v1.36.3-rc.1+vendor.2");

  EXPECT_EQ(read.major, 1U);
  EXPECT_EQ(read.minor, 36U);
  EXPECT_EQ(read.patch, 3U);
  EXPECT_EQ(read.prerelease, "rc.1");
  EXPECT_EQ(read.build, "vendor.2");
}

TEST(Version, PrintsWhatItRead) {
  for (const std::string_view text :
       {"v1.36.3", "v1.36.3-rc.1+vendor.2", "v1.28.3-eks-4f4795d", "v1.30.2+rke2r1", "v1.2.3-0", "v1.2.3-00a",
        "v1.2.3+01", "v1.2.3+a-b", "v4294967296.0.0"}) {
    EXPECT_EQ(version(text).to_string(), text);
  }
  EXPECT_EQ(version("1.36.3").to_string(), "v1.36.3");
}

TEST(Version, RefusesWhatIsNoSemanticVersion) {
  for (const std::string_view text : {"",           "v",
                                      "v1",         "v1.30",
                                      "v01.2.3",    "v1.02.3",
                                      "v1.2.03",    " v1.2.3",
                                      "V1.2.3",     "v1.2.3.4",
                                      "v1.2.3-",    "v1.2.3+",
                                      "v1.2.3-01",  "v1.2.3-a..b",
                                      "v1.2.3-a.",  "v1.2.3-a_b",
                                      "v1.2.3+a_b", "v1.2.3+a+b",
                                      "vv1.2.3",    "v1.2.x",
                                      "v-1.2.3",    "v18446744073709551616.0.0"}) {
    const auto read = Version::parse(text);

    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::Invalid);
  }
}

TEST(Version, TolerantReaderCompletesShortVersions) {
  EXPECT_EQ(Version::parse_tolerant("v1.30")->to_string(), "v1.30.0");
  EXPECT_EQ(Version::parse_tolerant("1")->to_string(), "v1.0.0");
  EXPECT_EQ(Version::parse_tolerant(" v01.02.03-rc.1 ")->to_string(), "v1.2.3-rc.1");
}

TEST(Version, TolerantReaderStillRefusesNonsense) {
  for (const std::string_view text :
       {"", "v", " ", "v1.30-rc.1", "v1.30+x", "v1..2", "v1.", "v1.2.3.4", "latest"}) {
    EXPECT_FALSE(Version::parse_tolerant(text)) << text;
  }
}

TEST(Version, OrdersAsSemanticVersioningDoes) {
  const std::vector<std::string_view> ascending = {"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
                                                   "1.0.0-beta",  "1.0.0-beta.2",  "1.0.0-beta.11",
                                                   "1.0.0-rc.1",  "1.0.0",         "1.0.1",
                                                   "1.10.0",      "2.0.0-0"};

  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    EXPECT_LT(version(ascending[i]), version(ascending[i + 1])) << ascending[i];
    EXPECT_GT(version(ascending[i + 1]), version(ascending[i])) << ascending[i];
  }
}

TEST(Version, WhatADistributionAppendsDoesNotCount) {
  EXPECT_EQ(version("v1.30.2+rke2r1"), version("v1.30.2"));
  EXPECT_EQ(version("v1.30.2+rke2r1"), version("v1.30.2+k3s9"));
  EXPECT_NE(version("v1.30.2-rke2r1"), version("v1.30.2"));
}

}  // namespace
}  // namespace capstan
