#include "controllers/shared/belonging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::ElementsAre;

api::OwnerReference by_cluster(std::string_view name, bool controller = false) {
  auto owner = builders::controller_of(api::kind::kCluster, name);
  owner.controller = controller;
  return owner;
}

// c1 and c2 exist.
void fill(Caches& caches) {
  caches.clusters.apply(a_cluster("c1").build());
  caches.clusters.apply(a_cluster("c2").build());
}

Belonging by(std::string_view cluster, std::string_view through = {}) {
  return {.cluster = std::string(cluster), .owned = true, .through = std::string(through)};
}

TEST(Belonging, FollowsSpecClusterNameWhereNoClusterOwnsIt) {
  Caches caches;
  fill(caches);

  const auto found = belonging_of(caches, a_machine("m1").labelled(api::label::kClusterName, "c2").build());

  EXPECT_EQ(found, Belonging{.cluster = "c1"}) << "a label decides nothing";
}

TEST(Belonging, FollowsTheClusterThatOwnsItWhateverSpecClusterNameSays) {
  Caches caches;
  fill(caches);

  const auto found =
      belonging_of(caches, a_machine("m1").in_cluster("c2").owned_by(by_cluster("c1")).build());

  EXPECT_EQ(found, by("c1"));
}

TEST(Belonging, FollowsTheSetAndTheDeploymentOfAMachine) {
  Caches caches;
  fill(caches);
  const api::MachineDeployment md = a_machine_deployment("md").owned_by(by_cluster("c1"));
  const api::MachineSet of_md = a_machine_set("ms").in_deployment("md");
  const api::MachineSet alone = a_machine_set("alone").owned_by(by_cluster("c1"));
  caches.machine_deployments.apply(md);
  caches.machine_sets.apply(of_md);
  caches.machine_sets.apply(alone);

  EXPECT_EQ(belonging_of(caches, a_machine("a").in_cluster("c2").in_set("ms").build()),
            by("c1", "MachineDeployment md"));
  EXPECT_EQ(belonging_of(caches, a_machine("b").in_cluster("c2").in_set("alone").build()),
            by("c1", "MachineSet alone"));
  EXPECT_EQ(belonging_of(caches, a_machine_set("ms").in_deployment("md").build()),
            by("c1", "MachineDeployment md"));
  EXPECT_EQ(belonging_of(caches, md), by("c1"));
}

TEST(Belonging, IsNotInheritedFromANamesakeOfItsSet) {
  Caches caches;
  fill(caches);
  auto other = a_machine_set("ms").owned_by(by_cluster("c1")).build();
  other.metadata.uid = builders::uid_of("MachineSet", "an earlier one");
  caches.machine_sets.apply(other);

  EXPECT_EQ(belonging_of(caches, a_machine("a").in_cluster("c2").in_set("ms").build()),
            Belonging{.cluster = "c2"});
}

TEST(Belonging, OfTwoOwnersTheControllingOneCountsElseTheFirst) {
  Caches caches;
  fill(caches);
  const auto owned = [&](api::OwnerReference first, api::OwnerReference second) {
    return belonging_of(caches,
                        a_machine("m1").owned_by(std::move(first)).owned_by(std::move(second)).build())
        .cluster;
  };

  EXPECT_EQ(owned(by_cluster("c2"), by_cluster("c1")), "c2");
  EXPECT_EQ(owned(by_cluster("c2"), by_cluster("c1", true)), "c1");
}

TEST(Belonging, AnOwnerThatDoesNotExistClaimsNothing) {
  Caches caches;
  fill(caches);

  EXPECT_EQ(belonging_of(
                caches, a_machine("a").owned_by(by_cluster("gone", true)).owned_by(by_cluster("c2")).build()),
            by("c2"));
  EXPECT_EQ(belonging_of(caches, a_machine("b").owned_by(by_cluster("gone")).build()),
            Belonging{.cluster = "c1"});
}

TEST(Belonging, AClusterIsTheSameAfterARestoreGaveItAnotherUid) {
  Caches caches;
  auto restored = a_cluster("c1").build();
  restored.metadata.uid = builders::uid_of("Cluster", "restored");
  caches.clusters.apply(restored);

  EXPECT_EQ(belonging_of(caches, a_machine("m1").in_cluster("c2").owned_by(by_cluster("c1")).build()),
            by("c1"));
}

TEST(Belonging, SaysWhoseAnObjectIsThatNamesAnother) {
  EXPECT_EQ(contradiction(by("c1", "MachineSet ms"), "c2"),
            "spec.clusterName is c2, but this belongs to Cluster c1, which owns MachineSet ms; set "
            "spec.clusterName to "
            "c1 again, or delete it and make it anew for c2");
  EXPECT_EQ(contradiction(by("c1"), "c1"), "");
}

TEST(Caches, FindWhatAClusterOwnsThoughItNamesAnother) {
  Caches caches;
  caches.machines.apply(a_machine("mine").owned_by(by_cluster("c1")).build());
  caches.machines.apply(a_machine("misnamed").in_cluster("c2").owned_by(by_cluster("c1")).build());

  const auto found = caches.misnamed_machines_of({std::string(builders::kNamespace), "c1"});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->metadata.name, "misnamed");
}

TEST(Caches, FindMachinesThatAreOnlyLabelledWithACluster) {
  Caches caches;
  caches.machines.apply(a_machine("mine").labelled(api::label::kClusterName, "c1").build());
  caches.machines.apply(a_machine("stray").in_cluster("c2").labelled(api::label::kClusterName, "c1").build());

  const auto found = caches.machines_only_labelled({std::string(builders::kNamespace), "c1"});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->metadata.name, "stray");
}

}  // namespace
}  // namespace capstan::controllers
