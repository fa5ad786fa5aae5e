#include "controllers/shared/caches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "test/builders/machine.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers {
namespace {

using builders::a_machine;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kNamespace = "default";

std::vector<std::string> names(const std::vector<Snapshot<api::Machine>>& machines) {
  std::vector<std::string> found;
  for (const auto& machine : machines) found.push_back(machine->metadata.name.str());
  return found;
}

ObjectKey cluster(std::string_view name) {
  return {.namespace_ = std::string(kNamespace), .name = std::string(name)};
}

TEST(Caches, FindsTheMachinesOfAClusterAndOfNoOther) {
  Caches caches;
  caches.machines.apply(a_machine("a").in_namespace(kNamespace).in_cluster("one").build());
  caches.machines.apply(a_machine("b").in_namespace(kNamespace).in_cluster("two").build());
  caches.machines.apply(a_machine("c").in_namespace("elsewhere").in_cluster("one").build());

  EXPECT_THAT(names(caches.machines_of(cluster("one"))), ElementsAre("a"));
  EXPECT_THAT(names(caches.machines_of(cluster("three"))), IsEmpty());
}

TEST(Caches, FindsBothMachinesThatClaimOneProviderId) {
  Caches caches;
  caches.machines.apply(
      a_machine("a").in_namespace(kNamespace).in_cluster("one").provider_id("sim://1").build());
  caches.machines.apply(
      a_machine("b").in_namespace(kNamespace).in_cluster("one").provider_id("sim://1").build());

  EXPECT_THAT(names(caches.machines_with_provider_id(cluster("one"), "sim://1")), ElementsAre("a", "b"));
  EXPECT_THAT(names(caches.machines_with_provider_id(cluster("two"), "sim://1")), IsEmpty());
}

TEST(Caches, FindsOnlyMachinesThatNobodyControlsForAdoption) {
  Caches caches;
  caches.machines.apply(a_machine("a").in_namespace(kNamespace).in_cluster("one").in_set("ms").build());
  caches.machines.apply(a_machine("b").in_namespace(kNamespace).in_cluster("one").build());

  EXPECT_THAT(names(caches.uncontrolled_machines_of(cluster("one"))), ElementsAre("b"));
  EXPECT_THAT(names(caches.uncontrolled_machines_of(cluster("two"))), IsEmpty());
}

TEST(Caches, ForgetsTheOldNodeOfAMachineThatMoved) {
  Caches caches;
  caches.machines.apply(
      a_machine("a").in_namespace(kNamespace).in_cluster("one").on_node("n1").version_number(1).build());
  caches.machines.apply(
      a_machine("a").in_namespace(kNamespace).in_cluster("one").on_node("n2").version_number(2).build());

  EXPECT_THAT(names(caches.machines_on_node(cluster("one"), "n1")), IsEmpty());
  EXPECT_THAT(names(caches.machines_on_node(cluster("one"), "n2")), ElementsAre("a"));
}

api::ContractRef reference(std::string_view group, std::string_view kind, std::string_view name) {
  return {.api_group = Text(group), .kind = Text(kind), .name = Text(name)};
}

constexpr std::string_view kInfraGroup = "infrastructure.cluster.x-k8s.io";

TEST(Caches, FindsTheMachineOfAnInfrastructureObjectAndItsCopyUnderAnotherName) {
  Caches caches;
  api::Machine original = a_machine("a").in_namespace(kNamespace).in_cluster("one").build();
  original.spec.infrastructure_ref = reference(kInfraGroup, "DriverMachine", "a");
  original.spec.bootstrap.config_ref = reference("bootstrap.cluster.x-k8s.io", "CloudConfig", "a");
  api::Machine copy = original;
  copy.metadata.name = Text("a-copy");
  caches.machines.apply(std::move(copy));
  caches.machines.apply(std::move(original));

  const ReferredObject infra{
      .group = kInfraGroup, .kind = "DriverMachine", .namespace_ = kNamespace, .name = "a"};
  ReferredObject other_kind = infra;
  other_kind.kind = "DockerMachine";
  ReferredObject elsewhere = infra;
  elsewhere.namespace_ = "elsewhere";

  EXPECT_THAT(names(caches.machines_referring_to(infra)), ElementsAre("a", "a-copy"));
  EXPECT_THAT(names(caches.machines_referring_to(other_kind)), IsEmpty());
  EXPECT_THAT(names(caches.machines_referring_to(elsewhere)), IsEmpty());
}

TEST(Caches, ForgetsAReferenceThatWasPointedElsewhere) {
  Caches caches;
  api::Cluster before;
  before.metadata.namespace_ = Text(kNamespace);
  before.metadata.name = Text("c1");
  before.metadata.resource_version = api::ResourceVersion(1);
  before.spec.infrastructure_ref = reference(kInfraGroup, "DriverCluster", "infra-a");
  api::Cluster after = before;
  after.metadata.resource_version = api::ResourceVersion(2);
  after.spec.infrastructure_ref = reference(kInfraGroup, "DriverCluster", "infra-b");
  const ReferredObject a{
      .group = kInfraGroup, .kind = "DriverCluster", .namespace_ = kNamespace, .name = "infra-a"};
  const ReferredObject b{
      .group = kInfraGroup, .kind = "DriverCluster", .namespace_ = kNamespace, .name = "infra-b"};

  caches.clusters.apply(before);
  const auto first = caches.clusters_referring_to(a);
  caches.clusters.apply(after);

  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(caches.clusters_referring_to(a).empty());
  EXPECT_EQ(caches.clusters_referring_to(b).size(), 1U);
}

TEST(Caches, FindsAPoolByTheInfrastructureItsTemplateNames) {
  Caches caches;
  api::MachinePool pool;
  pool.metadata.namespace_ = Text(kNamespace);
  pool.metadata.name = Text("p1");
  pool.spec.machine_template.spec.infrastructure_ref = reference(kInfraGroup, "DriverMachinePool", "group");

  caches.machine_pools.apply(pool);

  EXPECT_EQ(
      caches
          .machine_pools_referring_to(
              {.group = kInfraGroup, .kind = "DriverMachinePool", .namespace_ = kNamespace, .name = "group"})
          .size(),
      1U);
}

// What glibc has given out; nothing under a sanitizer, which has an allocator of its own.
std::size_t heap_bytes() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// A fleet pays it for every Machine: its slot, and its places among those of its cluster, of its owner, by
// providerID and by Node.
TEST(Caches, KeepAMachineAndFindItForLessThan180BytesOnTop) {
  constexpr std::size_t kFleet = 10000;
  constexpr std::size_t kObject = sizeof(api::Machine) + 32;  // its counts, its block's header, rounding
  std::vector<api::Machine> fleet;
  for (std::size_t i = 0; i < kFleet; ++i) {
    const std::string name = "m" + std::to_string(i);
    fleet.push_back(a_machine(name)
                        .in_cluster("c" + std::to_string(i / 100))
                        .in_set("s" + std::to_string(i / 100))
                        .provider_id("sim://" + name)
                        .on_node("n" + name)
                        .build());
  }
  Caches caches;
  const std::size_t before = heap_bytes();

  for (const api::Machine& machine : fleet) caches.machines.apply(machine);

  ASSERT_EQ(caches.machines_with_provider_id(cluster("c7"), "sim://m777").size(), 1U);
  EXPECT_LT((heap_bytes() - before) / kFleet, kObject + 180);
}

}  // namespace
}  // namespace capstan::controllers
