#include "infrastructure/controller/pool/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/driver/names.h"
#include "test/builders/cluster.h"

namespace capstan::infrastructure::pool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Pool mp1 whose turn it is: owner, cluster and data are there.
struct Seen {
  api::DriverMachinePool object = {};
  api::MachinePool owner = {};
  std::optional<api::Cluster> cluster = builders::a_cluster("c1").infrastructure_provisioned().build();
  bool fresh = true;

  explicit Seen(std::int32_t replicas = 3) {
    object.metadata.name = "mp1"_text;
    object.metadata.namespace_ = "default"_text;
    object.spec.group_key = "k"_text;
    owner.metadata.name = "mp1"_text;
    owner.spec.cluster_name = "c1"_text;
    owner.spec.replicas = replicas;
    owner.spec.machine_template.spec.bootstrap.data_secret_name = Text("data");
  }
  operator Observation() const {  // NOLINT(google-explicit-constructor): read as what is observed
    return {.now = builders::noon(),
            .fresh = fresh,
            .object = std::make_shared<const api::DriverMachinePool>(object),
            .owner = std::make_shared<const api::MachinePool>(owner),
            .cluster = cluster ? std::make_shared<const api::Cluster>(*cluster) : nullptr};
  }
};

std::vector<Vm> vms(const std::vector<std::string>& names) {
  std::vector<Vm> all;
  for (const auto& name : names)
    all.push_back({.provider_id = "sim:///" + name, .name = name, .state = VmState::Running});
  return all;
}
std::vector<std::string> names(const std::vector<Vm>& all) {
  std::vector<std::string> found;
  for (const Vm& vm : all) found.push_back(vm.name);
  return found;
}

TEST(DecidePool, SizesAGroupThatHasAllItNeeds) { EXPECT_EQ(decide(Seen()).step, Step::Size); }

TEST(DecidePool, WaitsForTheBootstrapData) {
  Seen seen;
  seen.owner.spec.machine_template.spec.bootstrap.data_secret_name.reset();

  const Plan plan = decide(seen);

  EXPECT_EQ(plan.step, Step::Wait);
  EXPECT_EQ(plan.reason, "WaitingForBootstrapData");
}

TEST(DecidePool, WaitsForTheClustersInfrastructure) {
  Seen seen;
  seen.cluster->status.initialization.infrastructure_provisioned.reset();

  EXPECT_EQ(decide(seen).reason, "WaitingForClusterInfrastructure");
}

TEST(DecidePool, DoesNothingWhilePausedOrBehind) {
  Seen paused;
  paused.object.metadata.annotations.set("cluster.x-k8s.io/paused", "");
  Seen behind;
  behind.fresh = false;

  EXPECT_EQ(decide(paused).step, Step::Rest);
  EXPECT_EQ(decide(behind).step, Step::Rest);
}

TEST(DecidePool, MakesNothingForAPoolThatGoes) {
  Seen seen;
  seen.owner.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen).step, Step::Rest);
}

TEST(DecidePool, RemovesWhatItHasWhenItGoesItself) {
  Seen seen;
  seen.object.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen).step, Step::Remove);
}

TEST(Size, FillsTheLowestFreePlaces) {
  const auto sizing = size(Seen(4), vms({"mp1-1", "mp1-3"}));

  EXPECT_THAT(sizing.missing, ElementsAre(0u, 2u));
  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-1", "mp1-3"));
  EXPECT_THAT(sizing.victims, IsEmpty());
}

TEST(Size, TakesTheHighestPlacesFirst) {
  const auto sizing = size(Seen(1), vms({"mp1-0", "mp1-1", "mp1-10"}));

  EXPECT_THAT(names(sizing.victims), ElementsAre("mp1-10", "mp1-1"));
  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-0"));
}

TEST(Size, TakesNamedVictimsBeforeAnyOther) {
  Seen seen(1);
  seen.object.metadata.annotations.set("capstan.dev/victims", "mp1-0,mp1-9");

  const auto sizing = size(seen, vms({"mp1-0", "mp1-1", "mp1-2"}));

  EXPECT_THAT(names(sizing.victims), ElementsAre("mp1-0", "mp1-2"));
  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-1"));
}

TEST(Size, TakesNoNamedVictimOfAGroupThatIsNotTooLarge) {
  Seen seen(2);
  seen.object.metadata.annotations.set("capstan.dev/victims", "mp1-0");

  EXPECT_THAT(size(seen, vms({"mp1-0", "mp1-1"})).victims, IsEmpty());
}

TEST(Size, DoesNotCountWhatIsOnItsWayOut) {
  auto there = vms({"mp1-0"});
  there[0].state = VmState::Stopping;

  EXPECT_THAT(size(Seen(1), there).missing, ElementsAre(0u));
}

TEST(Size, LeavesVmsAloneThatAreNoneOfItsOwn) {
  const auto sizing = size(Seen(0), vms({"other-0", "mp1-x"}));

  EXPECT_THAT(sizing.victims, IsEmpty());
}

TEST(Size, OfAPoolThatWantsNoneLeavesNone) {
  EXPECT_THAT(names(size(Seen(0), vms({"mp1-0"})).victims), ElementsAre("mp1-0"));
}

TEST(Size, GivesEachPlaceOneKey) {
  const Seen seen;

  EXPECT_EQ(vm_name(seen.object, 7), "mp1-7");
  EXPECT_EQ(instance_key(seen.object, 7), "k-7");
}

}  // namespace
}  // namespace capstan::infrastructure::pool
