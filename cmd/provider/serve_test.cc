#include "cmd/provider/serve.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/core/lease.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine_pool.h"
#include "api/schema/crd.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "apiserver/http/server.h"
#include "cmd/crdgen/kinds.h"
#include "cmd/provider/wiring.h"
#include "infrastructure/remote/http_transport.h"
#include "infrastructure/remote/remote_driver.h"
#include "infrastructure/remote/server.h"
#include "infrastructure/sim/cloud.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"
#include "test/fakes/collecting_sink.h"

namespace capstan::provider {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

constexpr auto kPatience = std::chrono::minutes(1);

// An embedded API server that has our kinds, and a kubeconfig of it.
class Serving : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "provider_test.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    auto server = apiserver::Server::start(io_, clock_, threads_, {});
    ASSERT_TRUE(server) << server.error().describe();
    server_ = std::move(*server);
    std::ofstream(folder_ / "kubeconfig") << *server_->kubeconfig();
    auto client = kube::RemoteClient::make({io_, threads_, clock_},
                                           *kubeconfig::load((folder_ / "kubeconfig").string()), {});
    ASSERT_TRUE(client) << client.error().describe();
    client_ = std::move(*client);
    options_.scope.kubeconfig = (folder_ / "kubeconfig").string();
    options_.scope.driver = kSimulated;
    options_.endpoints = {.health_addr = "0", .diagnostics_address = "0"};
    options_.election.leader_elect = true;
    options_.election.lease_namespace = "default";
    options_.process.exit_when_ready = true;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void install_kinds() {
    for (const auto& versions : crdgen::kinds()) {
      const auto crd = api::crd(versions);
      const std::string name(crd.at("metadata").at("name").as_string());
      const auto made =
          client_->create(kube::resources::custom_resource_definitions(), {.name = name}, crd, {}, soon());
      ASSERT_TRUE(made) << made.error().describe();
    }
  }
  // The same, started on a thread of its own: what is asked of it may be asked before it runs.
  void start() {
    auto made = Wiring::make({clock_, threads_, randomness_}, options_, Log(sink_, clock_));
    ASSERT_TRUE(made) << made.error().describe();
    wiring_ = std::move(*made);
    starting_ = threads_.spawn("start", [this](const std::stop_token& stop) {
      if (wiring_->start(stop)) threads_.pause(Deadline::never(stop));
      wiring_->stop();
    });
  }
  void stop() {
    starting_->request_stop();
    starting_->join();
  }
  net::HttpResponse ready() const { return wiring_->endpoints().probe("/readyz"); }
  bool becomes_ready() {
    return eventually([&] { return ready().status == 200; });
  }
  template <typename Condition>
  bool eventually(Condition&& condition) {
    const Deadline deadline = soon();
    while (!condition()) {
      if (deadline.passed(clock_.steady_now())) return false;
      threads_.pause(Deadline::in(clock_, std::chrono::milliseconds(20)));
    }
    return true;
  }
  json::value debug(std::string_view page) const { return json::parse(read("/debug/" + std::string(page))); }
  std::string read(std::string path) const {
    return wiring_->endpoints().diagnose({.method = "GET", .target = std::move(path)}, false).body;
  }
  void give_lease_away(std::string_view provider) {
    api::Lease lease;
    lease.metadata.namespace_ = Text("default");
    lease.metadata.name = Text("controller-leader-election-capstan-" + std::string(provider));
    lease.spec.holder_identity = Text("another");
    lease.spec.lease_duration_seconds = 600;
    ASSERT_TRUE(kube::create(*client_, lease, {}, soon()));
  }

  Result<void> run() { return serve(options_, {clock_, threads_, randomness_}, Log(sink_, clock_), {}); }
  Deadline soon() { return Deadline::in(clock_, kPatience); }
  std::vector<std::string> leases() {
    std::vector<std::string> found;
    const auto listed = kube::list<api::Lease>(*client_, {}, soon());
    for (const api::Lease& lease : listed->items)
      found.push_back(lease.metadata.name.str() + " held by <" + lease.spec.holder_identity.str() + ">");
    return found;
  }

  SystemClock clock_;
  SystemThreads threads_;
  SystemRandomness randomness_;
  net::IoPool io_;
  std::filesystem::path folder_;
  fakes::CollectingSink sink_;
  std::unique_ptr<apiserver::Server> server_;
  std::unique_ptr<kube::RemoteClient> client_;
  Options options_;
  std::unique_ptr<Wiring> wiring_;
  std::unique_ptr<Thread> starting_;
};

TEST_F(Serving, LeadsEachProviderStartsThemAndGivesTheirLeasesBack) {
  install_kinds();

  const auto served = run();

  ASSERT_TRUE(served) << served.error().describe();
  EXPECT_EQ(sink_.count("providers run"), 1U);
  EXPECT_EQ(sink_.count("leading"), 2U);
  EXPECT_EQ(sink_.count("the cloud is simulated (--driver=simulated): no VM exists"), 1U);
  EXPECT_THAT(leases(), testing::ElementsAre("controller-leader-election-capstan-bootstrap held by <>",
                                             "controller-leader-election-capstan-infrastructure held by <>"));
}

TEST_F(Serving, RunsOneProviderAlone) {
  install_kinds();
  options_.scope.providers = {std::string(kBootstrap)};

  const auto served = run();

  ASSERT_TRUE(served) << served.error().describe();
  EXPECT_THAT(leases(), testing::ElementsAre("controller-leader-election-capstan-bootstrap held by <>"));
}

TEST_F(Serving, EndsWithAnErrorWhereTheServerIsGone) {
  server_->refuse(true);

  const auto served = run();

  EXPECT_FALSE(served);
}

TEST_F(Serving, IsNotReadyBeforeItsKindsAreInstalledAndSaysWhichAreMissing) {
  start();
  EXPECT_TRUE(eventually([&] { return ready().body.contains("infrastructure DriverMachine: not synced: "); }))
      << ready().body;
  EXPECT_EQ(ready().status, 503);
  EXPECT_THAT(ready().body, HasSubstr("bootstrap CloudConfig: not synced"));

  install_kinds();

  EXPECT_TRUE(becomes_ready()) << ready().body;
  EXPECT_TRUE(eventually([&] { return sink_.count("providers run") == 1; }));
  stop();
}

TEST_F(Serving, StandsByReadyWhileAnotherProcessLeads) {
  install_kinds();
  give_lease_away(kBootstrap);

  start();

  EXPECT_TRUE(becomes_ready()) << ready().body;
  EXPECT_EQ(sink_.count("waiting for the lease"), 1U);
  EXPECT_EQ(sink_.count("providers run"), 0U);
  EXPECT_THAT(
      read("/metrics"),
      HasSubstr("leader_election_master_status{name=\"controller-leader-election-capstan-bootstrap\"} 0"));
  stop();
}

TEST_F(Serving, IsNotReadyWhileItCanNotReadItsLease) {
  install_kinds();
  server_->auth().deny({{.verb = "get", .group = "coordination.k8s.io", .resource = "leases"}});

  start();

  EXPECT_TRUE(eventually([&] { return ready().body.starts_with("leader election: Forbidden"); }))
      << ready().body;
  EXPECT_EQ(sink_.count("a right is missing"), 1U);
  server_->auth().deny({});
  EXPECT_TRUE(becomes_ready()) << ready().body;
  stop();
}

TEST_F(Serving, ShowsItsQueuesAndCachesToWhoMayReadThem) {
  install_kinds();
  start();
  ASSERT_TRUE(eventually([&] { return sink_.count("providers run") == 1; }));

  const json::value controllers = debug("controllers");
  const json::value caches = debug("caches");
  const std::string metrics = read("/metrics");

  for (const char* name : {"cloudconfig", "drivermachine", "drivercluster", "drivermachinepool"}) {
    EXPECT_TRUE(controllers.as_object().contains(name)) << name;
    EXPECT_THAT(metrics, HasSubstr("workqueue_depth{controller=\"" + std::string(name) + "\""));
  }
  EXPECT_EQ(caches.at_pointer("/bootstrap/CloudConfig/synced"), true);
  EXPECT_EQ(caches.at_pointer("/infrastructure/DriverMachine/synced"), true);
  EXPECT_THAT(metrics, HasSubstr("rest_client_requests_total"));
  stop();
}

// --- drivers in other processes ---

using namespace std::chrono_literals;

class ServingDrivers : public Serving {
 protected:
  // cpp-httplib fills a table when it is asked for the first time. ThreadSanitizer does not look into that
  // library and takes this for a race, so one question comes before the threads that share the table.
  void SetUp() override {
    Serving::SetUp();
    infrastructure::sim::SimCloud cloud({clock_, threads_}, {});
    infrastructure::remote::DriverServer server({clock_, threads_, cloud}, {.socket = socket("first")});
    ASSERT_TRUE(server.start());
    infrastructure::remote::HttpTransport transport({clock_, threads_},
                                                    {.endpoint = {.socket = socket("first")}});
    ASSERT_TRUE(infrastructure::remote::RemoteDriver(transport, clock_).identity({}, soon()));
  }
  std::string socket(std::string_view driver) const { return (folder_ / driver).string() + ".sock"; }
  // Of two drivers, with 12 calls at once each.
  void name_drivers(std::string_view one, std::string_view other) {
    const std::string file = (folder_ / "drivers.yaml").string();
    std::ofstream out(file);
    out << "drivers:\n";
    for (const std::string_view name : {one, other})
      out << "- {name: " << name << ", endpoint: 'unix:" << socket(name) << "', workers: 12}\n";
    options_.scope.driver.clear();
    options_.scope.drivers = file;
  }
  template <typename T>
  T put(T object) {
    object.metadata.namespace_ = Text("default");
    auto made = kube::create(*client_, object, {}, soon());
    EXPECT_TRUE(made) << made.error().describe();
    return made ? *made : object;
  }
  void put_cluster() {
    api::Cluster cluster;
    cluster.metadata.name = Text("c1");
    cluster.spec.infrastructure_ref = {
        .api_group = Text(api::group::kInfrastructure), .kind = Text("OtherCluster"), .name = Text("c1")};
    const api::Cluster before = put(cluster);
    api::Cluster after = before;
    after.status.initialization.infrastructure_provisioned = true;
    EXPECT_TRUE(kube::patch_status(*client_, before, after, soon()));
    const json::value secret = {{"apiVersion", "v1"},
                                {"kind", "Secret"},
                                {"metadata", {{"name", "data"}, {"namespace", "default"}}},
                                {"data", {{"value", "I2Nsb3VkLWNvbmZpZwo="}}}};
    EXPECT_TRUE(client_->create(kube::resources::secrets(), {.namespace_ = "default", .name = "data"}, secret,
                                {}, soon()));
  }
  void put_pool(const std::string& name, std::string_view driver) {
    api::MachinePool owner;
    owner.metadata.name = Text(name);
    owner.spec.cluster_name = Text("c1");
    owner.spec.replicas = 1;
    auto& machine = owner.spec.machine_template.spec;
    machine.cluster_name = Text("c1");
    machine.bootstrap.data_secret_name = Text("data");
    machine.infrastructure_ref = {.api_group = Text(api::group::kInfrastructure),
                                  .kind = Text("DriverMachinePool"),
                                  .name = Text(name)};
    owner = put(owner);
    api::DriverMachinePool pool;
    pool.metadata.name = Text(name);
    pool.metadata.labels.set(api::label::kClusterName, "c1");
    pool.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                            .kind = Text(api::kind::kMachinePool),
                                                            .name = owner.metadata.name,
                                                            .uid = owner.metadata.uid}});
    pool.spec.driver = Text(driver);
    put(pool);
  }
  bool has_its_vm(const std::string& pool) {
    const auto found =
        kube::get<api::DriverMachinePool>(*client_, {.namespace_ = "default", .name = pool}, soon());
    return found && found->spec.provider_id_list.size() == 1;
  }
};

TEST_F(ServingDrivers, OneThatHangsWithElevenPoolsHoldsUpNoPoolOfAnother) {
  infrastructure::sim::SimCloud hanging({clock_, threads_}, {.latency = {.list = 1h}});
  infrastructure::sim::SimCloud quick({clock_, threads_}, {.seed = 2});
  infrastructure::remote::DriverServer hangs({clock_, threads_, hanging}, {.socket = socket("hanging")});
  infrastructure::remote::DriverServer answers({clock_, threads_, quick}, {.socket = socket("quick")});
  ASSERT_TRUE(hangs.start());
  ASSERT_TRUE(answers.start());
  name_drivers("hanging", "quick");
  options_.scope.providers = {std::string(kInfrastructure)};
  install_kinds();
  put_cluster();
  for (int i = 0; i < 11; ++i) put_pool("hanging-" + std::to_string(i), "hanging");
  start();
  ASSERT_TRUE(eventually([&] { return sink_.count("providers run") == 1; }));
  threads_.pause(Deadline::in(clock_, 1s));  // their turns have begun

  put_pool("quick", "quick");

  EXPECT_TRUE(eventually([&] { return has_its_vm("quick"); }));
  EXPECT_FALSE(has_its_vm("hanging-0"));
  stop();
}

}  // namespace
}  // namespace capstan::provider
