// The bootstrap provider as a whole: machines with a NodeConfig, how changes get to their Nodes, and the
// certificates of their agents.
#include <gmock/gmock.h>

#include "bootstrap/node_config_fixture.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using nodeconfig::rights_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(NodeConfigs, StandInTheWorkloadClusterWithTheirRightsAndAskNothingAtRest) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();

    EXPECT_TRUE(world.eventually([&] { return world.stands(); }));
    EXPECT_EQ(world.rights(), 3U);
    const auto secret = world.node_config_secret();
    must(secret, "read the Secret");
    EXPECT_EQ(secret->at("data").at("checksum").as_string(), base64_encode(world.checksum()));

    world.sleep(1min);
    const int before = world.workload_requests;
    world.sleep(24h);
    EXPECT_EQ(world.workload_requests, before);
  });
}

TEST(NodeConfigs, AreWhatMachinesWaitFor) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "WaitingForNodeConfig"; }));
    EXPECT_THAT(world.tokens(), IsEmpty());

    world.add_node_config();

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    EXPECT_THAT(world.data_of("m1"),
                AllOf(HasSubstr("/etc/capstan/agent.json"), HasSubstr(world.tokens().front().text()),
                      HasSubstr(nodeconfig::secret_key(world.workers).name),
                      Not(HasSubstr("bootstrap-kubelet.conf"))));
  });
}

TEST(NodeConfigs, GetToTheNodesInWaves) {
  const std::vector<std::string> names = {"m1", "m2", "m3", "m4"};
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    for (const auto& name : names) world.add_worker(name);
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Ready"); })) << world.ready();

    world.change_file("2");
    EXPECT_TRUE(world.eventually([&] { return world.released_among(names).size() == 1; }));
    world.sleep(10min);
    EXPECT_EQ(world.released_among(names).size(), 1U) << "it has not reported yet";

    for (const auto& name : world.released_among(names)) world.apply(name);
    EXPECT_TRUE(world.eventually([&] { return world.released_among(names).size() == 3; }));
    for (const auto& name : world.released_among(names)) world.apply(name);
    EXPECT_TRUE(world.eventually([&] { return world.released_among(names).size() == 4; }));
    for (const auto& name : names) world.apply(name);

    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Ready"); })) << world.ready();
    EXPECT_EQ(world.get<api::NodeConfig>("workers")->status.up_to_date_nodes, 4);
    EXPECT_TRUE(world.has("a Node that joins later"));
  });
}

// Another version of the Machine is a matter of its owner.
TEST(NodeConfigs, WithAnotherKubeletLeaveTheMachineAsItIs) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_worker("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Ready"); })) << world.ready();
    const auto machine = world.get<api::Machine>("m1");

    world.change_kubelet("v1.36.0");
    EXPECT_TRUE(world.eventually([&] { return world.has("m1"); }));
    world.apply("m1");

    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Ready"); })) << world.ready();
    EXPECT_EQ(*world.get<api::Machine>("m1"), *machine);
  });
}

TEST(NodeConfigs, StopWhenANodeFailsAndSayWhy) {
  const std::vector<std::string> names = {"m1", "m2", "m3"};
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    for (const auto& name : names) world.add_worker(name);
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Ready"); })) << world.ready();
    world.change_file("2");
    EXPECT_TRUE(world.eventually([&] { return world.released_among(names).size() == 1; }));
    const std::string first = world.released_among(names).front();

    world.apply(first, "no space left");

    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("ApplyFailed"); })) << world.ready();
    EXPECT_THAT(world.ready(), HasSubstr("node-of-" + first + ": no space left"));
    EXPECT_EQ(world.get<api::NodeConfig>("workers")->status.failed_nodes, 1);
    world.apply(first);
    world.sleep(10min);
    EXPECT_EQ(world.released_among(names).size(), 1U) << "it stays stopped until the spec changes";

    world.change_file("3");
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Applying"); })) << world.ready();
    EXPECT_EQ(world.released_among(names).size(), 1U);
  });
}

TEST(NodeConfigs, StopWhenANodeTurnsNotReadyByIt) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_worker("m1");
    world.add_worker("m2");
    world.change_file("2");
    EXPECT_TRUE(world.eventually([&] { return world.released_among({"m1", "m2"}).size() == 1; }));
    const std::string first = world.released_among({"m1", "m2"}).front();

    world.apply(first);
    world.set_ready(first, false);

    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("ApplyFailed"); })) << world.ready();
    EXPECT_THAT(world.ready(), HasSubstr("node-of-" + first + ": NotReady since"));
  });
}

TEST(NodeConfigs, RepairTheirRightsWhenAMachineComes) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    EXPECT_TRUE(world.eventually([&] { return world.stands(); }));
    const auto role = rights_of(world.workers).front();
    must(world.workload.remove(role.resource, role.key, {}, kNever), "take the Role");

    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.rights() == 3; }));
  });
}

TEST(NodeConfigs, GoAfterTheCloudConfigsThatReferToThemAndLeaveNothing) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));

    world.remove<api::NodeConfig>("workers");
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Deleting"); })) << world.ready();
    EXPECT_THAT(world.ready(), HasSubstr("m1"));
    EXPECT_EQ(world.rights(), 3U);

    world.remove<api::CloudConfig>("m1");
    EXPECT_TRUE(world.eventually([&] { return !world.get<api::NodeConfig>("workers"); }));
    EXPECT_EQ(world.rights(), 0U);
    EXPECT_FALSE(world.node_config_secret());
  });
}

TEST(NodeConfigs, SayThatTheWorkloadClusterIsAwayAndGoOnWhenItIsBack) {
  NodeConfigFixture world;
  world.workload_answers = false;
  world.run([&] {
    world.begin();
    world.add_node_config();
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("ControlPlaneUnavailable"); }));

    world.workload_answers = true;

    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("Ready"); })) << world.ready();
  });
}

TEST(NodeConfigs, GoOnWhenTheConditionAloneSaysThatTheControlPlaneIsInitialized) {
  NodeConfigFixture world;
  world.run([&] {
    world.install_requests();
    world.add_cluster_without_control_plane();
    world.add_node_config();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready().starts_with("ControlPlaneUnavailable"); }));
    EXPECT_TRUE(world.eventually([&] { return !world.ready_reason("m1").empty(); }));

    world.join_control_plane_machine();
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); })) << world.ready_reason("m1");
    world.request("own", approval::kRequestOfM1, world.token_user());

    EXPECT_TRUE(world.eventually([&] { return !world.answer("own").empty(); }));
  });
}

TEST(AgentCertificates, AreApprovedForTheMachineOfTheTokenAlone) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));

    world.request("own", approval::kRequestOfM1, world.token_user());
    world.request("stolen", approval::kRequestOfM2, world.token_user());
    world.request("of-a-person", approval::kRequestOfM1, "jane");

    EXPECT_TRUE(world.eventually([&] { return !world.answer("own").empty(); }));
    EXPECT_TRUE(world.eventually([&] { return !world.answer("stolen").empty(); }));
    EXPECT_EQ(world.answer("own"), "Approved: the bootstrap token was minted for Machine default/m1");
    EXPECT_EQ(world.answer("stolen"), "Denied: the bootstrap token was minted for Machine default/m1");
    EXPECT_EQ(world.answer("of-a-person"), "");
  });
}

// The token is still there for a moment after the Machine has got its Node.
TEST(AgentCertificates, AreNotApprovedByATokenOfAMachineThatHasItsNode) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    const std::string user = world.token_user();
    world.workload_fault = [](const FaultPoint& point) {
      return point.call == Call::Remove ? Fault::Unavailable : Fault::None;
    };

    world.join("m1");
    world.request("late", approval::kRequestOfM1, user);
    world.add_machine("m2");

    EXPECT_TRUE(world.eventually([&] { return !world.answer("late").empty(); }));
    EXPECT_EQ(world.answer("late"), "Denied: Machine default/m1 has a Node already");
  });
}

TEST(AgentCertificates, AreRenewedByTheKubeletOfTheMachine) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_worker("m1");

    world.request("own", approval::kRequestOfM1, "system:node:node-of-m1");
    world.request("neighbours", approval::kRequestOfM1, "system:node:node-of-m2");
    world.sleep(11min);

    EXPECT_EQ(world.answer("own"), "Approved: the kubelet of that machine asks for its agent");
    EXPECT_EQ(world.answer("neighbours"), "Denied: system:node:node-of-m2 is not Machine default/m1");
  });
}

TEST(AgentCertificates, AreApprovedOnceForAnInstanceOfAPool) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_pool("mp1");
    EXPECT_TRUE(world.eventually([&] { return world.created("mp1"); }));

    world.request("first", approval::kRequestOfM1, world.token_user());
    EXPECT_TRUE(world.eventually([&] { return !world.answer("first").empty(); }));
    world.request("second", approval::kRequestOfM1, world.token_user());
    EXPECT_TRUE(world.eventually([&] { return !world.answer("second").empty(); }));

    EXPECT_EQ(world.answer("first"), "Approved: the bootstrap token was minted for MachinePool default/mp1");
    EXPECT_EQ(world.answer("second"), "Denied: an instance of that name has got a certificate already");
  });
}

// A thief with the pool's token asked within the five seconds between two looks, and both got one.
TEST(AgentCertificates, AreApprovedOnceForAnInstanceThoughTwoRequestsWaitForOneLook) {
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    world.add_pool("mp1");
    EXPECT_TRUE(world.eventually([&] { return world.created("mp1"); }));
    world.workload_fault = [](const FaultPoint& point) {
      return point.kind == "CertificateSigningRequest" ? Fault::Unavailable : Fault::None;
    };
    world.request("first", approval::kRequestOfM1, world.token_user());
    world.request("second", approval::kRequestOfM1, world.token_user());

    world.workload_fault = {};

    EXPECT_TRUE(world.eventually([&] { return !world.answer("second").empty(); }));
    EXPECT_EQ(world.answer("first"), "Approved: the bootstrap token was minted for MachinePool default/mp1");
    EXPECT_EQ(world.answer("second"), "Denied: an instance of that name has got a certificate already");
  });
}

}  // namespace
}  // namespace capstan::bootstrap
