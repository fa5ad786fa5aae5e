#include "api/contract/version.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace capstan::api::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kCrd = "dockermachines.infrastructure.cluster.x-k8s.io";

TEST(ResolveContract, PrefersTheNewestContractAndItsHighestVersion) {
  const TextMap labels{{"cluster.x-k8s.io/v1beta1", "v1beta1"},
                       {"cluster.x-k8s.io/v1beta2", "v1beta2_v1_v1alpha3"}};

  const auto found = resolve(kCrd, labels);

  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Resolution{.contract = ContractVersion::V1Beta2, .version = "v1"}));
}

TEST(ResolveContract, FallsBackToTheOlderContract) {
  const auto older = resolve(kCrd, {{"cluster.x-k8s.io/v1beta1", "v1beta1_v1beta2"}});
  const auto newer_empty =
      resolve(kCrd, {{"cluster.x-k8s.io/v1beta1", "v1beta1"}, {"cluster.x-k8s.io/v1beta2", ""}});

  EXPECT_EQ(*older, (Resolution{.contract = ContractVersion::V1Beta1, .version = "v1beta2"}));
  EXPECT_EQ(newer_empty->contract, ContractVersion::V1Beta1);
}

TEST(ResolveContract, NamesTheLabelsThatAreMissing) {
  const auto missing =
      resolve(kCrd, {{"cluster.x-k8s.io/v1alpha4", "v1alpha4"}, {"cluster.x-k8s.io/v1beta1", ""}});

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::Invalid);
  EXPECT_THAT(missing.error().message, HasSubstr(std::string(kCrd)));
  EXPECT_THAT(missing.error().message, HasSubstr("cluster.x-k8s.io/v1beta2"));
  EXPECT_THAT(missing.error().message, HasSubstr("cluster.x-k8s.io/v1beta1"));
}

TEST(ApiVersions, AreOrderedAsKubernetesOrdersThem) {
  std::vector<std::string> versions = {"foo10",     "v1alpha1", "v10",  "v1",        "v1beta1",
                                       "v11beta2",  "v2",       "foo1", "v12alpha1", "v3beta1",
                                       "v11alpha2", "v10beta3", "v01"};

  std::ranges::sort(versions, [](const auto& a, const auto& b) { return compare_api_versions(a, b) > 0; });

  EXPECT_THAT(versions, ElementsAre("v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v1beta1",
                                    "v12alpha1", "v11alpha2", "v1alpha1", "foo1", "foo10", "v01"));
}

}  // namespace
}  // namespace capstan::api::contract
