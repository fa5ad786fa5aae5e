// The bootstrap provider as a whole: machines with a NodeConfig, how changes get to their Nodes, and the
// certificates of their agents.
#include <gmock/gmock.h>

#include "api/bootstrap/node_config.h"
#include "api/bootstrap/node_config_release.h"
#include "bootstrap/approval/request.h"
#include "bootstrap/approval/request_fixture.h"
#include "bootstrap/join_fixture.h"
#include "bootstrap/nodeconfig/content.h"
#include "bootstrap/nodeconfig/rights.h"
#include "test/fakes/relay_client.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using nodeconfig::rights_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The embedded server knows requests for certificates only as a custom kind: their subresource "approval" is
// its status.
class ApprovingClient final : public fakes::RelayClient {
 public:
  using RelayClient::RelayClient;
  Result<json::value> patch(const kube::Resource& resource, const ObjectKey& key, const json::value& body,
                            const kube::PatchOptions& options, const Deadline& deadline) override {
    kube::PatchOptions told = options;
    if (told.subresource == "approval") told.subresource = "status";
    return RelayClient::patch(resource, key, body, told, deadline);
  }
};

json::value requests_kind() {
  return json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"certificatesigningrequests.certificates.k8s.io",
                "annotations":{"api-approved.kubernetes.io":"unapproved, for tests"}},
    "spec":{"group":"certificates.k8s.io","scope":"Cluster",
      "names":{"plural":"certificatesigningrequests","singular":"certificatesigningrequest",
               "kind":"CertificateSigningRequest","listKind":"CertificateSigningRequestList"},
      "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
        "selectableFields":[{"jsonPath":".spec.signerName"}],
        "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
          "properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
                                "properties":{"signerName":{"type":"string"}}},
                        "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})");
}

// Cluster c1 runs, and each Machine gets NodeConfig workers.
struct NodeConfigFixture : JoinFixture {
  ApprovingClient approving{workload};
  const ObjectKey workers = named("workers");

  explicit NodeConfigFixture(std::uint64_t seed = 1) : JoinFixture(seed) {
    spec.node_config_ref = api::NodeConfigRef{.name = "workers"_text};
    workload_through = &approving;
  }

  void begin() {
    must(workload.create(kube::resources::custom_resource_definitions(), {}, requests_kind(), {}, kNever),
         "install the requests");
    add_running_cluster();
  }
  void add_node_config() {
    api::NodeConfig config;
    config.metadata.name = "workers"_text;
    config.metadata.namespace_ = "default"_text;
    config.spec.cluster_name = "c1"_text;
    config.spec.files.push_back({.path = "/etc/a"_text, .content = FreeText("1")});
    put(config);
  }
  void change_file(const std::string& content) {
    const auto before = get<api::NodeConfig>("workers");
    api::NodeConfig after = *before;
    after.spec.files = {};
    after.spec.files.push_back({.path = "/etc/a"_text, .content = FreeText(content)});
    must(kube::patch(user, *before, after, kNever), "change the file");
  }
  std::string checksum() { return nodeconfig::content_of(get<api::NodeConfig>("workers")->spec).checksum; }
  bool stands() { return get<api::NodeConfig>("workers")->status.checksum == checksum(); }
  std::string ready() {
    const auto config = get<api::NodeConfig>("workers");
    const auto found = config ? api::conditions::find(config->status.conditions, "Ready") : nullptr;
    return found == nullptr ? "" : found->reason.str() + ": " + std::string(found->message.view());
  }
  Result<json::value> node_config_secret() {
    return workload.get(kube::resources::secrets(), nodeconfig::secret_key(workers), kNever);
  }
  std::size_t rights() {
    std::size_t there = 0;
    for (const auto& right : rights_of(workers))
      if (workload.get(right.resource, right.key, kNever)) ++there;
    return there;
  }
  // A Machine whose Node is ready and reports what it has applied.
  void add_worker(const std::string& name) {
    add_machine(name);
    EXPECT_TRUE(eventually([&] { return created(name); })) << name;
    const json::value node = {
        {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "node-of-" + name}}}};
    must(workload.create(kube::resources::nodes(), {.name = "node-of-" + name}, node, {}, kNever), "create");
    set_ready(name, true);
    apply(name);
    join(name);
  }
  void set_ready(const std::string& name, bool is_ready) {
    const json::value status = {
        {"status",
         {{"conditions",
           json::array{json::object{{"type", "Ready"},
                                    {"status", is_ready ? "True" : "False"},
                                    {"lastTransitionTime", Time::from(baton.now()).to_string()}}}}}}};
    must(workload.patch(kube::resources::nodes(), {.name = "node-of-" + name}, status,
                        {.subresource = "status"}, kNever),
         "set the Node's condition");
  }
  void apply(const std::string& name, const std::string& error = {}) {
    json::object annotations = {{"bootstrap.capstan.dev/applied", checksum()}};
    annotations["bootstrap.capstan.dev/apply-error"] = error.empty() ? json::value() : json::value(error);
    must(workload.patch(kube::resources::nodes(), {.name = "node-of-" + name},
                        json::object{{"metadata", json::object{{"annotations", annotations}}}}, {}, kNever),
         "annotate the Node");
  }
  bool has(const std::string& name) {
    const auto secret = node_config_secret();
    if (!secret) return false;
    const auto& text = secret->at("metadata").at("annotations").at("bootstrap.capstan.dev/released");
    return api::bootstrap::is_released(std::string_view(text.as_string()), checksum(), "node-of-" + name);
  }
  std::vector<std::string> released_among(const std::vector<std::string>& names) {
    std::vector<std::string> released;
    for (const auto& name : names)
      if (has(name)) released.push_back(name);
    return released;
  }
  void request(const std::string& name, std::string_view pem, const std::string& requester) {
    must(workload.create(approval::signing_requests(), {.name = name},
                         approval::signing_request(name, pem, requester), {}, kNever),
         "ask for a certificate");
  }
  // "Approved: why", or "" while it is not decided.
  std::string answer(const std::string& name) {
    const auto found = workload.get(approval::signing_requests(), {.name = name}, kNever);
    json::error_code absent;
    const auto* condition = found ? found->find_pointer("/status/conditions/0", absent) : nullptr;
    if (condition == nullptr) return {};
    return std::string(condition->at("type").as_string()) + ": " +
           std::string(condition->at("message").as_string());
  }
  std::string token_user() { return "system:bootstrap:" + tokens().front().id; }
};

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

}  // namespace
}  // namespace capstan::bootstrap
