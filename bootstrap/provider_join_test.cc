// The bootstrap provider as a whole: machines and pools that join by a bootstrap token.
#include <gmock/gmock.h>

#include <numeric>

#include "base/base64.h"
#include "bootstrap/access/bindings.h"
#include "bootstrap/provider_fixture.h"
#include "bootstrap/token.h"
#include "kubeconfig/secret.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kReach = R"(
apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: admin, user: {token: admin}}]
contexts: [{name: admin, context: {cluster: c1, user: admin}}]
current-context: admin
)";

// Cluster c1 with a control plane that runs and what its control plane provider has made.
struct JoinFixture : BootstrapFixture {
  explicit JoinFixture(std::uint64_t seed = 1) : BootstrapFixture(seed) { spec.join.emplace(); }

  void add_running_cluster(const std::string& name = "c1") {
    add_cluster(true, name);
    initialize_control_plane(name);
    add_kubeconfig(name);
    add_authority(name);
  }
  void initialize_control_plane(const std::string& name = "c1") {
    const auto cluster = get<api::Cluster>(name);
    api::Cluster after = *cluster;
    after.status.initialization.control_plane_initialized = true;
    must(kube::patch_status(user, *cluster, after, kNever), "initialize the control plane");
  }
  void add_kubeconfig(const std::string& name = "c1") {
    const auto object = kubeconfig::secret_object(
        named(name), {.api_version = "v1", .kind = "Cluster", .name = name, .uid = "u"},
        Secret(std::string(kReach)));
    must(user.create(kube::resources::secrets(), named(name + "-kubeconfig"), object, {}, kNever), "create");
  }
  void add_authority(const std::string& name = "c1") {
    const json::value authority = {{"apiVersion", "v1"},
                                   {"kind", "Secret"},
                                   {"metadata", {{"name", name + "-ca"}, {"namespace", "default"}}},
                                   {"data", {{"tls.crt", base64_encode("THE CA\n")}}}};
    must(user.create(kube::resources::secrets(), named(name + "-ca"), authority, {}, kNever), "create");
  }
  // A CloudConfig that joins a machine of that Cluster, and waits for the machine.
  void add_config(const std::string& name, std::string_view cluster) {
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, cluster);
    config.spec = spec;
    put(config);
  }
  void take_cluster_label(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    api::CloudConfig after = *config;
    after.metadata.labels = {};
    must(kube::patch(user, *config, after, kNever), "take the label");
  }
  void pause_cluster(bool paused) {
    const auto cluster = get<api::Cluster>("c1");
    api::Cluster after = *cluster;
    after.spec.paused = paused;
    must(kube::patch(user, *cluster, after, kNever), "pause the Cluster");
  }
  // One with that role, no subject and no label.
  void add_foreign_binding(std::string_view name, std::string_view role) {
    const json::value binding = {
        {"apiVersion", "rbac.authorization.k8s.io/v1"},
        {"kind", "ClusterRoleBinding"},
        {"metadata", {{"name", name}}},
        {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}}};
    must(workload.create(access::cluster_role_bindings(), {.name = std::string(name)}, binding, {}, kNever),
         "create a binding");
  }
  // As it is in the workload cluster.
  std::string binding(std::string_view name) {
    const auto found = workload.get(access::cluster_role_bindings(), {.name = std::string(name)}, kNever);
    return found ? json::serialize(*found) : found.error().message;
  }
  void join(const std::string& name) {
    const auto machine = get<api::Machine>(name);
    api::Machine after = *machine;
    after.status.node_ref = api::MachineNodeRef{.name = Text("node-of-" + name)};
    must(kube::patch_status(user, *machine, after, kNever), "set the nodeRef");
  }
  void boot(const std::string& name) {
    const auto machine = get<api::Machine>(name);
    api::Machine after = *machine;
    after.spec.provider_id = Text("sim:///" + name);
    must(kube::patch(user, *machine, after, kNever), "set the providerID");
  }
  void change_spec(const std::string& name, const std::function<void(api::CloudConfigSpec&)>& change) {
    const auto config = get<api::CloudConfig>(name);
    api::CloudConfig after = *config;
    change(after.spec);
    must(kube::patch(user, *config, after, kNever), "change the spec");
  }
  template <typename T>
  void remove(const std::string& name) {
    must(kube::remove<T>(user, named(name), {}, kNever), "delete");
  }
  std::vector<Token> tokens() {
    const auto listed = workload.list(kube::resources::secrets(), {.namespace_ = "kube-system"}, kNever);
    must(listed, "list the tokens");
    std::vector<Token> found;
    for (const json::value& item : listed->at("items").as_array())
      if (auto token = read_token(item)) found.push_back(std::move(*token));
    return found;
  }
  std::size_t bindings() {
    const auto listed =
        workload.list(access::cluster_role_bindings(), {.label_selector = access::our_bindings()}, kNever);
    must(listed, "list the bindings");
    return listed->at("items").as_array().size();
  }
  void take_token(const Token& token) {
    must(workload.remove(kube::resources::secrets(), key_of_token(token.id), {}, kNever), "take the token");
  }
  std::string data_of(const std::string& name) {
    const auto document = secret(name);
    if (!document) return document.error().message;
    return api::read_secret(*document)->find("value")->reveal();
  }
  bool has_finalizer(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    return config && !config->metadata.finalizers->empty();
  }
  // Over both servers; Events are counted apart.
  int all_writes() const {
    const auto sum = [](int count, const auto& entry) {
      return entry.first.second == "Event" || entry.first.second == "ClusterRoleBinding"
                 ? count
                 : count + entry.second;
    };
    return std::accumulate(writes.begin(), writes.end(), 0, sum) +
           std::accumulate(workload_writes.begin(), workload_writes.end(), 0, sum);
  }
  Seconds left(const Token& token) const { return token.expires - Time::from(baton.now()); }
};

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
    EXPECT_TRUE(world.eventually([&] { return world.tokens().empty() && !world.has_finalizer("m1"); }));
    EXPECT_EQ(world.all_writes(), 6);

    world.sleep(24h);
    EXPECT_EQ(world.all_writes(), 6) << "at rest";
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
    EXPECT_TRUE(world.eventually([&] { return !world.has_finalizer("m1"); }));
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

    EXPECT_TRUE(world.eventually([&] { return !world.get<api::CloudConfig>("m1"); }));
    EXPECT_THAT(world.tokens(), IsEmpty());
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

    EXPECT_TRUE(world.eventually([&] { return !world.get<api::CloudConfig>("m1"); }));
    EXPECT_THAT(world.tokens(), IsEmpty());
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
    EXPECT_TRUE(world.get<api::CloudConfig>("m1"));

    EXPECT_TRUE(world.eventually([&] { return !world.get<api::CloudConfig>("m1"); }));
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
      EXPECT_TRUE(world.eventually([&] { return world.tokens().empty() && !world.has_finalizer("m1"); }));
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
    EXPECT_FALSE(world.has_finalizer("m1"));
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
