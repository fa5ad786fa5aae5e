// The bootstrap provider as a whole, under a baton, on a management API server in memory. The test plays the
// core provider.
#include "bootstrap/provider.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <map>

#include "api/bootstrap/cloud_config.h"
#include "api/conditions/conditions.h"
#include "api/core/secret.h"
#include "api/names.h"
#include "api/schema/crd.h"
#include "api/v1beta2/machine_pool.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using kube::ObjectKey;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const Deadline kNever = Deadline::never();
ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

struct BootstrapFixture {
  fakes::Baton baton;
  apiserver::Api api;
  fakes::MemoryClient user;
  fakes::MemoryClient wire;
  fakes::FaultyClient network;
  std::map<std::pair<Call, std::string>, int> writes = {};
  std::function<Fault(const FaultPoint&)> fault = {};

  explicit BootstrapFixture(std::uint64_t seed = 1)
      : baton({.seed = seed}),
        api({.clock = baton, .seed = seed}),
        user(api, baton, {.user = "core"}),
        wire(api, baton, {.user = "provider"}),
        network(wire, baton, baton,
                {.choose = [this](const FaultPoint& point) { return fault ? fault(point) : Fault::None; },
                 .on_effect =
                     [this](const FaultPoint& point) { ++writes[{point.call, std::string(point.kind)}]; }}) {}

  void run(const std::function<void()>& story) {
    const auto report = baton.run([&] {
      for (const json::value& crd : {api::crd<api::Cluster>(), api::crd<api::Machine>(),
                                     api::crd<api::MachinePool>(), api::crd<api::CloudConfig>()})
        must(user.create(kube::resources::custom_resource_definitions(), {}, crd, {}, kNever), "install");
      SeededRandomness randomness(1);
      Provider provider({.clock = baton, .threads = baton, .client = network, .randomness = randomness},
                        {.concurrency = 2});
      must(provider.start(Deadline::in(baton, 1min)), "start");
      story();
      provider.stop();
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
  template <typename T>
  T put(T object) {
    object.metadata.uid = {};
    object.metadata.resource_version = {};
    const auto made = kube::create(user, object, {}, kNever);
    must(made, "create");
    return made ? *made : object;
  }
  template <typename T>
  std::optional<T> get(const std::string& name) {
    const auto found = kube::get<T>(user, named(name), kNever);
    return found ? std::optional(*found) : std::nullopt;
  }
  void add_cluster(bool provisioned = true) {
    put(builders::a_cluster("c1").endpoint("10.0.0.1", 6443).build());
    if (provisioned) provision_cluster();
  }
  void provision_cluster() {
    const auto cluster = get<api::Cluster>("c1");
    api::Cluster after = *cluster;
    after.status.initialization.infrastructure_provisioned = true;
    must(kube::patch_status(user, *cluster, after, kNever), "provision the cluster");
  }
  void add_machine(const std::string& name, std::string_view data_secret = {}) {
    api::Machine machine = builders::a_machine(name).version("v1.35.0");
    machine.spec.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = Text(name)};
    if (!data_secret.empty()) machine.spec.bootstrap.data_secret_name = Text(data_secret);
    machine = put(machine);
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, "c1");
    config.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                              .kind = "Machine"_text,
                                                              .name = machine.metadata.name,
                                                              .uid = machine.metadata.uid}});
    put(config);
  }
  void add_pool(const std::string& name) {
    api::MachinePool pool;
    pool.metadata.name = Text(name);
    pool.metadata.namespace_ = "default"_text;
    pool.spec.cluster_name = "c1"_text;
    auto& machine = pool.spec.machine_template.spec;
    machine.cluster_name = "c1"_text;
    machine.version = "v1.35.0"_text;
    machine.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = Text(name)};
    machine.infrastructure_ref = {
        .api_group = Text(api::group::kInfrastructure), .kind = "DriverMachinePool"_text, .name = Text(name)};
    pool = put(pool);
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                              .kind = "MachinePool"_text,
                                                              .name = pool.metadata.name,
                                                              .uid = pool.metadata.uid}});
    put(config);
  }
  void sleep(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
  bool eventually(const std::function<bool()>& holds) {
    const SteadyTime until = baton.steady_now() + 5min;
    while (!holds()) {
      if (baton.steady_now() > until) return false;
      sleep(100ms);
    }
    return true;
  }
  bool created(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    return config && config->status.initialization.data_secret_created.value_or(false);
  }
  std::string ready_reason(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    const auto ready = config ? api::conditions::find(config->status.conditions, "Ready") : nullptr;
    return ready == nullptr ? std::string() : ready->reason.str();
  }
  Result<json::value> secret(const std::string& name) {
    return user.get(kube::resources::secrets(), named(name), kNever);
  }
  void put_foreign_secret(std::string_view name) {
    const json::value foreign = {{"apiVersion", "v1"},
                                 {"kind", "Secret"},
                                 {"metadata", {{"name", name}, {"namespace", "default"}}},
                                 {"data", {{"mine", "eA=="}}}};
    must(user.create(kube::resources::secrets(), named(std::string(name)), foreign, {}, kNever), "create");
  }
  // "Warning DataSecretTaken: ...", in the order in which they came up.
  std::vector<std::string> events() {
    const auto listed = user.list(kube::resources::events(), {.namespace_ = "default"}, kNever);
    must(listed, "list the Events");
    std::map<std::string, std::string> by_name;  // a name ends in the time of the Event
    for (const json::value& event : listed->at("items").as_array()) {
      const auto text = [&](std::string_view field) { return std::string(event.at(field).as_string()); };
      by_name.emplace(event.at("metadata").at("name").as_string(),
                      text("type") + " " + text("reason") + ": " + text("message"));
    }
    std::vector<std::string> texts;
    for (const auto& [unused, text] : by_name) texts.push_back(text);
    return texts;
  }
};

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
