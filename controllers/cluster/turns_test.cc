#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "base/base64.h"
#include "controllers/cluster/turn_fixture.h"
#include "kubeconfig/access.h"
#include "kubeconfig/issue.h"
#include "kubeconfig/secret.h"
#include "net/pki.h"
#include "test/builders/cluster.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

TEST(Turns, BringAClusterToProvisioned) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    const std::string first = world.c1().status.phase.str();
    world.infrastructure_is_done();
    world.settle();
    world.control_plane_is_done();
    world.settle();

    const auto cluster = world.c1();
    EXPECT_EQ(first, "Provisioning");
    EXPECT_EQ(cluster.status.phase.view(), "Provisioned");
    EXPECT_EQ(cluster.spec.control_plane_endpoint.host.view(), "10.0.0.1");
    EXPECT_TRUE(cluster.metadata.has_finalizer(api::finalizer::kCluster));
    EXPECT_EQ(world.condition("InfrastructureReady"), "True Ready");
    EXPECT_EQ(world.condition("ControlPlaneInitialized"), "True Initialized");
    EXPECT_THAT(
        world.events.events,
        ElementsAre("Normal Provisioning: Cluster c1 is Provisioning",
                    "Normal InfrastructureReady: Cluster c1 InfrastructureProvisioned is now True",
                    "Normal Provisioned: Cluster c1 is Provisioned",
                    "Normal ControlPlaneInitialized: Cluster c1 ControlPlaneInitialized is now True"));
  });
}

TEST(Turns, AFrozenClusterSaysSoUntilItIsThawed) {
  in_simulation([](ClusterFixture& world) {
    const auto freeze = [&](const json::value& why) {
      world.patch(kClusters, "c1", {{"metadata", {{"annotations", {{"capstan.dev/freeze", why}}}}}});
      world.settle();
    };
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    EXPECT_EQ(world.condition("capstan.dev/Frozen"), "absent");

    freeze("audit");
    EXPECT_EQ(world.condition("capstan.dev/Frozen"), "True FrozenByAnnotation");

    freeze(nullptr);
    EXPECT_EQ(world.condition("capstan.dev/Frozen"), "False NotFrozen");
    EXPECT_THAT(world.events.events, Contains("Normal Unfrozen: not frozen any more"));
  });
}

// Providers read it there.
TEST(Turns, AClusterOfAFrozenFleetSaysSoUntilItIsThawed) {
  in_simulation([](ClusterFixture& world) {
    const auto freeze = [&](const json::value& why) {
      world.patch(kube::resource_of<api::FleetPolicy>(), "fleet",
                  {{"metadata", {{"annotations", {{"capstan.dev/freeze", why}}}}}});
      world.settle();
    };
    world.make(kube::resource_of<api::FleetPolicy>(), api::to_json(builders::a_fleet_policy().build()));
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    EXPECT_EQ(world.condition("capstan.dev/Frozen"), "absent");

    freeze("incident 7");
    EXPECT_EQ(world.condition("capstan.dev/Frozen"), "True FrozenByFleet");

    freeze(nullptr);
    EXPECT_EQ(world.condition("capstan.dev/Frozen"), "False NotFrozen");
  });
}

TEST(Turns, ReadNothingAndWriteOncePerStep) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    EXPECT_THAT(world.requests(), ElementsAre("patch clusters c1", "patch dockerclusters c1",
                                              "patch kubeadmcontrolplanes c1", "patch clusters/status c1"));

    world.infrastructure_is_done();
    world.settle();
    EXPECT_THAT(world.requests(), ElementsAre("patch clusters c1", "patch clusters/status c1"));

    world.control_plane_is_done();
    world.settle();
    EXPECT_THAT(world.requests(), ElementsAre("patch clusters/status c1"));

    world.settle(10min);
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(Turns, OwnProviderObjectsWithoutTakingTheControllersPlace) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();

    const auto metadata = world.read(kInfra, "c1").at("metadata").as_object();
    EXPECT_EQ(metadata.at("labels").at("cluster.x-k8s.io/cluster-name").as_string(), "c1");
    const auto& owner = metadata.at("ownerReferences").at(0).as_object();
    EXPECT_EQ(owner.at("apiVersion").as_string(), "cluster.x-k8s.io/v1beta2");
    EXPECT_EQ(owner.at("kind").as_string(), "Cluster");
    EXPECT_EQ(owner.at("name").as_string(), "c1");
    EXPECT_EQ(api::Uid(owner.at("uid").as_string()), world.c1().metadata.uid);
    EXPECT_FALSE(owner.contains("controller"));
    EXPECT_FALSE(owner.contains("blockOwnerDeletion"));
  });
}

TEST(Turns, LeaveTheTopologyAlone) {
  in_simulation([](ClusterFixture& world) {
    auto cluster = a_cluster("c1").build();
    cluster.spec.topology = api::RawJson::from_compact(R"({"classRef":{"name":"k"},"version":"v1.34.0"})");
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(cluster));
    world.start();
    world.infrastructure_is_done();
    world.settle();

    EXPECT_EQ(world.c1().spec.topology, cluster.spec.topology);
    const auto owner = world.read(kInfra, "c1").at("metadata").at("ownerReferences").at(0).as_object();
    EXPECT_TRUE(owner.at("controller").as_bool());
  });
}

TEST(Turns, FindAProviderObjectThatComesLater) {
  in_simulation([](ClusterFixture& world) {
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    EXPECT_EQ(world.condition("InfrastructureReady"), "False ObjectDoesNotExist");

    world.put_provider(kInfra, "c1");
    world.settle(31s);

    EXPECT_EQ(world.condition("InfrastructureReady"), "False NotReady");
  });
}

TEST(Turns, SayWhichDefinitionIsMissing) {
  in_simulation([](ClusterFixture& world) {
    auto cluster = a_cluster("c1").build();
    cluster.spec.infrastructure_ref->kind = "CloudCluster"_text;
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(cluster));
    world.start();

    const auto now = world.c1();
    const auto shown = api::conditions::find(now.status.conditions, "InfrastructureReady");
    ASSERT_NE(shown, nullptr);
    EXPECT_EQ(shown->message.view(),
              "spec.infrastructureRef: CustomResourceDefinition "
              "cloudclusters.infrastructure.cluster.x-k8s.io does not exist");
    EXPECT_THAT(world.events.events, Contains(HasSubstr("Warning IncorrectExternalRef: ")));
  });
}

// `kubectl apply` of everything at once: nothing wakes a Cluster when its provider is installed.
void put_before_its_definition(ClusterFixture& world, const kube::Resource& cloud) {
  auto cluster = a_cluster("c1").build();
  cluster.spec.infrastructure_ref->kind = Text(cloud.kind);
  world.put_provider(kControlPlane, "c1");
  world.make(kClusters, a_document(cluster));
  world.start();
  ASSERT_EQ(world.condition("InfrastructureReady"), "Unknown InternalError");
}

const kube::Resource kCloud = provider_resource(api::group::kInfrastructure, "CloudCluster", "cloudclusters");

TEST(Turns, FindAProviderWhoseDefinitionComesLater) {
  in_simulation([](ClusterFixture& world) {
    put_before_its_definition(world, kCloud);

    world.make(kCrds, provider_crd(kCloud));
    world.put_provider(kCloud, "c1");
    world.settle(35s);

    EXPECT_EQ(world.condition("InfrastructureReady"), "False NotReady");
    EXPECT_TRUE(world.read(kCloud, "c1").at("metadata").as_object().contains("ownerReferences"));
  });
}

TEST(Turns, FindAProviderWhoseDefinitionIsLabelledLater) {
  in_simulation([](ClusterFixture& world) {
    auto definition = provider_crd(kCloud);
    const auto labels = std::exchange(definition.at("metadata").at("labels"), json::object());
    world.make(kCrds, definition);
    put_before_its_definition(world, kCloud);

    world.put_provider(kCloud, "c1");
    world.patch(kCrds, "cloudclusters.infrastructure.cluster.x-k8s.io", {{"metadata", {{"labels", labels}}}});
    world.settle(35s);

    EXPECT_EQ(world.condition("InfrastructureReady"), "False NotReady");
  });
}

TEST(Turns, APausedClusterGetsItsFinalizerAndNothingElse) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kClusters, a_document(a_cluster("c1").held()));
    world.start();

    EXPECT_THAT(world.requests(), ElementsAre("patch clusters c1", "patch clusters/status c1"));
    EXPECT_EQ(world.condition("Paused"), "True Paused");
    EXPECT_FALSE(world.read(kInfra, "c1").at("metadata").as_object().contains("ownerReferences"));

    world.patch(kClusters, "c1", {{"spec", {{"paused", false}}}});
    world.settle();
    EXPECT_EQ(world.condition("Paused"), "False NotPaused");
    EXPECT_TRUE(world.read(kInfra, "c1").at("metadata").as_object().contains("ownerReferences"));
  });
}

TEST(Turns, FollowTheConnection) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    EXPECT_EQ(world.condition("RemoteConnectionProbe"), "False ProbeFailed");

    world.workload_clusters.connect(ClusterFixture::key("c1"), nullptr, Time::from(world.baton.now()));
    world.settle();
    EXPECT_EQ(world.condition("RemoteConnectionProbe"), "True ProbeSucceeded");

    world.workload_clusters.lose(ClusterFixture::key("c1"), "refused", Time::from(world.baton.now()));
    world.settle();
    EXPECT_EQ(world.condition("RemoteConnectionProbe"), "True ProbeSucceeded");
    world.settle(60s);
    EXPECT_EQ(world.condition("RemoteConnectionProbe"), "False ProbeFailed");
  });
}

TEST(Turns, CountWorkersAFewSecondsLater) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.put_provider(kControlPlane, "c1");
    world.make(kClusters, a_document(a_cluster("c1")));
    world.start();
    auto owner = builders::controller_of(api::kind::kCluster, "c1");
    owner.uid = world.c1().metadata.uid;
    world.put(a_machine("m1").owned_by(owner).ready().build());
    (void)world.requests();
    world.settle(8s);

    EXPECT_EQ(world.c1().status.workers->ready_replicas, 1);
    EXPECT_THAT(world.requests(), ElementsAre("patch clusters/status c1"));
  });
}

json::value ca_secret(const net::KeyAndCertificate& ca) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", "c1-ca"}, {"namespace", builders::kNamespace}}},
          {"data",
           {{"tls.crt", base64_encode(ca.certificate_pem)},
            {"tls.key", base64_encode(ca.private_key_pem.reveal())}}}};
}

net::KeyAndCertificate an_authority(ClusterFixture& world) {
  const WallTime now = world.baton.now();
  return *net::new_ca("kubernetes", now - std::chrono::hours(1), now + std::chrono::days(3650));
}

TEST(Kubeconfig, IsMadeOnceTheCaIsThere) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kClusters, a_document(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443)));
    world.start();
    EXPECT_FALSE(world.exists(kSecrets, "c1-kubeconfig"));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("Warning WaitingForClusterCA")));

    world.make(kSecrets, ca_secret(an_authority(world)));
    world.settle(31s);

    const auto secret = world.read(kSecrets, "c1-kubeconfig");
    EXPECT_EQ(secret.at("type").as_string(), "cluster.x-k8s.io/secret");
    EXPECT_EQ(secret.at("metadata").at("labels").at("cluster.x-k8s.io/cluster-name").as_string(), "c1");
    EXPECT_EQ(api::Uid(secret.at("metadata").at("ownerReferences").at(0).at("uid").as_string()),
              world.c1().metadata.uid);
    EXPECT_TRUE(kubeconfig::read_access(world.user, ClusterFixture::key("c1"), Deadline::never()));
  });
}

TEST(Kubeconfig, CostsNothingOnceItIsMade) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kSecrets, ca_secret(an_authority(world)));
    world.make(kClusters, a_document(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443)));
    world.start();
    (void)world.requests();

    world.patch(kClusters, "c1", {{"metadata", {{"labels", {{"a", "b"}}}}}});
    world.settle();

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(Kubeconfig, OfAUserIsLeftAlone) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kSecrets, {{"apiVersion", "v1"},
                          {"kind", "Secret"},
                          {"metadata", {{"name", "c1-kubeconfig"}, {"namespace", builders::kNamespace}}},
                          {"data", {{"value", base64_encode("theirs")}}}});
    world.make(kSecrets, ca_secret(an_authority(world)));
    world.make(kClusters, a_document(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443)));
    world.start();
    world.settle(2min);

    EXPECT_EQ(world.read(kSecrets, "c1-kubeconfig").at("data").at("value").as_string(),
              base64_encode("theirs"));
  });
}

// The Secret as we made it when its certificate had still so long to live.
void put_kubeconfig(ClusterFixture& world, std::chrono::days left, bool ours) {
  world.put_provider(kInfra, "c1");
  world.make(kClusters, a_document(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443)));
  const auto ca = an_authority(world);
  const auto ca_document = ca_secret(ca);
  world.make(kSecrets, ca_document);
  const auto issued = kubeconfig::issue_admin(*api::read_secret(ca_document),
                                              {.cluster_name = "c1",
                                               .host = "10.0.0.1",
                                               .port = 6443,
                                               .now = world.baton.now() + left - kubeconfig::kAdminValidity});
  const auto owner =
      ours ? world.c1().metadata.uid.str() : std::string("55555555-5555-4555-8555-555555555555");
  world.make(
      kSecrets,
      kubeconfig::secret_object(
          ClusterFixture::key("c1"),
          {.api_version = std::string(api::kApiVersion), .kind = "Cluster", .name = "c1", .uid = owner},
          *kubeconfig::render(*issued)));
}

// Then the controller starts.
std::string kubeconfig_after_a_turn(ClusterFixture& world, std::chrono::days left, bool ours) {
  put_kubeconfig(world, left, ours);
  const std::string before(world.read(kSecrets, "c1-kubeconfig").at("data").at("value").as_string());
  world.start();
  const std::string after(world.read(kSecrets, "c1-kubeconfig").at("data").at("value").as_string());
  return before == after ? "kept" : "renewed";
}

TEST(Kubeconfig, IsRenewedHalfAYearBeforeItEnds) {
  in_simulation([](ClusterFixture& world) {
    EXPECT_EQ(kubeconfig_after_a_turn(world, std::chrono::days(181), true), "renewed");
  });
}

TEST(Kubeconfig, IsKeptWhileItHasLongToLive) {
  in_simulation([](ClusterFixture& world) {
    EXPECT_EQ(kubeconfig_after_a_turn(world, std::chrono::days(183), true), "kept");
  });
}

TEST(Kubeconfig, OfSomebodyElseIsTheirsToRenew) {
  in_simulation([](ClusterFixture& world) {
    EXPECT_EQ(kubeconfig_after_a_turn(world, std::chrono::days(1), false), "kept");
  });
}

TEST(Kubeconfig, ThatWorksAndCanNotBeRenewedFailsNoTurn) {
  in_simulation([](ClusterFixture& world) {
    put_kubeconfig(world, std::chrono::days(100), true);
    world.patch(kSecrets, "c1-ca", {{"data", {{"tls.key", nullptr}}}});
    world.start();

    const auto cluster = world.c1();
    EXPECT_EQ(cluster.status.observed_generation, cluster.metadata.generation);
    EXPECT_THAT(world.events.events, Contains(HasSubstr("Warning KubeconfigNotRenewed: ")));
  });
}

TEST(Kubeconfig, IsMissedAloudAlsoWhenTheStatusCouldNotBeWritten) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kClusters, a_document(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443)));
    world.client.refuse_next("patch clusters/status c1",
                             {.code = Code::Unavailable, .message = "the server is shutting down"});
    world.start();

    EXPECT_THAT(world.events.events, Contains(HasSubstr("Warning WaitingForClusterCA: ")));
  });
}

// A cluster with everything below it, about to go.
void make_a_whole_cluster(ClusterFixture& world) {
  world.put_provider(kInfra, "c1");
  world.put_provider(kControlPlane, "c1");
  world.make(kClusters, a_document(a_cluster("c1")));
  world.start();
  auto owner = builders::controller_of(api::kind::kCluster, "c1");
  owner.uid = world.c1().metadata.uid;
  world.make(kube::resource_of<api::MachineDeployment>(),
             a_document_of(a_machine_deployment("md").owned_by(owner).finalized_by("test/held").build()));
  world.settle();
  (void)world.requests();
}

TEST(Deletion, GoesFromTheWorkersToTheCluster) {
  in_simulation([](ClusterFixture& world) {
    make_a_whole_cluster(world);

    world.remove(kClusters, "c1");
    world.settle();
    EXPECT_THAT(world.requests(), ElementsAre("delete machinedeployments md", "patch clusters/status c1"));
    EXPECT_EQ(world.condition("Deleting"), "True WaitingForWorkersDeletion");
    EXPECT_TRUE(world.exists(kControlPlane, "c1"));

    world.patch(kube::resource_of<api::MachineDeployment>(), "md", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(8s);

    EXPECT_FALSE(world.exists(kControlPlane, "c1"));
    EXPECT_FALSE(world.exists(kInfra, "c1"));
    EXPECT_FALSE(world.exists(kClusters, "c1"));
    EXPECT_THAT(world.events.events, Contains("Normal Deleted: Cluster c1 has been deleted"));
  });
}

TEST(Deletion, LooksLiveBeforeItDestroysAndBeforeItLetsGo) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kClusters, a_document(a_cluster("c1").without_control_plane_ref()));
    world.start();
    (void)world.requests();

    world.remove(kClusters, "c1");
    world.settle(8s);

    EXPECT_FALSE(world.exists(kClusters, "c1"));
    EXPECT_THAT(world.requests(),
                ElementsAre("list machinepools", "list machines", "delete dockerclusters c1",
                            "patch clusters/status c1", "get dockerclusters c1", "patch clusters c1"));
  });
}

TEST(Deletion, WaitsForAMachineTheCachesDoNotShow) {
  in_simulation([](ClusterFixture& world) {
    make_a_whole_cluster(world);
    // It is made while the server is asked.
    world.client.before = [&, first =
                                  true](const fakes::RecordedRequest& asked) mutable -> std::optional<Error> {
      if (!asked.is("list machines") || !std::exchange(first, false)) return std::nullopt;
      world.make(kube::resource_of<api::Machine>(),
                 a_document_of(a_machine("hidden")
                                   .labelled(api::label::kClusterName, "c1")
                                   .finalized_by("test/held")
                                   .build()));
      return std::nullopt;
    };
    world.remove(kClusters, "c1");
    world.patch(kube::resource_of<api::MachineDeployment>(), "md", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(30s);
    EXPECT_THAT(world.requests(), Not(Contains("delete kubeadmcontrolplanes c1")));
    EXPECT_TRUE(world.exists(kControlPlane, "c1"));

    world.patch(kube::resource_of<api::Machine>(), "hidden", {{"metadata", {{"finalizers", nullptr}}}});
    world.settle(10s);

    EXPECT_FALSE(world.exists(kClusters, "c1"));
  });
}

TEST(Deletion, DoesNotWaitForAProviderThatWasUninstalled) {
  in_simulation([](ClusterFixture& world) {
    make_a_whole_cluster(world);
    world.remove(kube::resource_of<api::MachineDeployment>(), "md");
    world.patch(kube::resource_of<api::MachineDeployment>(), "md", {{"metadata", {{"finalizers", nullptr}}}});
    world.remove(kCrds, "kubeadmcontrolplanes.controlplane.cluster.x-k8s.io");
    world.run_cluster_controllers();
    world.settle();

    world.remove(kClusters, "c1");
    world.settle(2min);

    EXPECT_FALSE(world.exists(kClusters, "c1"));
  });
}

TEST(Deletion, OfAPausedClusterWaits) {
  in_simulation([](ClusterFixture& world) {
    world.put_provider(kInfra, "c1");
    world.make(kClusters, a_document(a_cluster("c1").held()));
    world.start();
    world.remove(kClusters, "c1");
    world.settle(1min);
    EXPECT_TRUE(world.exists(kClusters, "c1"));

    world.patch(kClusters, "c1", {{"spec", {{"paused", false}}}});
    world.settle(8s);

    EXPECT_FALSE(world.exists(kClusters, "c1"));
    EXPECT_FALSE(world.exists(kInfra, "c1"));
  });
}

TEST(Deletion, LeavesAClusterThatOthersHoldToThem) {
  in_simulation([](ClusterFixture& world) {
    world.make(kClusters, a_document(a_cluster("c1").finalized_by("test/other")));
    world.start();
    world.remove(kClusters, "c1");
    world.settle(8s);

    const auto left = world.c1();
    EXPECT_FALSE(left.metadata.has_finalizer(api::finalizer::kCluster));
    EXPECT_EQ(world.condition("Deleting"), "True DeletionCompleted");
    (void)world.requests();
    world.settle(10min);
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::cluster
