#include "api/v1beta2/version_order.h"

#include <gtest/gtest.h>

namespace capstan::api {
namespace {

struct Pair {
  const char* left;
  const char* right;
  VersionOrder order;
};

class CompareWithBuild : public ::testing::TestWithParam<Pair> {};

TEST_P(CompareWithBuild, OrdersBuildsToo) {
  const auto left = Version::parse(GetParam().left);
  const auto right = Version::parse(GetParam().right);
  ASSERT_TRUE(left && right);

  EXPECT_EQ(compare_with_build(*left, *right), GetParam().order)
      << GetParam().left << " against " << GetParam().right;
}

INSTANTIATE_TEST_SUITE_P(Pairs, CompareWithBuild,
                         ::testing::Values(Pair{"v1.34.1", "v1.34.1", VersionOrder::Same},
                                           Pair{"v1.34.1", "v1.34.2", VersionOrder::Older},
                                           Pair{"v1.35.0", "v1.34.2+9", VersionOrder::Newer},
                                           Pair{"v1.34.1-rc.1+9", "v1.34.1", VersionOrder::Older},
                                           Pair{"v1.34.1", "v1.34.1+1", VersionOrder::Older},
                                           Pair{"v1.34.1+2", "v1.34.1+10", VersionOrder::Older},
                                           Pair{"v1.34.1+b.10", "v1.34.1+b.9", VersionOrder::Newer},
                                           Pair{"v1.34.1+b", "v1.34.1+b.1", VersionOrder::Older},
                                           Pair{"v1.34.1+1", "v1.34.1+a", VersionOrder::Older},
                                           Pair{"v1.34.1+k3s1", "v1.34.1+k3s1", VersionOrder::Same},
                                           Pair{"v1.34.1+k3s1", "v1.34.1+k3s2", VersionOrder::Different}));

}  // namespace
}  // namespace capstan::api
