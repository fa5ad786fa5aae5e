// The bootstrap provider as a whole: data Secrets without spec.join.
#include "bootstrap/provider.h"

#include <gmock/gmock.h>

#include "bootstrap/provider_fixture.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Provider, MakesTheDataSecretInTwoWrites) {
  BootstrapFixture world;
  world.run([&] {
    world.add_cluster();

    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    world.sleep(1min);

    const auto document = world.secret("m1");
    must(document, "read the Secret");
    const auto secret = api::read_secret(*document);
    EXPECT_EQ(secret->type, "cluster.x-k8s.io/secret");
    EXPECT_EQ(secret->labels.at("cluster.x-k8s.io/cluster-name"), "c1");
    EXPECT_THAT(secret->find("value")->reveal(), StartsWith("#cloud-config"));
    EXPECT_THAT(secret->find("value")->reveal(), HasSubstr("v1.35.0"));
    EXPECT_EQ(secret->find("format")->reveal(), "cloud-config");
    const auto& owner = document->at_pointer("/metadata/ownerReferences/0").as_object();
    EXPECT_EQ(owner.at("kind"), "CloudConfig");
    EXPECT_EQ(owner.at("controller"), true);
    EXPECT_EQ(world.get<api::CloudConfig>("m1")->status.data_secret_name, "m1");
    EXPECT_EQ((world.writes[{Call::Create, "Secret"}]), 1);
    EXPECT_EQ((world.writes[{Call::Patch, "CloudConfig"}]), 1);
  });
}

TEST(Provider, MakesOneDataSecretForAllMachinesOfAPool) {
  BootstrapFixture world;
  world.run([&] {
    world.add_cluster();

    world.add_pool("mp1");
    EXPECT_TRUE(world.eventually([&] { return world.created("mp1"); }));

    const auto document = world.secret("mp1");
    must(document, "read the Secret");
    const auto secret = api::read_secret(*document);
    EXPECT_EQ(secret->labels.at("cluster.x-k8s.io/cluster-name"), "c1");
    EXPECT_THAT(secret->find("value")->reveal(), HasSubstr("\\\"machinePool\\\":\\\"mp1\\\""));
    EXPECT_THAT(secret->find("value")->reveal(), testing::Not(HasSubstr("hostname")));
  });
}

TEST(Provider, WaitsForTheInfrastructureOfTheCluster) {
  BootstrapFixture world;
  world.run([&] {
    world.add_cluster(false);
    world.add_machine("m1");
    world.sleep(5s);
    EXPECT_EQ((world.writes[{Call::Patch, "CloudConfig"}]), 0) << "a moment of waiting is no news";
    EXPECT_TRUE(
        world.eventually([&] { return world.ready_reason("m1") == "WaitingForClusterInfrastructure"; }));
    EXPECT_FALSE(world.secret("m1"));

    world.provision_cluster();

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    EXPECT_EQ(world.ready_reason("m1"), "Ready");
  });
}

TEST(Provider, FindsTheSecretOfALostReply) {
  BootstrapFixture world;
  int budget = 2;
  world.fault = [&](const FaultPoint& point) {
    return is_write(point.call) && budget-- > 0 ? Fault::LostReply : Fault::None;
  };
  world.run([&] {
    world.add_cluster();
    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    EXPECT_EQ((world.writes[{Call::Create, "Secret"}]), 1);
  });
}

// A moved Machine brings its data, and the status of its CloudConfig is lost on the way.
TEST(Provider, RestoresTheStatusAfterAMoveWithoutNewData) {
  BootstrapFixture world;
  world.run([&] {
    world.add_cluster();

    world.add_machine("m1", "data-of-m1");

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    EXPECT_EQ(world.get<api::CloudConfig>("m1")->status.data_secret_name, "data-of-m1");
    EXPECT_EQ((world.writes[{Call::Create, "Secret"}]), 0);
  });
}

TEST(Provider, LeavesASecretOfSomebodyElseAloneAndSaysSo) {
  BootstrapFixture world;
  world.run([&] {
    world.add_cluster();
    world.put_foreign_secret("m1");

    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "DataSecretTaken"; }));
    EXPECT_TRUE(world.secret("m1")->at("data").as_object().contains("mine"));
  });
}

TEST(Provider, RecordsOneEventPerReasonWhyThereIsNoData) {
  BootstrapFixture world;
  world.run([&] {
    world.put_foreign_secret("m1");
    world.add_cluster(false);
    world.add_machine("m1");
    ASSERT_TRUE(
        world.eventually([&] { return world.ready_reason("m1") == "WaitingForClusterInfrastructure"; }));
    world.provision_cluster();
    ASSERT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "DataSecretTaken"; }));

    world.sleep(10min);

    EXPECT_THAT(world.events(),
                ElementsAre("Warning WaitingForClusterInfrastructure: waiting for Cluster c1 to have its "
                            "infrastructure provisioned",
                            "Warning DataSecretTaken: Secret default/m1 exists and belongs to somebody else; "
                            "delete it or rename the Machine"));
  });
}

TEST(Provider, DoesNothingWhilePaused) {
  BootstrapFixture world;
  world.run([&] {
    world.add_cluster();
    const auto cluster = world.get<api::Cluster>("c1");
    api::Cluster paused = *cluster;
    paused.spec.paused = true;
    must(kube::patch(world.user, *cluster, paused, kNever), "pause");

    world.add_machine("m1");
    world.sleep(1min);

    EXPECT_FALSE(world.secret("m1"));
    EXPECT_TRUE(api::conditions::is_true(world.get<api::CloudConfig>("m1")->status.conditions, "Paused"));
  });
}

}  // namespace
}  // namespace capstan::bootstrap
