#include "api/contract/plural.h"

#include <gtest/gtest.h>

namespace capstan::api::contract {
namespace {

struct Word {
  const char* one;
  const char* many;
};

class Plural : public ::testing::TestWithParam<Word> {};

TEST_P(Plural, IsFormedAsUpstreamFormsIt) { EXPECT_EQ(plural(GetParam().one), GetParam().many); }

// What the flect library answers, checked against it word by word.
INSTANTIATE_TEST_SUITE_P(
    Words, Plural,
    ::testing::Values(Word{"machine", "machines"}, Word{"Machine", "Machines"},
                      Word{"AWSCluster", "AWSClusters"}, Word{"KubeadmControlPlane", "KubeadmControlPlanes"},
                      Word{"proxy", "proxies"}, Word{"Gateway", "Gateways"},
                      Word{"clusterclass", "clusterclasses"}, Word{"MyIndex", "MyIndices"},
                      Word{"myindex", "myindices"}, Word{"matrix", "matrices"}, Word{"box", "boxes"},
                      Word{"status", "statuses"}, Word{"analysis", "analyses"}, Word{"machines", "machines"},
                      Word{"metadata", "metadata"}, Word{"lambda", "lambda"}, Word{"quota", "quotas"},
                      Word{"Alias", "Aliases"}, Word{"series", "series"}, Word{"DNS", "DNSes"},
                      Word{"video", "videoes"}, Word{"studio", "studios"}, Word{"shelf", "shelves"},
                      Word{"", ""}));

TEST(CrdName, IsThePluralOfTheKindInLowerCaseAndTheGroup) {
  EXPECT_EQ(crd_name("infrastructure.cluster.x-k8s.io", "DockerMachine"),
            "dockermachines.infrastructure.cluster.x-k8s.io");
  EXPECT_EQ(crd_name("example.com", "FooProxy"), "fooproxies.example.com");
}

}  // namespace
}  // namespace capstan::api::contract
