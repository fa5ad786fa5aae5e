#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/schema/encode.h"
#include "controllers/machine/turn_fixture.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using namespace std::chrono_literals;

const kube::ObjectKey kTheCluster{"default", "c1"};
const kube::Resource kSets = kube::resource_of<api::MachineSet>();
const kube::Resource kDeployments = kube::resource_of<api::MachineDeployment>();

// "False NotReady: why"
std::string shown(const MachineFixture& world, std::string_view type) {
  const api::Machine machine = world.machine();
  const auto found = api::conditions::find(machine.status.conditions, type);
  if (found == nullptr) return "nothing";
  return found->status.str() + " " + found->reason.str() +
         (found->message.empty() ? "" : ": " + found->message.str());
}

void reachable(MachineFixture& world) {
  world.make_cluster();
  world.workload_clusters.connect(kTheCluster, &world.workload);
}

// m1 as it is after a minute.
void running(MachineFixture& world) {
  reachable(world);
  world.start();
  world.make_machine();
  world.settle(200ms);
  world.bootstrap_is_done();
  world.infrastructure_is_done();
  world.node_is_there();
  world.settle();
  ASSERT_EQ(world.machine().status.phase, "Running");
  world.forget_what_happened();
}

// --- what it costs ---

TEST(Turns, BringAMachineToAvailableWithNineWritesWhenProvidersAreSlow) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();

    world.make_machine();
    world.settle();
    const std::string first = world.machine().status.phase.str();
    world.bootstrap_is_done();
    world.settle();
    const std::string second = world.machine().status.phase.str();
    world.infrastructure_is_done();
    world.settle();
    const std::string third = world.machine().status.phase.str();
    world.node_is_there();
    world.settle();

    EXPECT_THAT((std::vector{first, second, third, world.machine().status.phase.str()}),
                ElementsAre("Pending", "Provisioning", "Provisioned", "Running"));
    EXPECT_TRUE(api::conditions::is_true(world.machine().status.conditions, "Available"));
    EXPECT_THAT(world.what_was_written(),
                ElementsAre("patch kubeadmconfigs m1", "patch dockermachines m1", "patch machines/status m1",
                            "patch machines m1", "patch machines/status m1", "patch machines m1",
                            "patch machines/status m1", "patch machines/status m1"));
    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes m1"));
    EXPECT_EQ(world.client.reads(), 0);
    EXPECT_THAT(world.events.events, ElementsAre("Normal SuccessfulSetNodeRef: m1"));
  });
}

TEST(Turns, BringAMachineToAvailableWithSixWritesWhenProvidersAreQuick) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();

    world.make_machine();
    world.settle(200ms);  // the end of their first list wakes the Machine that refers to its objects
    world.bootstrap_is_done();
    world.settle(200ms);
    world.infrastructure_is_done();
    world.settle(200ms);
    world.node_is_there();
    world.settle();

    EXPECT_TRUE(api::conditions::is_true(world.machine().status.conditions, "Available"));
    EXPECT_EQ(world.machine().status.phase, "Running");
    EXPECT_THAT(world.what_was_written(),
                ElementsAre("patch kubeadmconfigs m1", "patch dockermachines m1", "patch machines m1",
                            "patch machines m1", "patch machines/status m1"));
    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes m1"));
  });
}

// What the manager finds when it starts: the object is there, and its spec is no object.
TEST(Turns, FailNoProvisionedMachineWhoseInfrastructureCannotBeDecoded) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.make_machine();
    world.patch(machines(), "m1", {{"spec", {{"providerID", "docker:////m1"}}}});
    world.patch(machines(), "m1", {{"status", {{"initialization", {{"infrastructureProvisioned", true}}}}}},
                "status");
    world.patch(kDockerMachines, "m1", {{"spec", "as you like it"}});

    world.start();
    world.settle(1min);
    const auto garbled = world.machine();
    const std::string infrastructure = shown(world, "InfrastructureReady");
    world.patch(kDockerMachines, "m1", {{"spec", nullptr}});
    world.infrastructure_is_done();
    world.settle(40s);

    EXPECT_NE(garbled.status.phase, "Failed");
    EXPECT_TRUE(!garbled.status.deprecated || !garbled.status.deprecated->v1beta1 ||
                garbled.status.deprecated->v1beta1->failure_reason.empty());
    EXPECT_THAT(
        infrastructure,
        HasSubstr("spec.infrastructureRef: DockerMachine default/m1 can't be read: spec: expected object"));
    EXPECT_THAT(shown(world, "InfrastructureReady"), StartsWith("True"));
  });
}

// The object is there, whatever its definition says.
TEST(Turns, DeleteAMachineWhoseDefinitionHasLostItsContractLabels) {
  in_simulation([](MachineFixture& world) {
    running(world);
    const auto& crds = kube::resources::custom_resource_definitions();
    world.patch(kDockerMachines, "m1",
                {{"metadata", {{"finalizers", json::array{"docker.example.com/vm"}}}}});
    ASSERT_TRUE(world.user.patch(crds, {.name = kDockerMachines.plural + "." + kDockerMachines.group},
                                 {{"metadata", {{"labels", {{"cluster.x-k8s.io/v1beta2", nullptr}}}}}}, {},
                                 Deadline::never()));
    world.settle();

    world.remove(machines(), "m1");
    world.settle(1min);
    const bool kept = world.exists(machines(), "m1");
    const std::string waits = shown(world, "Deleting");
    const int reads = world.client.reads();
    world.settle(5min);
    const int more_reads = world.client.reads() - reads;
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(40s);

    EXPECT_TRUE(kept);
    EXPECT_THAT(waits, testing::AllOf(HasSubstr("Waiting for DockerMachine to be deleted"),
                                      HasSubstr("label cluster.x-k8s.io/v1beta2")));
    EXPECT_LE(more_reads, 22) << "two in 30 s";
    EXPECT_FALSE(world.exists(kDockerMachines, "m1"));
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

TEST(Turns, TellWithinASecondOrTwoWhatIsWaitedFor) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();

    world.make_machine();
    world.settle(2s);

    EXPECT_EQ(world.machine().status.phase, "Pending");
    EXPECT_EQ(shown(world, "Paused"), "False NotPaused");
  });
}

TEST(Turns, AreSilentOnceAMachineRuns) {
  in_simulation([](MachineFixture& world) {
    running(world);

    world.workload_clusters.put_node(kTheCluster, builders::a_node("other"));
    world.patch(clusters(), "c1", {{"metadata", {{"labels", {{"a", "b"}}}}}});
    world.patch(machines(), "m1", {{"metadata", {{"annotations", {{"a", "b"}}}}}});
    world.settle(25s);

    EXPECT_THAT(world.what_was_written(), IsEmpty());
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_EQ(world.client.reads(), 0);
  });
}

TEST(Turns, CountMinReadySecondsToTheSecond) {
  in_simulation([](MachineFixture& world) {
    running(world);

    world.patch(machines(), "m1", {{"spec", {{"minReadySeconds", 30}}}});
    world.settle(1s);
    const std::string before = shown(world, "Available");
    world.settle(31s);

    EXPECT_EQ(before, "False WaitingForMinReadySeconds");
    EXPECT_EQ(shown(world, "Available"), "True Available");
    EXPECT_THAT(world.what_was_written(),
                ElementsAre("patch machines/status m1", "patch machines/status m1"));
  });
}

// --- what is written ---

TEST(Turns, BundleWhatAStandAloneMachineNeeds) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_clones();
    api::Machine machine = builders::a_machine("m1");
    machine.metadata.labels = {};

    world.put(machine);
    world.settle();

    EXPECT_THAT(world.what_was_written(), ElementsAre("patch machines m1", "patch kubeadmconfigs m1",
                                                      "patch dockermachines m1", "patch machines/status m1"));
    const auto metadata = world.machine().metadata;
    EXPECT_TRUE(metadata.has_finalizer("machine.cluster.x-k8s.io"));
    EXPECT_EQ(metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
    ASSERT_THAT(*metadata.owner_references, SizeIs(1));
    EXPECT_EQ(metadata.owner_references->front().kind, "Cluster");
  });
}

TEST(Turns, MakeTheMachineTheOnlyOwnerOfItsObjects) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();

    world.make_machine();
    world.settle();

    const auto infra = world.user.get(kDockerMachines, {"default", "m1"}, Deadline::never()).value();
    const auto& owners = infra.at("metadata").at("ownerReferences").as_array();
    ASSERT_EQ(owners.size(), 1U);
    EXPECT_EQ(owners[0].at("kind"), "Machine");
    EXPECT_EQ(owners[0].at("controller"), true);
    EXPECT_EQ(owners[0].at("uid").as_string(), world.machine().metadata.uid.str());
  });
}

TEST(Turns, BindTaintsOfTheNodeToTheVersionThatWasSeen) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_machine();
    world.bootstrap_is_done();
    world.infrastructure_is_done();
    world.node_is_there();
    world.settle();

    const auto writes = world.workload.writes();
    ASSERT_THAT(writes, SizeIs(1));
    const json::value& patch = writes[0].body;
    EXPECT_TRUE(patch.at("spec").at("taints").is_null());
    EXPECT_FALSE(patch.at("metadata").at("resourceVersion").as_string().empty());
    EXPECT_EQ(patch.at("metadata").at("annotations").at("cluster.x-k8s.io/machine"), "m1");
  });
}

// --- bad input ---

TEST(Turns, DoNotScareUsersWithClonesThatAreJustAppearing) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();

    world.put(builders::a_machine("m1")
                  .in_set("ms1")
                  .finalized_by(api::finalizer::kMachine)
                  .with([&](api::Machine& machine) {
                    machine.metadata.creation_timestamp = Time::from(world.baton.now());
                  })
                  .build());
    world.settle(500ms);
    world.make_clones();
    world.settle();

    EXPECT_THAT(world.what_was_written(), ElementsAre("patch kubeadmconfigs m1", "patch dockermachines m1",
                                                      "patch machines/status m1"));
  });
}

TEST(Turns, SayOnceWhichReferenceIsWrongAndGoOnWhenItIsRight) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    api::Machine machine = builders::a_machine("m1").in_set("ms1").finalized_by(api::finalizer::kMachine);
    machine.spec.infrastructure_ref.kind = "Box"_text;

    world.make_clones();
    world.put(machine);
    world.settle(100s);

    EXPECT_EQ(shown(world, "InfrastructureReady"),
              "Unknown InternalError: spec.infrastructureRef: CustomResourceDefinition "
              "boxes.infrastructure.cluster.x-k8s.io does not exist");
    EXPECT_THAT(world.events.events,
                ElementsAre("Warning InvalidReference: spec.infrastructureRef: CustomResourceDefinition "
                            "boxes.infrastructure.cluster.x-k8s.io does not exist"));
  });
}

TEST(Turns, NeverGuessWhichOfTwoNodesIsMeant) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_machine();
    world.bootstrap_is_done();
    world.infrastructure_is_done();
    world.workload_clusters.put_node(kTheCluster, builders::a_node("n1").provider_id("docker:////m1"));
    world.workload_clusters.put_node(kTheCluster, builders::a_node("n2").provider_id("docker:////m1"));
    world.settle(60s);

    EXPECT_FALSE(world.machine().status.node_ref);
    EXPECT_THAT(shown(world, "NodeHealthy"), HasSubstr("Nodes n1, n2 have the same spec.providerID"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_THAT(world.events.events, SizeIs(1));
  });
}

TEST(Turns, WaitForAClusterThatIsMadeLater) {
  in_simulation([](MachineFixture& world) {
    world.start();
    world.make_machine();
    world.settle();
    const std::string waiting = shown(world, "NodeHealthy");

    reachable(world);
    world.settle();

    EXPECT_EQ(waiting, "Unknown InspectionFailed: Waiting for Cluster c1 to exist");
    EXPECT_EQ(shown(world, "NodeHealthy"),
              "Unknown InspectionFailed: Waiting for DockerMachine to report spec.providerID");
    EXPECT_THAT(world.events.events,
                ElementsAre("Warning ClusterNotFound: spec.clusterName: Cluster default/c1 does not exist"));
  });
}

// --- pause, shards ---

TEST(Paused, MachineGetsNothingButItsFinalizerAndAWordAboutIt) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_clones();

    world.put(builders::a_machine("m1").paused().build());
    world.settle();
    world.bootstrap_is_done();
    world.settle();

    EXPECT_EQ(shown(world, "Paused"), "True Paused: Machine has the cluster.x-k8s.io/paused annotation");
    EXPECT_THAT(world.machine().status.conditions, SizeIs(1));
    EXPECT_THAT(world.what_was_written(), ElementsAre("patch machines m1", "patch machines/status m1"));
  });
}

TEST(Paused, ClusterHoldsUpADeletionUntilItGoesOn) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(clusters(), "c1", {{"spec", {{"paused", true}}}});
    world.settle();
    world.remove(machines(), "m1");
    world.settle();
    const bool held = world.exists(kDockerMachines, "m1");
    world.patch(clusters(), "c1", {{"spec", {{"paused", false}}}});
    world.settle(10s);

    EXPECT_TRUE(held);
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

// m1 was deleted while its Cluster was paused, before it owned its objects; both are held by their providers.
void deleted_while_paused(MachineFixture& world) {
  reachable(world);
  world.patch(clusters(), "c1", {{"spec", {{"paused", true}}}});
  world.start();
  world.make_machine();
  for (const auto* each : {&kDockerMachines, &kKubeadmConfigs}) {
    world.patch(*each, "m1",
                {{"metadata", {{"finalizers", {"provider.example.com/it"}}, {"ownerReferences", nullptr}}}});
  }
  world.settle();
  world.remove(machines(), "m1");
  world.settle();
}

TEST(Paused, MachineThatWasDeletedMeanwhileTakesItsObjectsOverAndEndsWithThem) {
  in_simulation([](MachineFixture& world) {
    deleted_while_paused(world);

    world.patch(clusters(), "c1", {{"spec", {{"paused", false}}}});
    world.settle(5s);
    const auto infra = world.user.get(kDockerMachines, {"default", "m1"}, Deadline::never()).value();
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(1s);
    world.patch(kKubeadmConfigs, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(1s);

    EXPECT_FALSE(world.exists(machines(), "m1")) << shown(world, "Deleting");
    const auto* owners = infra.at("metadata").as_object().if_contains("ownerReferences");
    ASSERT_NE(owners, nullptr);
    EXPECT_EQ(owners->at(0).at("kind"), "Machine");
    EXPECT_EQ(owners->at(0).at("controller"), true);
  });
}

// Upstream takes both from the infrastructure object of a Machine that goes, too.
TEST(Paused, MachineThatWasDeletedMeanwhileStillFindsItsNode) {
  in_simulation([](MachineFixture& world) {
    world.make_control_plane_machine();
    deleted_while_paused(world);
    world.infrastructure_is_done();
    world.node_is_there();
    world.settle();

    world.patch(clusters(), "c1", {{"spec", {{"paused", false}}}});
    world.settle(5s);
    const auto machine = world.machine();
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(1s);
    world.patch(kKubeadmConfigs, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(20s);

    EXPECT_EQ(machine.spec.provider_id, "docker:////m1");
    ASSERT_TRUE(machine.status.node_ref);
    EXPECT_EQ(machine.status.node_ref->name, "m1");
    EXPECT_THAT(world.what_the_node_got(), Contains("delete nodes m1"));
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

// It is too late then to own them.
TEST(Paused, MachineWhoseObjectsGoUnownedIsWokenByThem) {
  in_simulation([](MachineFixture& world) {
    deleted_while_paused(world);
    world.remove(kDockerMachines, "m1");
    world.remove(kKubeadmConfigs, "m1");
    world.settle();

    world.patch(clusters(), "c1", {{"spec", {{"paused", false}}}});
    world.settle(5s);
    const bool waited = world.exists(machines(), "m1");
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(1s);
    world.patch(kKubeadmConfigs, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(1s);

    EXPECT_TRUE(waited);
    EXPECT_FALSE(world.exists(machines(), "m1")) << shown(world, "Deleting");
  });
}

// Its name is in our cache still, and so are objects that a user has made anew for a Machine to come.
TEST(Deletion, OfAMachineThatIsGoneByNowTakesNoObjectsThatWereMadeForTheNext) {
  in_simulation([](MachineFixture& world) {
    deleted_while_paused(world);
    world.client.refuse("get machines m1", {.code = Code::NotFound, .message = "machines m1 not found"});

    world.patch(clusters(), "c1", {{"spec", {{"paused", false}}}});
    world.settle(5s);

    EXPECT_THAT(world.what_was_written(), testing::Each(testing::Not(testing::HasSubstr("dockermachines"))));
    EXPECT_THAT(world.what_was_written(), testing::Each(testing::Not(testing::HasSubstr("kubeadmconfigs"))));
  });
}

TEST(Shard, LeavesMachinesOfOthersAlone) {
  in_simulation(
      [](MachineFixture& world) {
        reachable(world);
        world.start();

        world.make_machine();
        world.settle();
        const auto before = world.what_was_written();
        world.patch(machines(), "m1",
                    {{"metadata", {{"labels", {{"cluster.x-k8s.io/watch-filter", "mine"}}}}}});
        world.settle();

        EXPECT_THAT(before, IsEmpty());
        EXPECT_THAT(world.what_was_written(), SizeIs(3));
      },
      "mine");
}

// m1 belongs to the set ms1 of the deployment md1.
void of_a_deployment(MachineFixture& world) {
  const auto owned_by = [](std::string_view kind, std::string_view name, const api::Uid& uid) -> json::value {
    return {{"metadata",
             {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                               {"kind", kind},
                                               {"name", name},
                                               {"uid", uid.str()},
                                               {"controller", true}}}}}}};
  };
  const auto key = [](std::string_view name) {
    return kube::ObjectKey{std::string(builders::kNamespace), std::string(name)};
  };
  world.put(builders::a_machine_deployment("md1")
                .version("v1.36.3")
                .annotated(api::annotation::kRevision, "1")
                .build());
  world.put(
      kSets,
      api::to_json(
          builders::a_machine_set("ms1").in_deployment("md1").version("v1.36.3").revision("1").build()));
  world.settle();
  const auto deployment = world.caches.machine_deployments.get(key("md1"))->metadata.uid;
  const auto set = world.caches.machine_sets.get(key("ms1"))->metadata.uid;
  world.patch(kSets, "ms1", owned_by("MachineDeployment", "md1", deployment));
  world.patch(machines(), "m1", owned_by("MachineSet", "ms1", set));
  world.settle();
  world.forget_what_happened();
}

TEST(Turns, HearOnceOfARolloutThatBeginsInSeveralSteps) {
  in_simulation([](MachineFixture& world) {
    running(world);
    of_a_deployment(world);

    world.patch(kDeployments, "md1", {{"spec", {{"template", {{"spec", {{"version", "v1.37.0"}}}}}}}});
    world.settle(400ms);
    world.patch(kDeployments, "md1", {{"metadata", {{"annotations", {{api::annotation::kRevision, "2"}}}}}});
    world.settle(500ms);
    EXPECT_THAT(world.what_was_written(), IsEmpty()) << "there may be more to come";
    world.settle();

    EXPECT_THAT(world.what_was_written(), ElementsAre("patch machines/status m1"));
    EXPECT_THAT(shown(world, "UpToDate"),
                StartsWith("False NotUpToDate: * Version v1.36.3, v1.37.0 required"));
  });
}

// --- the way out ---

TEST(Deletion, WithoutAControlPlaneTakesTheObjectsInOrder) {
  in_simulation([](MachineFixture& world) {
    running(world);

    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_THAT(world.what_was_written(),
                ElementsAre("delete dockermachines m1", "delete kubeadmconfigs m1", "patch machines m1"))
        << "it is gone before its status is worth a patch";
    EXPECT_EQ(world.client.reads(), 0);
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
  });
}

TEST(Deletion, NeedsNoOtherTurnForABootstrapObjectThatNobodyHolds) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    world.remove(machines(), "m1");
    world.settle(10s);
    world.forget_what_happened();

    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(10ms);

    EXPECT_THAT(world.what_was_written(), ElementsAre("delete kubeadmconfigs m1", "patch machines m1"));
  });
}

TEST(Deletion, SaysThatItIsCompletedWhereSomebodyElseHoldsTheMachine) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(machines(), "m1",
                {{"metadata", {{"finalizers", {api::finalizer::kMachine, "example.com/mine"}}}}});
    world.settle();

    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_EQ(shown(world, "Deleting"), "True DeletionCompleted: Deletion completed");
    EXPECT_EQ(world.machine().status.phase, "Deleting");
    EXPECT_FALSE(world.machine().metadata.has_finalizer(api::finalizer::kMachine));
  });
}

TEST(Deletion, IsNotHeldUpByAStatusThatIsRefused) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(machines(), "m1",
                {{"metadata", {{"finalizers", {api::finalizer::kMachine, "example.com/mine"}}}}});
    world.settle();
    world.client.refuse("patch machines/status m1", {.code = Code::Forbidden, .message = "no"});

    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_FALSE(world.machine().metadata.has_finalizer(api::finalizer::kMachine));
  });
}

TEST(Deletion, SaysWhyItsFinalizerStays) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.client.refuse("patch machines m1",
                        {.code = Code::Forbidden, .message = "may not patch machines m1"});

    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_EQ(shown(world, "Deleting"),
              "True InternalError: Failed to remove the finalizer, please check controller logs for errors\n"
              "* remove a finalizer from Machine default/m1: may not patch machines m1");

    world.client.allow();
    world.settle(60s);
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

TEST(Deletion, ShowsWhatItWaitsFor) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    world.patch(kKubeadmConfigs, "m1", {{"metadata", {{"finalizers", {"provider.example.com/data"}}}}});

    world.remove(machines(), "m1");
    world.settle(500ms);
    const std::string at_once = shown(world, "Deleting");
    world.settle(1s);
    const std::string first = shown(world, "Deleting");
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(10s);
    const std::string second = shown(world, "Deleting");
    world.patch(kKubeadmConfigs, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(10s);

    EXPECT_EQ(at_once, "False NotDeleting") << "it may be gone before anybody looks";
    EXPECT_EQ(first, "True WaitingForInfrastructureDeletion: Waiting for DockerMachine to be deleted");
    EXPECT_EQ(second, "True WaitingForBootstrapDeletion: Waiting for KubeadmConfig to be deleted");
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

TEST(Deletion, TellsAtOnceOfAHookThatHoldsItUp) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(
        machines(), "m1",
        {{"metadata", {{"annotations", {{"pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", ""}}}}}});
    world.settle();

    world.remove(machines(), "m1");
    world.settle(500ms);

    EXPECT_THAT(shown(world, "Deleting"), StartsWith("True WaitingForPreTerminateHook: "));
  });
}

// What it remembers of the first is nothing to the second, whose VM may be there although no cache has it.
TEST(Deletion, BelievesNothingOfAMachineThatHadTheNameBefore) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    world.remove(machines(), "m1");
    world.settle(10s);
    world.patch(machines(), "m1", {{"metadata", {{"annotations", {{"cluster.x-k8s.io/paused", ""}}}}}});
    world.settle();
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", nullptr}}}});
    world.remove(kKubeadmConfigs, "m1");
    world.patch(machines(), "m1", {{"metadata", {{"finalizers", nullptr}}}});  // a user has lost patience
    world.make_machine();
    world.settle();
    world.remove(kDockerMachines, "m1");
    world.settle();
    world.client.forget();

    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_GT(world.client.reads(), 0) << "the API server was asked";
  });
}

TEST(Deletion, DrainsAndDeletesTheNodeWhenAControlPlaneLives) {
  in_simulation([](MachineFixture& world) {
    world.make_control_plane_machine();
    running(world);

    world.remove(machines(), "m1");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_THAT(world.what_the_node_got(), Contains("delete nodes m1"));
    EXPECT_THAT(world.what_was_written(),
                ElementsAre("delete dockermachines m1", "delete kubeadmconfigs m1", "patch machines m1"))
        << "it is gone before its status is worth a patch";
  });
}

TEST(Deletion, GoesOnWhenTheClusterIsGone) {
  in_simulation([](MachineFixture& world) {
    running(world);

    world.remove(clusters(), "c1");
    world.settle();
    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_FALSE(world.exists(kDockerMachines, "m1"));
  });
}

// Its instance goes on, with all that runs on it.
TEST(Deletion, LeavesAnObjectThatAnotherMachineControls) {
  in_simulation([](MachineFixture& world) {
    world.make_control_plane_machine();
    running(world);
    world.patch(kDockerMachines, "m1",
                {{"metadata",
                  {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                    {"kind", "Machine"},
                                                    {"name", "other"},
                                                    {"uid", "00000000-0000-4000-8000-000000000001"},
                                                    {"controller", true}}}}}}});
    world.settle();

    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_TRUE(world.exists(kDockerMachines, "m1"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
  });
}

// A manifest is copied, and what it made is deleted again.
TEST(Deletion, OfAMachineThatNamesTheObjectOfAnotherLeavesThatOnesNodeAlone) {
  in_simulation([](MachineFixture& world) {
    world.make_control_plane_machine();
    running(world);
    auto copy = builders::a_machine("copy").build();
    copy.spec.infrastructure_ref.name = "m1"_text;
    copy.spec.bootstrap.config_ref->name = "m1"_text;
    auto document = api::to_json(copy);
    for (const auto* field : {"uid", "resourceVersion", "creationTimestamp", "generation"})
      document.at("metadata").as_object().erase(field);
    world.put(machines(), std::move(document));
    world.settle();

    world.remove(machines(), "copy");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "copy"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_EQ(world.machine().status.phase, "Running");
  });
}

// --- definitions that are gone, kinds that never were ---

void uninstall(MachineFixture& world, const kube::Resource& kind) {
  const auto removed = world.user.remove(kube::resources::custom_resource_definitions(),
                                         {.name = kind.plural + "." + kind.group}, {}, Deadline::never());
  ASSERT_TRUE(removed) << removed.error().describe();
  world.run_cluster_controllers();
  world.settle();
}

TEST(Deletion, DoesNotWaitForAnObjectWhoseKindWasUninstalled) {
  for (const auto* kind : {&kDockerMachines, &kKubeadmConfigs}) {
    in_simulation([kind](MachineFixture& world) {
      running(world);
      // The garbage collector runs, too, and its MachineSet was never there.
      world.patch(machines(), "m1", {{"metadata", {{"ownerReferences", nullptr}}}});
      world.settle();
      uninstall(world, *kind);

      world.remove(machines(), "m1");
      world.settle(40s);

      EXPECT_FALSE(world.exists(machines(), "m1")) << kind->kind << ": " << shown(world, "Deleting");
    });
  }
}

TEST(Deletion, OfAMachineWhoseKindNeverExistedEnds) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    api::Machine machine = builders::a_machine("m1").finalized_by(api::finalizer::kMachine);
    machine.spec.infrastructure_ref.kind = "DokcerMachine"_text;
    machine.spec.bootstrap.config_ref->kind = "KubedamConfig"_text;
    world.put(machine);
    world.settle();

    world.remove(machines(), "m1");
    world.settle(40s);

    EXPECT_FALSE(world.exists(machines(), "m1")) << shown(world, "Deleting");
  });
}

// A user has edited the reference: the VM is there, under the kind it was before.
TEST(Deletion, WaitsForTheObjectThatAMachineOwnsUnderAnotherKindThanItNames) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(machines(), "m1", {{"spec", {{"infrastructureRef", {{"kind", "DokcerMachine"}}}}}});
    world.settle();
    const std::string while_it_lived = shown(world, "InfrastructureReady");

    world.remove(machines(), "m1");
    world.settle(40s);
    const bool waited = world.exists(machines(), "m1");
    const std::string why = shown(world, "Deleting");
    const bool untouched = world.exists(kDockerMachines, "m1");
    world.client.forget();
    world.settle(100s);
    const int reads = world.client.reads();
    world.remove(kDockerMachines, "m1");
    world.settle(40s);

    EXPECT_THAT(while_it_lived, HasSubstr("dokcermachines.infrastructure.cluster.x-k8s.io does not exist"));
    EXPECT_TRUE(waited);
    EXPECT_TRUE(untouched) << "the reference does not name it";
    EXPECT_THAT(why, HasSubstr("DockerMachine default/m1"));
    EXPECT_LE(reads, 20) << "asked for every half minute";
    EXPECT_FALSE(world.exists(machines(), "m1")) << shown(world, "Deleting");
  });
}

// Not even the owner reference is left: the instance they both name tells.
TEST(Deletion, WaitsForTheObjectThatNamesTheInstanceOfAMachineWithAWrongKind) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.patch(machines(), "m1", {{"spec", {{"infrastructureRef", {{"kind", "DokcerMachine"}}}}}});
    world.patch(kDockerMachines, "m1", {{"metadata", {{"ownerReferences", nullptr}}}});
    world.settle();

    world.remove(machines(), "m1");
    world.settle(40s);

    EXPECT_TRUE(world.exists(machines(), "m1"));
    EXPECT_TRUE(world.exists(kDockerMachines, "m1"));
    EXPECT_THAT(shown(world, "Deleting"), HasSubstr("DockerMachine default/m1"));
  });
}

// --- labels of ours, values of others ---

TEST(Turns, PutTheClusterLabelBackOnAnObjectThatLostIt) {
  in_simulation([](MachineFixture& world) {
    running(world);
    for (const auto* kind : {&kDockerMachines, &kKubeadmConfigs}) {
      world.patch(*kind, "m1", {{"metadata", {{"labels", {{"cluster.x-k8s.io/cluster-name", nullptr}}}}}});
    }
    world.settle();

    for (const auto* kind : {&kDockerMachines, &kKubeadmConfigs}) {
      const auto object = world.user.get(*kind, {"default", "m1"}, Deadline::never()).value();
      const auto* labels = object.at("metadata").as_object().if_contains("labels");
      ASSERT_NE(labels, nullptr) << kind->kind;
      EXPECT_EQ(labels->at("cluster.x-k8s.io/cluster-name"), "c1");
    }
    world.forget_what_happened();
    world.settle(60s);
    EXPECT_THAT(world.what_was_written(), IsEmpty());
  });
}

TEST(Turns, ANodeConditionWithoutAStatusCostsNothingButThatCondition) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_machine();
    world.bootstrap_is_done();
    world.infrastructure_is_done();
    world.workload_clusters.put_node(kTheCluster, builders::a_node("m1").condition("Ready", "", "who knows"));
    world.settle();

    EXPECT_EQ(world.machine().status.phase, "Running");
    EXPECT_EQ(shown(world, "NodeReady"), "Unknown NodeReadyUnknown: * Node.Ready: who knows");
  });
}

// Each of them would have the API server refuse the whole status, or the whole Machine.
TEST(Turns, AValueOfAProviderThatNoMachineMayHaveCostsThatValueAndIsTold) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_machine();
    world.bootstrap_is_done();
    world.patch(kDockerMachines, "m1",
                {{"spec", {{"providerID", "docker:////m1"}, {"failureDomain", std::string(257, 'd')}}}});
    world.patch(kDockerMachines, "m1",
                {{"status",
                  {{"initialization", {{"provisioned", true}}},
                   {"failureDomain", std::string(300, 'f')},
                   {"failureReason", std::string(300, 'r')},
                   {"failureMessage", std::string(20000, 'm')},
                   {"addresses", json::array{{{"type", "InternalIP"}, {"address", ""}},
                                             {{"type", "Carrier"}, {"address", "pigeon"}},
                                             {{"type", "InternalIP"}, {"address", "10.0.0.1"}},
                                             {{"type", "Hostname"}, {"address", std::string(257, 'h')}}}},
                   {"conditions", json::array{{{"type", "Ready"},
                                               {"status", "True"},
                                               {"reason", "it is fine"},
                                               {"message", std::string(40000, 'x')},
                                               {"lastTransitionTime", "2026-01-01T12:30:00Z"}}}}}}},
                "status");
    world.node_is_there();
    world.settle();

    const auto machine = world.machine();
    EXPECT_EQ(machine.status.phase, "Running");
    EXPECT_EQ(machine.spec.provider_id, "docker:////m1");
    ASSERT_THAT(machine.status.addresses, SizeIs(1));
    EXPECT_EQ(machine.status.addresses.front().address, "10.0.0.1");
    EXPECT_EQ(machine.status.failure_domain, "");
    EXPECT_THAT(shown(world, "InfrastructureReady"), StartsWith("True "));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("status.addresses[0].address")));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("status.failureDomain")));
  });
}

TEST(Turns, AProviderIdThatNoMachineMayHaveIsToldWithTheField) {
  in_simulation([](MachineFixture& world) {
    reachable(world);
    world.start();
    world.make_machine();
    world.bootstrap_is_done();
    world.infrastructure_is_done();
    world.patch(kDockerMachines, "m1", {{"spec", {{"providerID", std::string(513, 'p')}}}});
    world.settle();

    EXPECT_EQ(world.machine().status.phase, "Provisioning");
    EXPECT_THAT(shown(world, "InfrastructureReady"), HasSubstr("spec.providerID"));
  });
}

// --- a Machine that its MachineSet has released ---

TEST(Turns, AReleasedMachineIsNoLongerJudgedByATemplate) {
  in_simulation([](MachineFixture& world) {
    running(world);
    of_a_deployment(world);
    const std::string before = shown(world, "UpToDate");

    world.patch(machines(), "m1", {{"metadata", {{"ownerReferences", nullptr}}}});
    world.settle();

    EXPECT_THAT(before, StartsWith("False NotUpToDate"));
    EXPECT_EQ(shown(world, "UpToDate"), "nothing");
  });
}

// kubectl delete --cascade=orphan: the garbage collector takes the owner references off, and nothing else
// happens to what is left.
TEST(Turns, MachinesOfASetThatOrphansThemAreLeftAlone) {
  in_simulation([](MachineFixture& world) {
    running(world);
    of_a_deployment(world);
    world.patch(kSets, "ms1", {{"metadata", {{"finalizers", {"orphan"}}}}});
    world.remove(kSets, "ms1");
    world.settle(60s);
    const auto while_orphaning = world.what_was_written();

    world.patch(machines(), "m1", {{"metadata", {{"ownerReferences", nullptr}}}});
    world.patch(kSets, "ms1", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(60s);

    EXPECT_THAT(while_orphaning, IsEmpty());
    EXPECT_TRUE(world.exists(machines(), "m1"));
    EXPECT_THAT(world.what_was_written(), testing::Each(testing::Not(StartsWith("delete"))));
    EXPECT_FALSE(world.machine().metadata.deleting());
    EXPECT_EQ(world.machine().status.phase, "Running");
  });
}

// --- spec.clusterName changed in place, where no webhook refuses it ---

TEST(Turns, AMachineWhoseClusterNameWasChangedStaysWithTheClusterThatOwnsIt) {
  in_simulation([](MachineFixture& world) {
    running(world);
    world.put(builders::a_cluster("c2").without_control_plane_ref().running().build());
    const auto owner = world.user.get(clusters(), {"default", "c1"}, Deadline::never()).value();
    world.patch(machines(), "m1",
                {{"metadata",
                  {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                    {"kind", "Cluster"},
                                                    {"name", "c1"},
                                                    {"uid", owner.at("metadata").at("uid")}}}}}}});
    world.settle();
    world.forget_what_happened();

    world.patch(machines(), "m1", {{"spec", {{"clusterName", "c2"}}}});
    world.settle(60s);
    const auto written = world.what_was_written();
    const std::string infrastructure = shown(world, "InfrastructureReady");
    const auto object = world.user.get(kDockerMachines, {"default", "m1"}, Deadline::never()).value();
    const auto machine = world.machine();
    world.remove(machines(), "m1");
    world.settle(10s);

    EXPECT_THAT(written, ElementsAre("patch machines/status m1")) << "nothing is made for the new name";
    for (const auto& write : world.workload.writes())
      EXPECT_THAT(json::serialize(write.body), testing::Not(HasSubstr("c2")));
    EXPECT_EQ(machine.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
    EXPECT_EQ(object.at("metadata").at("labels").at("cluster.x-k8s.io/cluster-name"), "c1");
    EXPECT_THAT(infrastructure, HasSubstr("spec.clusterName is c2, but this belongs to Cluster c1"));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("spec.clusterName is c2")));
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
