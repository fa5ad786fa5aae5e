// Nodes that no Machine and no MachinePool claims, on a real workload server: marked after a second here, and
// not after twenty minutes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/envtest/lifecycle_suite_fixture.h"

namespace capstan::envtest {
namespace {

// A bed of its own: in one workload server with others, the Nodes of the other clusters would be such ones.
class UnclaimedNodes : public Lifecycle {
 protected:
  static void SetUpTestSuite() {
    make_bed({.core_flags = {"--unmanaged-node-after=1s"},
              .cloud = std::string(kSilentKubelets),
              .audit = FleetBedOptions::Audit::Requests});
  }
  static std::string of_stranger(const std::string& field) {
    return workload({"get", "node", "stranger", "-o=jsonpath={" + field + "}"});
  }
  static std::string mark() { return of_stranger(".metadata.annotations.capstan\\.dev/not-managed"); }
};

TEST_F(UnclaimedNodes, AreMarkedAndLeftAloneUntilAMachineClaimsThem) {
  govern("  creation: {}");
  if (HasFatalFailure()) return;

  workload({"apply", "-f", "-"}, R"(
apiVersion: v1
kind: Node
metadata: {name: stranger, labels: {whose: theirs}}
spec: {providerID: "elsewhere://7", taints: [{key: theirs, effect: NoSchedule}]}
)");
  const bool marked = eventually([] { return !mark().empty(); });
  const std::string why = mark();
  const std::string spec = of_stranger(".spec");
  const std::string labels = of_stranger(".metadata.labels");
  const std::string told = kubectl(
      {"get", "events", "--field-selector=involvedObject.kind=Cluster,involvedObject.name=" + cluster_,
       "-o=jsonpath={.items[*].message}"});
  kubectl({"apply", "-f", "-"}, R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: late, namespace: default}
spec:
  clusterName: )" + cluster_ + R"(
  providerID: "elsewhere://7"
  bootstrap: {dataSecretName: none}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachine, name: late}
)");
  const bool unmarked = eventually([] { return mark().empty(); });

  EXPECT_TRUE(marked);
  EXPECT_EQ(why, "no Machine and no MachinePool has the providerID elsewhere://7");
  EXPECT_THAT(spec, ::testing::AllOf(::testing::HasSubstr("theirs"),
                                     ::testing::Not(::testing::HasSubstr("unschedulable"))));
  EXPECT_EQ(labels, R"({"whose":"theirs"})");
  EXPECT_THAT(told, ::testing::HasSubstr("stranger"));
  EXPECT_TRUE(unmarked);
  for (const auto& machine : machines()) {
    EXPECT_EQ(workload({"get", "node", node_of(machine),
                        "-o=jsonpath={.metadata.annotations.capstan\\.dev/not-managed}"}),
              "")
        << "a Node of a Machine";
  }
}

}  // namespace
}  // namespace capstan::envtest
