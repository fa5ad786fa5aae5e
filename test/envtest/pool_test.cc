// MachinePools of both sorts on real servers, driven by real kubectl: applied, waited for, scaled,
// deleted, and whose they are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <regex>

#include "test/envtest/fleet_suite_fixture.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// One bed for all tests; each has a cluster of its own with a pool of either sort, both ready when it starts.
class Pools : public FleetSuite {
 protected:
  static void SetUpTestSuite() { make_bed(); }
  void SetUp() override {
    cluster_ = fmt::format("p{}", ++clusters_);
    apply_sample(cluster_, {"--machines=0", "--pool=2", "--pool-machines=2"});
    if (HasFatalFailure()) return;
    for (const auto& pool : both()) ASSERT_THAT(until_ready(pool, 2), EndsWith("condition met\n")) << pool;
  }
  std::string group() const { return cluster_ + "-pool"; }
  std::string machines_pool() const { return cluster_ + "-machine-pool"; }
  Lines both() const { return {group(), machines_pool()}; }

  static std::string until_ready(const std::string& pool, int instances) {
    auto there = until(fmt::format("jsonpath={{.status.replicas}}={}", instances), "machinepool/" + pool);
    if (!there.ends_with("condition met\n")) return there;
    return until(fmt::format("jsonpath={{.status.readyReplicas}}={}", instances), "machinepool/" + pool);
  }
  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  static Lines nodes(const std::string& pool, const std::string& what = ".metadata.name") {
    return field_of_nodes(pool + "-", what);
  }
  static Lines machines(const std::string& pool, const std::string& what = ".metadata.name") {
    return field_of_machines("cluster.x-k8s.io/pool-name=" + pool, what);
  }
  // "Machine/a <- MachinePool/b controller"
  static Lines owners(const std::string& object) {
    Lines links;
    const json::value document = json::parse(kubectl({"get", object, "-o=json"}));
    for (const auto& owner : document.at("metadata").at("ownerReferences").as_array()) {
      const bool controller = owner.as_object().contains("controller");
      links.push_back(fmt::format("{}/{}{}", std::string_view(owner.at("kind").as_string()),
                                  std::string_view(owner.at("name").as_string()),
                                  controller ? " controller" : ""));
    }
    return links;
  }

  static inline int clusters_ = 0;
  std::string cluster_;
};

TEST_F(Pools, InstancesBecomeNodesOfThePool) {
  for (const auto& pool : both()) {
    EXPECT_THAT(nodes(pool), SizeIs(2));
    EXPECT_THAT(nodes(pool, ".metadata.annotations.cluster\\.x-k8s\\.io/cluster-name"), Each(cluster_));
    EXPECT_EQ(lines_of(field("machinepool/" + pool, "range .status.nodeRefs[*]}{.name}{\"\\n\"}{end")).size(),
              2U);
    EXPECT_EQ(field("machinepool/" + pool, ".status.phase"), "Running");
  }
  EXPECT_THAT(nodes(group()), ElementsAre(group() + "-0", group() + "-1"));
  EXPECT_THAT(machines(group()), IsEmpty());
  EXPECT_EQ(machines(machines_pool()), nodes(machines_pool()));
  EXPECT_THAT(machines(machines_pool(), ".status.phase"), ElementsAre("Running", "Running"));
}

TEST_F(Pools, KubectlScalesThemUpAndDown) {
  for (const auto& pool : both()) {
    const auto up = kubectl({"scale", "machinepool/" + pool, "--replicas=4"});
    const auto grown = until_ready(pool, 4);
    const auto most = nodes(pool);
    const auto down = kubectl({"scale", "machinepool/" + pool, "--replicas=1"});
    const auto shrunk = until_ready(pool, 1);

    EXPECT_THAT(up, EndsWith("scaled\n"));
    EXPECT_THAT(grown, EndsWith("condition met\n"));
    EXPECT_THAT(most, SizeIs(4));
    EXPECT_THAT(down, EndsWith("scaled\n"));
    EXPECT_THAT(shrunk, EndsWith("condition met\n"));
    EXPECT_THAT(until("jsonpath={.status.phase}=Running", "machinepool/" + pool),
                EndsWith("condition met\n"));
    EXPECT_THAT(nodes(pool), SizeIs(1));
  }
  EXPECT_EQ(machines(machines_pool()), nodes(machines_pool()));
}

TEST_F(Pools, ADeletedPoolTakesItsNodesAndItsObjectsAlong) {
  for (const auto& pool : both()) {
    const auto deleted = kubectl({"delete", "machinepool/" + pool, "--timeout=50s"});

    EXPECT_THAT(deleted, HasSubstr("deleted"));
    EXPECT_THAT(until("delete", "drivermachinepool/" + pool), Not(HasSubstr("timed out")));
    EXPECT_THAT(until("delete", "cloudconfig/" + pool), Not(HasSubstr("timed out")));
    for (const auto& machine : machines(pool)) until("delete", "machine/" + machine);
    EXPECT_THAT(machines(pool), IsEmpty());
    EXPECT_THAT(nodes(pool), IsEmpty());
  }
  EXPECT_EQ(field("cluster/" + cluster_, ".status.phase"), "Provisioned");
}

TEST_F(Pools, ADeletedClusterTakesThemAlong) {
  const auto deleted = kubectl({"delete", "cluster", cluster_, "--timeout=50s"});

  EXPECT_THAT(deleted, HasSubstr("deleted"));
  for (const auto& pool : both()) {
    EXPECT_THAT(kubectl({"get", "machinepool," + std::string("drivermachinepool"), "--ignore-not-found",
                         "-o=name", "--field-selector=metadata.name=" + pool}),
                "");
    EXPECT_THAT(machines(pool), IsEmpty());
  }
}

TEST_F(Pools, OwnersFormAChainUpToTheCluster) {
  for (const auto& pool : both()) {
    EXPECT_THAT(owners("machinepool/" + pool), ElementsAre("Cluster/" + cluster_));
    EXPECT_THAT(owners("drivermachinepool/" + pool), ElementsAre("MachinePool/" + pool + " controller"));
    EXPECT_THAT(owners("cloudconfig/" + pool), ElementsAre("MachinePool/" + pool + " controller"));
    EXPECT_THAT(owners("secret/" + pool), ElementsAre("CloudConfig/" + pool + " controller"));
  }
  for (const auto& machine : machines(machines_pool())) {
    EXPECT_THAT(owners("machine/" + machine), ElementsAre("MachinePool/" + machines_pool() + " controller"));
    EXPECT_THAT(owners("drivermachine/" + machine),
                ElementsAre("DriverMachinePool/" + machines_pool(), "Machine/" + machine + " controller"));
  }
}

TEST_F(Pools, WhatMakesAGroupCantBeChanged) {
  const auto patch = [](const std::string& pool, const std::string& spec) -> std::vector<std::string> {
    return {"patch", "drivermachinepool/" + pool, "--type=merge", "-p={\"spec\":" + spec + "}"};
  };

  EXPECT_THAT(refused(patch(group(), R"({"withMachines":true})")),
              HasSubstr("withMachines can't be changed"));
  EXPECT_THAT(refused(patch(machines_pool(), R"({"withMachines":null})")),
              HasSubstr("withMachines can't be changed"));
  EXPECT_THAT(refused(patch(group(), R"({"groupKey":"another"})")), HasSubstr("groupKey is the identity"));
  EXPECT_THAT(kubectl(patch(group(), R"({"class":"large"})")), HasSubstr("patched"));
}

TEST_F(Pools, NothingThatIsSentForAPoolIsRefused) {
  AuditReader log(bed_->management().audit_log());
  ASSERT_TRUE(log.more());

  for (const auto& pool : both()) kubectl({"scale", "machinepool/" + pool, "--replicas=3"});
  for (const auto& pool : both()) EXPECT_THAT(until_ready(pool, 3), EndsWith("condition met\n"));

  const auto entries = log.more();
  ASSERT_TRUE(entries);
  Lines refused;
  for (const AuditEntry& entry : *entries)
    if (entry.agent == "capstan" && is_refused(entry))
      refused.push_back(fmt::format("{} {} {} {}", entry.verb, entry.resource, entry.object, entry.code));
  EXPECT_THAT(refused, IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
