// The bootstrap provider as a whole: machines and pools that join by a bootstrap token.
#include <gmock/gmock.h>

#include "bootstrap/access/bindings.h"
#include "bootstrap/join_fixture.h"
#include "bootstrap/token.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(Join, GivesAMachineATokenAndTakesItBackWhenItHasJoined) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();

    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));

    ASSERT_THAT(world.tokens(), SizeIs(1));
    EXPECT_THAT(world.data_of("m1"), HasSubstr(world.tokens().front().text()));
    EXPECT_THAT(world.data_of("m1"), HasSubstr("THE CA"));
    EXPECT_GE(world.left(world.tokens().front()), 2h);

    world.join("m1");
    EXPECT_TRUE(
        world.eventually([&] { return world.tokens().empty() && world.token_standing("m1") == "Removed"; }));
    EXPECT_EQ(world.all_writes(), 5);

    world.sleep(24h);
    EXPECT_EQ(world.all_writes(), 5) << "at rest";
  });
}

TEST(Join, GrantsTheBindingsOnceAndTakesThemBackWithTheLastMachine) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    world.add_machine("m2");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1") && world.created("m2"); }));
    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 3; }));
    world.join("m1");
    world.join("m2");

    world.remove<api::CloudConfig>("m1");
    world.sleep(1min);
    EXPECT_EQ(world.bindings(), 3U);
    world.remove<api::CloudConfig>("m2");

    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 0; }));
  });
}

TEST(Join, LeavesBindingsAndTokensToTheClusterThatACopyWasMadeOf) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_running_cluster("copy");
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1") && world.bindings() == 3; }));

    world.add_config("m2", "copy");
    world.sleep(1min);
    world.remove<api::CloudConfig>("m2");
    world.sleep(1min);

    EXPECT_EQ(world.bindings(), 3U);
    EXPECT_THAT(world.tokens(), SizeIs(1));
    world.remove<api::CloudConfig>("m1");
    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 0; }));
  });
}

TEST(Join, TakesTheBindingsOverFromAClusterThatIsGone) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_running_cluster("older");
    world.add_config("m2", "older");
    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 3; }));
    world.remove<api::Cluster>("older");

    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    world.remove<api::CloudConfig>("m1");

    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 0; }));
  });
}

TEST(Join, PutsBindingsOfItsNamesRightThatWereThereBefore) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_foreign_binding("capstan-node-bootstrapper", "system:node-bootstrapper");
    world.add_foreign_binding("capstan-node-first-certificate", "cluster-admin");

    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 3; }));
    EXPECT_THAT(world.binding("capstan-node-bootstrapper"), HasSubstr("system:bootstrappers:capstan"));
    EXPECT_THAT(world.binding("capstan-node-first-certificate"), HasSubstr(":nodeclient"));
  });
}

TEST(Join, TakesTheBindingsBackOfAClusterWhoseLastMachineWentWhileItWasPaused) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1") && world.bindings() == 3; }));
    world.join("m1");
    EXPECT_TRUE(world.eventually([&] { return world.token_standing("m1") == "Removed"; }));
    world.pause_cluster(true);
    world.remove<api::CloudConfig>("m1");
    world.sleep(1min);
    EXPECT_EQ(world.bindings(), 3U);

    world.pause_cluster(false);

    EXPECT_TRUE(world.eventually([&] { return world.bindings() == 0; }));
  });
}

TEST(Join, WaitsForControlPlaneAndAuthorityAndSaysSo) {
  JoinFixture world;
  world.run([&] {
    world.add_cluster();
    world.add_kubeconfig();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "ControlPlaneUnavailable"; }));

    world.initialize_control_plane();
    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "WaitingForClusterCA"; }));
    EXPECT_THAT(world.events().back(), HasSubstr("Secret default/c1-ca"));
    EXPECT_THAT(world.tokens(), IsEmpty());

    world.add_authority();
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
  });
}

// The condition woke nothing, and the worker waited until something else of its Cluster changed.
TEST(Join, GoesOnWhenTheConditionAloneSaysThatTheControlPlaneIsInitialized) {
  JoinFixture world;
  world.run([&] {
    world.add_cluster_without_control_plane();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "ControlPlaneUnavailable"; }));

    world.join_control_plane_machine();

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); })) << world.ready_reason("m1");
    EXPECT_TRUE(world.eventually([&] { return world.bindings() == access::bindings().size(); }));
  });
}

TEST(Join, SaysThatTheWorkloadClusterDoesNotAnswer) {
  JoinFixture world;
  world.workload_answers = false;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "ControlPlaneUnavailable"; }));
    EXPECT_FALSE(world.secret("m1"));

    world.workload_answers = true;

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
  });
}

TEST(Join, WritesNothingThatIsLargerThanCloudsTake) {
  JoinFixture world;
  world.spec.files.push_back({.path = "/etc/big"_text, .content = FreeText(std::string(9000, 'a'))});
  world.spec.files.push_back({.path = "/etc/bigger"_text, .content = FreeText(std::string(9000, 'b'))});
  world.run([&] {
    world.add_running_cluster();

    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "InvalidConfiguration"; }));
    EXPECT_THAT(world.events().back(), HasSubstr("clouds take 16384"));
    EXPECT_FALSE(world.secret("m1"));
    EXPECT_THAT(world.tokens(), IsEmpty());

    world.change_spec("m1", [](api::CloudConfigSpec& spec) { spec.files = {}; });
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
  });
}

TEST(Join, ExtendsTheTokenAsLongAsThereIsNoNode) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    const std::string first = world.tokens().front().text();
    const std::string data = world.data_of("m1");

    for (int hour = 0; hour < 6; ++hour) {
      world.sleep(1h);
      ASSERT_THAT(world.tokens(), SizeIs(1));
      EXPECT_EQ(world.tokens().front().text(), first);
      EXPECT_GE(world.left(world.tokens().front()), 2h) << "a clock may be an hour off";
    }
    EXPECT_EQ(world.data_of("m1"), data);
  });
}

TEST(Join, MakesAnotherTokenWhileNoVmHasReadTheData) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    const Token first = world.tokens().front();

    world.take_token(first);
    world.sleep(11min);

    ASSERT_THAT(world.tokens(), SizeIs(1));
    EXPECT_THAT(world.data_of("m1"), HasSubstr(world.tokens().front().text()));
    EXPECT_THAT(world.data_of("m1"), Not(HasSubstr(first.text())));
  });
}

TEST(Join, SaysThatTheTokenOfAVmIsGone) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    world.sleep(1min);  // the provider has looked at what it wrote
    world.take_token(world.tokens().front());

    world.boot("m1");

    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "CredentialsUnreadable"; }));
    EXPECT_THAT(world.events().back(), HasSubstr("delete the Machine"));
    EXPECT_THAT(world.tokens(), IsEmpty());

    world.join("m1");
    EXPECT_TRUE(world.eventually([&] { return world.ready_reason("m1") == "Ready"; }));
  });
}

TEST(Join, LeavesNoTokenOfAMachineThatGoes) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));

    world.remove<api::CloudConfig>("m1");

    EXPECT_FALSE(world.get<api::CloudConfig>("m1")) << "nothing holds it up";
    EXPECT_TRUE(world.eventually([&] { return world.tokens().empty(); }));
  });
}

TEST(Join, LeavesNoTokenOfAMachineThatGoesBeforeItsCloudConfig) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));

    world.remove<api::Machine>("m1");
    world.sleep(1min);
    world.remove<api::CloudConfig>("m1");

    EXPECT_TRUE(world.eventually([&] { return world.tokens().empty(); }));
  });
}

TEST(Join, LeavesNoTokenOfACloudConfigThatHasLostOwnerAndLabel) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    world.take_cluster_label("m1");
    world.remove<api::Machine>("m1");
    world.sleep(1min);
    EXPECT_THAT(world.tokens(), SizeIs(1));

    world.remove<api::CloudConfig>("m1");

    EXPECT_TRUE(world.eventually([&] { return world.tokens().empty(); }));
  });
}

TEST(Join, LetsACloudConfigGoWhoseClusterDoesNotAnswer) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_machine("m1");
    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    world.workload_fault = [](const FaultPoint&) { return Fault::Unavailable; };

    world.remove<api::CloudConfig>("m1");
    world.sleep(30s);
    EXPECT_FALSE(world.get<api::CloudConfig>("m1"));

    world.workload_fault = {};
    EXPECT_TRUE(world.eventually([&] { return world.tokens().empty(); }));
  });
}

TEST(Join, SweepsTheTokenOfACloudConfigThatIsGone) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    const Token stray{.id = "abcdef",
                      .secret = Secret(std::string("0123456789abcdef")),
                      .expires = Time::from(world.baton.now()) + 48h};
    must(world.workload.create(kube::resources::secrets(), key_of_token("abcdef"),
                               token_secret(stray, {.config = named("gone"), .uid = "u"}), {}, kNever),
         "create");

    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    EXPECT_TRUE(world.eventually([&] { return world.tokens().size() == 1; }));
    EXPECT_NE(world.tokens().front().id, "abcdef");
  });
}

// Whichever answer is lost, there is one token and the data have it.
TEST(Join, HasOneTokenWhateverReplyIsLost) {
  for (int lost = 0; lost < 6; ++lost) {
    JoinFixture world;
    int call = 0;
    const auto lose = [&](const FaultPoint& point) {
      return is_write(point.call) && point.kind != "Event" && call++ == lost ? Fault::LostReply : Fault::None;
    };
    world.fault = lose;
    world.workload_fault = lose;
    world.run([&] {
      world.add_running_cluster();
      world.add_machine("m1");
      EXPECT_TRUE(world.eventually([&] { return world.created("m1"); })) << lost;
      world.sleep(1min);

      ASSERT_THAT(world.tokens(), SizeIs(1)) << lost;
      EXPECT_THAT(world.data_of("m1"), HasSubstr(world.tokens().front().text())) << lost;
      world.join("m1");
      EXPECT_TRUE(world.eventually(
          [&] { return world.tokens().empty() && world.token_standing("m1") == "Removed"; }));
    });
  }
}

TEST(Join, GivesAControlPlaneTheAuthorityAndNoToken) {
  JoinFixture world;
  world.run([&] {
    world.add_cluster();
    world.add_authority();

    world.add_machine("m1");
    auto machine = world.get<api::Machine>("m1");
    api::Machine after = *machine;
    after.metadata.labels.set(api::label::kControlPlane, "");
    must(kube::patch(world.user, *machine, after, kNever), "label");
    world.change_spec("m1", [](api::CloudConfigSpec& spec) { spec.commands.push_back("true"_text); });

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    EXPECT_THAT(world.data_of("m1"), HasSubstr("THE CA"));
    EXPECT_THAT(world.data_of("m1"), Not(HasSubstr("bootstrap-kubelet.conf")));
    EXPECT_THAT(world.tokens(), IsEmpty());
    EXPECT_EQ(world.token_standing("m1"), "");
  });
}

TEST(Join, WritesTheFormatThatTheImageUnderstands) {
  JoinFixture world;
  world.spec.format = "ignition"_text;
  world.run([&] {
    world.add_running_cluster();

    world.add_machine("m1");

    EXPECT_TRUE(world.eventually([&] { return world.created("m1"); }));
    const auto stored = api::read_secret(*world.secret("m1"));
    EXPECT_EQ(stored->find("format")->reveal(), "ignition");
    EXPECT_EQ(json::parse(stored->find("value")->reveal()).at("ignition").at("version"), "3.0.0");
  });
}

TEST(Join, RotatesTheTokenOfAPoolDaily) {
  JoinFixture world;
  world.run([&] {
    world.add_running_cluster();
    world.add_pool("mp1");
    EXPECT_TRUE(world.eventually([&] { return world.created("mp1"); }));
    const std::string first = world.tokens().front().text();
    world.sleep(12h);
    ASSERT_THAT(world.tokens(), SizeIs(1));
    EXPECT_EQ(world.tokens().front().text(), first);

    world.sleep(13h);

    EXPECT_THAT(world.data_of("mp1"), Not(HasSubstr(first)));
    EXPECT_THAT(world.tokens(), SizeIs(2)) << "an instance may be booting with the older one";
    for (const Token& token : world.tokens()) EXPECT_GE(world.left(token), 1h);
  });
}

}  // namespace
}  // namespace capstan::bootstrap
