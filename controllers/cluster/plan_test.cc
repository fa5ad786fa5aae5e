#include <gmock/gmock.h>

#include "controllers/cluster/seen_fixture.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using testing::ElementsAre;

TEST(PlanOfACluster, IsPrintedWithFromAndTo) {
  const auto plan =
      decide(*Seen(a_cluster("c1"))
                  .infrastructure(R"({"spec":{"controlPlaneEndpoint":{"host":"10.0.0.1","port":6443}},
                                                    "status":{"initialization":{"provisioned":true}}})",
                                  false));

  EXPECT_THAT(describe(plan),
              ElementsAre("add the finalizer",
                          "write spec.controlPlaneEndpoint: host: none -> 10.0.0.1, port: none -> 6443",
                          "own the infrastructure object: labels[cluster.x-k8s.io/cluster-name]: none -> c1, "
                          "ownerReferences: none -> [Cluster c1]"));
}

TEST(PlanOfACluster, IsThatOfAnotherOneWhereTheyDoTheSame) {
  const Seen seen = Seen(a_cluster("c1")).infrastructure("{}", false);

  EXPECT_EQ(decide(*seen), decide(*seen));
  EXPECT_NE(decide(*seen), decide(*Seen(a_cluster("c1"))));
}

}  // namespace
}  // namespace capstan::controllers::cluster
