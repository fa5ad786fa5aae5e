// Whose is it: Clusters that name one provider object, and Machines that name one Cluster and belong to
// another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/cluster/turn_fixture.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

const kube::Resource kMachines = kube::resource_of<api::Machine>();
const kube::Resource kMachineSets = kube::resource_of<api::MachineSet>();
const kube::Resource kDeployments = kube::resource_of<api::MachineDeployment>();

// The manifest of c1 under another name: its references still name the objects of c1.
json::value a_copy_of_c1(std::string_view name) {
  api::Cluster copy = a_cluster("c1");
  copy.metadata.name = Text(name);
  return a_document(copy);
}

void make_c1(ClusterFixture& world) {
  world.put_provider(kInfra, "c1");
  world.put_provider(kControlPlane, "c1");
  world.make(kClusters, a_document(a_cluster("c1")));
  world.start();
  world.infrastructure_is_done();
  world.control_plane_is_done();
  world.settle();
  (void)world.requests();
}

void make_c1_and_its_copy(ClusterFixture& world) {
  make_c1(world);
  world.make(kClusters, a_copy_of_c1("copy"));
}

void make_c2(ClusterFixture& world) {
  world.put_provider(kInfra, "c2");
  world.put_provider(kControlPlane, "c2");
  world.make(kClusters, a_document(a_cluster("c2")));
  world.settle();
  (void)world.requests();
}

std::string label_of(ClusterFixture& world, const kube::Resource& resource, std::string_view name) {
  const auto object = world.read(resource, name);
  const auto* labels = object.at("metadata").as_object().if_contains("labels");
  if (labels == nullptr || !labels->as_object().contains(api::label::kClusterName)) return "none";
  return std::string(labels->at(api::label::kClusterName).as_string());
}

std::vector<std::string> owners_of(ClusterFixture& world, const kube::Resource& resource,
                                   std::string_view name) {
  std::vector<std::string> names;
  const auto object = world.read(resource, name);
  const auto* owners = object.at("metadata").as_object().if_contains("ownerReferences");
  if (owners == nullptr) return names;
  for (const auto& owner : owners->as_array()) names.emplace_back(owner.at("name").as_string());
  return names;
}

bool is_going(ClusterFixture& world, const kube::Resource& resource, std::string_view name) {
  return !world.exists(resource, name) ||
         world.read(resource, name).at("metadata").as_object().contains("deletionTimestamp");
}

json::object owner_document(std::string_view cluster) {
  return {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
          {"kind", "Cluster"},
          {"name", cluster},
          {"uid", "55555555-5555-4555-8555-555555555555"}};
}

std::string message_of(ClusterFixture& world, std::string_view cluster, std::string_view type) {
  const auto read = world.read<api::Cluster>(cluster);
  const auto found = api::conditions::find(read.status.conditions, type);
  return found == nullptr ? "absent" : found->reason.str() + ": " + found->message.str();
}

TEST(Contested, ProviderObjectsStayWithTheClusterTheyAreOwnedBy) {
  in_simulation([](ClusterFixture& world) {
    make_c1_and_its_copy(world);
    world.settle(20s);

    EXPECT_THAT(world.requests(), AllOf(Not(Contains("patch dockerclusters c1")),
                                        Not(Contains("patch kubeadmcontrolplanes c1"))));
    EXPECT_EQ(label_of(world, kInfra, "c1"), "c1");
    EXPECT_THAT(owners_of(world, kInfra, "c1"), ElementsAre("c1"));
    EXPECT_THAT(owners_of(world, kControlPlane, "c1"), ElementsAre("c1"));
    world.settle(10min);
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(Contested, ACopyIsToldWhoseItsProviderObjectsAre) {
  in_simulation([](ClusterFixture& world) {
    make_c1_and_its_copy(world);
    world.settle();

    EXPECT_EQ(
        message_of(world, "copy", "InfrastructureReady"),
        "BelongsToAnotherCluster: spec.infrastructureRef: DockerCluster c1 belongs to Cluster c1, which is "
        "its "
        "owner; point the reference at an object of this Cluster's own, or delete this Cluster: that object "
        "stays");
    EXPECT_THAT(
        message_of(world, "copy", "ControlPlaneAvailable"),
        HasSubstr("BelongsToAnotherCluster: spec.controlPlaneRef: KubeadmControlPlane c1 belongs to Cluster "
                  "c1"));
    EXPECT_THAT(world.events.events,
                Contains(HasSubstr("Warning IncorrectExternalRef: spec.infrastructureRef: ")));
    const auto copy = world.read<api::Cluster>("copy");
    EXPECT_FALSE(copy.spec.control_plane_endpoint.valid()) << "it would reach the cluster of c1";
    EXPECT_FALSE(copy.status.initialization.infrastructure_provisioned.value_or(false));
    EXPECT_FALSE(copy.status.initialization.control_plane_initialized.value_or(false));
  });
}

TEST(Contested, ACopyWithTheEndpointOfItsOriginalAsksForNoKubeconfig) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    api::Cluster copy = a_cluster("c1");
    copy.metadata.name = "copy"_text;
    copy.spec.control_plane_ref.reset();
    copy.spec.control_plane_endpoint = {.host = "10.0.0.1"_text, .port = 6443};

    world.make(kClusters, a_document(copy));
    world.settle();
    (void)world.requests();
    world.settle(10min);

    EXPECT_THAT(world.requests(), IsEmpty()) << "no Secret copy-ca will come";
  });
}

TEST(Contested, TheDeletionOfACopyLeavesTheObjectsOfTheOriginalAlone) {
  in_simulation([](ClusterFixture& world) {
    make_c1_and_its_copy(world);
    world.settle();

    world.remove(kClusters, "copy");
    world.settle(10s);

    EXPECT_FALSE(world.exists(kClusters, "copy"));
    EXPECT_FALSE(is_going(world, kInfra, "c1"));
    EXPECT_FALSE(is_going(world, kControlPlane, "c1"));
    EXPECT_EQ(world.condition("InfrastructureReady"), "True Ready");
  });
}

TEST(Contested, AnObjectThatWasRestoredIsTakenBackByTheClusterOfThatName) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.patch(kInfra, "c1", {{"metadata", {{"ownerReferences", json::array{owner_document("c1")}}}}});
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.make(kClusters, a_copy_of_c1("a-copy"));
    world.start();

    const auto owners = world.read(kInfra, "c1").at("metadata").at("ownerReferences").as_array();
    ASSERT_EQ(owners.size(), 1U);
    EXPECT_EQ(api::Uid(owners[0].at("uid").as_string()), world.c1().metadata.uid);
  });
}

TEST(Contested, AnOwnerThatIsGoneClaimsNothing) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.patch(kInfra, "c1", {{"metadata", {{"ownerReferences", json::array{owner_document("gone")}}}}});
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();

    EXPECT_THAT(owners_of(world, kInfra, "c1"), ElementsAre("gone", "c1"));
    EXPECT_THAT(world.requests(), Contains("get clusters gone")) << "a cache may be behind";
    EXPECT_EQ(world.condition("InfrastructureReady"), "False NotReady");
    world.settle(10min);
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(Contested, AnOwnerNobodyCanAskForKeepsItsObject) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.patch(kInfra, "c1", {{"metadata", {{"ownerReferences", json::array{owner_document("c0")}}}}});
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.client.refuse("get clusters c0",
                        {.code = Code::Unavailable, .message = "the server is shutting down"});
    world.start();

    EXPECT_THAT(owners_of(world, kInfra, "c1"), ElementsAre("c0"));
  });
}

TEST(Contested, AReferenceThatIsPatchedToAnotherClustersObjectTakesNothingOver) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    make_c2(world);

    world.patch(kClusters, "c1", {{"spec", {{"infrastructureRef", {{"name", "c2"}}}}}});
    world.settle(20s);
    const auto requests = world.requests();
    EXPECT_THAT(requests, Not(Contains("patch dockerclusters c2")));
    EXPECT_THAT(owners_of(world, kInfra, "c2"), ElementsAre("c2"));
    EXPECT_THAT(
        message_of(world, "c1", "InfrastructureReady"),
        AllOf(HasSubstr("DockerCluster c2 belongs to Cluster c2"),
              HasSubstr("this Cluster owns DockerCluster c1: point spec.infrastructureRef at it again")));

    world.remove(kClusters, "c1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(kClusters, "c1"));
    EXPECT_FALSE(is_going(world, kInfra, "c2"));
  });
}

TEST(Contested, ALabelThatIsTakenOffAProviderObjectIsPutBack) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);

    world.patch(kInfra, "c1", {{"metadata", {{"labels", nullptr}}}});
    world.settle(20s);

    EXPECT_EQ(label_of(world, kInfra, "c1"), "c1");
    EXPECT_THAT(world.requests(), ElementsAre("patch dockerclusters c1"));
  });
}

TEST(Contested, AConflictWhileAnObjectIsMarkedFailsNoTurn) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.client.refuse_next("patch dockerclusters c1",
                             {.code = Code::Conflict, .message = "the object has been modified"});
    world.start();

    EXPECT_THAT(owners_of(world, kInfra, "c1"), ElementsAre("c1"));
    EXPECT_EQ(world.c1().status.observed_generation, world.c1().metadata.generation);
  });
}

// ---- Machines

// Its label says c1, its spec another Cluster, which does not exist: no controller puts the label right.
void make_a_stray_machine(ClusterFixture& world) {
  auto machine = a_machine("stray").labelled(api::label::kClusterName, "c1").build();
  machine.spec.cluster_name = "elsewhere"_text;
  world.make(kMachines, a_document_of(machine));
}

TEST(Belonging, AMachineThatIsOnlyLabelledHoldsUpNoDeletion) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    make_a_stray_machine(world);

    world.remove(kClusters, "c1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(kClusters, "c1"));
    EXPECT_TRUE(world.exists(kMachines, "stray"));
    EXPECT_THAT(
        world.events.events,
        Contains(HasSubstr("Warning StrayMachines: Machine stray is labelled with Cluster c1, but its "
                           "spec.clusterName is elsewhere")));
  });
}

TEST(Belonging, AClustersDeletionTakesWhatItOwnsUnderAnotherName) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    make_c2(world);
    auto owner = builders::controller_of(api::kind::kCluster, "c1");
    owner.uid = world.c1().metadata.uid;
    world.make(kDeployments, a_document_of(a_machine_deployment("md").owned_by(owner).build()));
    world.settle();
    world.patch(kDeployments, "md", {{"spec", {{"clusterName", "c2"}}}});
    world.settle();
    (void)world.requests();

    world.remove(kClusters, "c1");
    world.settle(10s);

    EXPECT_THAT(world.requests(), Contains("delete machinedeployments md"));
    EXPECT_FALSE(world.exists(kClusters, "c1"));
  });
}

TEST(Belonging, AClustersDeletionNeitherWaitsForNorTakesWhatAnotherOwns) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    make_c2(world);
    auto owner = builders::controller_of(api::kind::kCluster, "c1");
    owner.uid = world.c1().metadata.uid;
    auto set_owner = owner;
    auto also = builders::controller_of(api::kind::kCluster, "c2");
    also.uid = world.read<api::Cluster>("c2").metadata.uid;
    also.controller.reset();
    world.make(kMachineSets, a_document_of(a_machine_set("ms").owned_by(set_owner).build()));
    auto through = builders::controller_of(api::kind::kMachineSet, "ms");
    through.uid = world.read<api::MachineSet>("ms").metadata.uid;
    world.make(kDeployments,
               a_document_of(a_machine_deployment("md").owned_by(owner).owned_by(also).build()));
    world.make(kMachines, a_document_of(a_machine("m1").owned_by(through).build()));
    world.settle();
    for (const auto& [resource, name] :
         {std::pair{kMachineSets, "ms"}, std::pair{kDeployments, "md"}, std::pair{kMachines, "m1"}})
      world.patch(resource, name, {{"spec", {{"clusterName", "c2"}}}});
    world.settle();
    (void)world.requests();

    world.remove(kClusters, "c2");
    world.settle(10s);

    EXPECT_FALSE(world.exists(kClusters, "c2"));
    EXPECT_TRUE(world.exists(kMachineSets, "ms"));
    EXPECT_TRUE(world.exists(kDeployments, "md"));
    EXPECT_TRUE(world.exists(kMachines, "m1"));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("Warning StrayMachines: MachineDeployment md")));
  });
}

TEST(Belonging, AMachineThatASetLetGoLeavesWithItsCluster) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    auto owner = builders::controller_of(api::kind::kCluster, "c1");
    owner.uid = world.c1().metadata.uid;
    owner.controller.reset();
    owner.block_owner_deletion.reset();
    world.make(kMachines, a_document_of(a_machine("released").owned_by(owner).build()));
    world.settle();

    world.remove(kClusters, "c1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(kMachines, "released"));
    EXPECT_FALSE(world.exists(kClusters, "c1"));
  });
}

// ---- a definition that has lost its labels

TEST(Unlabelled, AnObjectIsDeletedAndWaitedForAllTheSame) {
  in_simulation([](ClusterFixture& world) {
    make_c1(world);
    world.patch(kInfra, "c1", {{"metadata", {{"finalizers", json::array{"test/held"}}}}});
    world.patch(kCrds, "dockerclusters.infrastructure.cluster.x-k8s.io",
                {{"metadata", {{"labels", nullptr}}}});
    world.settle();
    (void)world.requests();

    world.remove(kClusters, "c1");
    world.settle(2min);

    EXPECT_TRUE(is_going(world, kInfra, "c1"));
    ASSERT_TRUE(world.exists(kClusters, "c1"));
    EXPECT_THAT(
        message_of(world, "c1", "Deleting"),
        AllOf(HasSubstr("Waiting for DockerCluster to be deleted"), HasSubstr("cluster.x-k8s.io/v1beta2")));
    (void)world.requests();
    world.settle(2min);
    EXPECT_LE(world.requests().size(), 10U) << "two every 30 s";

    world.patch(kInfra, "c1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(35s);
    EXPECT_FALSE(world.exists(kClusters, "c1"));
  });
}

TEST(Unlabelled, AnObjectOfAnotherClusterIsLeftAlone) {
  in_simulation([](ClusterFixture& world) {
    make_c1_and_its_copy(world);
    world.settle();
    world.patch(kCrds, "dockerclusters.infrastructure.cluster.x-k8s.io",
                {{"metadata", {{"labels", nullptr}}}});
    world.settle();

    world.remove(kClusters, "copy");
    world.settle(40s);

    EXPECT_FALSE(world.exists(kClusters, "copy"));
    EXPECT_FALSE(is_going(world, kInfra, "c1"));
  });
}

}  // namespace
}  // namespace capstan::controllers::cluster
