#include "controllers/topology/workers.h"

#include <gtest/gtest.h>

#include "test/builders/cluster.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::topology {
namespace {

using builders::a_cluster;
using builders::a_machine_deployment;
using builders::MachineDeploymentBuilder;

Workers only(const MachineDeploymentBuilder& deployment) { return {.deployments = {deployment.shared()}}; }

MachineDeploymentBuilder counting(std::int32_t up_to_date) {
  return a_machine_deployment().with(
      [&](api::MachineDeployment& deployment) { deployment.status.up_to_date_replicas = up_to_date; });
}

TEST(Workers, TheDigestFollowsWhatUpstreamReads) {
  const auto before = digest(only(counting(1)));

  EXPECT_NE(digest(only(counting(2))), before);
  EXPECT_NE(digest(only(counting(1).generation(7))), before);
  EXPECT_NE(digest(only(counting(1).deleting())), before);
  EXPECT_NE(digest(only(counting(1).condition("Available", "False"))), before);
  EXPECT_NE(digest({}), before);
}

// A pool of ours has the counters of a MachineDeployment, and the Nodes of its instances.
TEST(Workers, TheDigestFollowsWhatUpstreamReadsOfAPool) {
  const auto with = [](std::int32_t available, const std::vector<std::string>& nodes) {
    auto pool = std::make_shared<api::MachinePool>();
    pool->metadata.name = Text("mp");
    pool->status.available_replicas = available;
    for (const std::string& node : nodes) pool->status.node_refs.push_back({.name = Text(node)});
    return digest({.pools = {std::move(pool)}});
  };

  EXPECT_EQ(with(1, {"a"}), with(1, {"a"}));
  EXPECT_NE(with(2, {"a"}), with(1, {"a"}));
  EXPECT_NE(with(1, {"b"}), with(1, {"a"}));
  EXPECT_NE(with(1, {}), with(1, {"a"}));
}

TEST(Workers, TheDigestDoesNotFollowWhatOnlyPeopleRead) {
  const auto before =
      digest(only(counting(1).condition("Available", "False", "NotAvailable", "one is missing")));

  EXPECT_EQ(digest(only(counting(1).condition("Available", "False", "NotAvailable", "two are"))), before);
  EXPECT_EQ(digest(only(counting(1).condition("Available", "False").annotated("a", "b").version_number(9))),
            before);
}

TEST(Workers, AClusterIsWrittenWhenItsDigestIsAnotherOne) {
  const Workers workers = only(counting(1));
  const auto noted = [](std::string_view text) -> api::Cluster {
    return a_cluster().annotated(kWorkers, text);
  };

  EXPECT_EQ(next_digest(a_cluster().build(), workers), digest(workers));
  EXPECT_EQ(next_digest(noted("older"), workers), digest(workers));
  EXPECT_EQ(next_digest(noted(digest(workers)), workers), std::nullopt);
}

TEST(Workers, AClusterInWhichNoneAreOursIsWrittenOnlyAfterTheLastHasGone) {
  EXPECT_EQ(next_digest(a_cluster().build(), {}), std::nullopt);
  EXPECT_EQ(next_digest(a_cluster().annotated(kWorkers, "older").build(), {}), digest({}));
}

}  // namespace
}  // namespace capstan::controllers::topology
