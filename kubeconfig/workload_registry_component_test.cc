// The registry over real sockets: HTTP, TLS and client certificates against the embedded API server, with
// real threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>

#include "apiserver/http/server.h"
#include "kube/resources.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/workload_registry.h"
#include "net/io_pool.h"
#include "test/fakes/memory_client.h"

namespace capstan::kubeconfig {
namespace {

namespace json = boost::json;
using namespace std::literals;
using ::testing::HasSubstr;

const ObjectKey kC = {"default", "c"};

RegistryOptions quick() {
  return {.concurrency = 4,
          .probe = {.every = 100ms, .timeout = 2s, .failures_until_down = 3},
          .backoff = {.initial = 20ms, .cap = 100ms}};
}

// A management server in memory, workload servers behind TLS, and a registry that dials them.
class Bench {
 public:
  explicit Bench(RegistryOptions options = quick())
      : management_api({.clock = clock}),
        management(management_api, threads),
        loop(threads, clock),
        registry({.clock = clock,
                  .threads = threads,
                  .management = management,
                  .randomness = randomness,
                  .loop = loop},
                 remote_dial({io, threads, clock}), std::move(options)) {
    registry.on_reach_change([this](const ObjectKey&) { ++turned; });
    registry.on_node_change([this](const ObjectKey&, const auto&) { ++node_changes; });
    registry.start();
  }

  std::unique_ptr<apiserver::Server> serve(std::vector<apiserver::TokenUser> tokens = {}) {
    auto server = apiserver::Server::start(io, clock, threads, {.tokens = std::move(tokens)});
    EXPECT_TRUE(server) << server.error().message;
    return std::move(*server);
  }
  void put_secret(const ObjectKey& cluster, const std::string& kubeconfig) {
    const ObjectKey key = secret_key_of(cluster);
    (void)management.remove(kube::resources::secrets(), key, {}, soon());
    const auto created = management.create(
        kube::resources::secrets(), key,
        secret_object(cluster, {"v1", "Cluster", cluster.name, "u"}, Secret<std::string>(kubeconfig)), {},
        soon());
    EXPECT_TRUE(created) << created.error().describe();
  }
  static std::string with_token(const apiserver::Server& server, const std::string& token,
                                const std::string& ca_pem) {
    Kubeconfig config{.current_context = "c"};
    config.clusters.push_back({.name = "s", .server = server.url(), .ca_pem = ca_pem});
    config.users.push_back({.name = "u", .token = Secret<std::string>(token)});
    config.contexts.push_back({.name = "c", .cluster = "s", .user = "u"});
    return render(config)->reveal();
  }
  template <typename Condition>
  void until(Condition&& holds) {
    const Deadline limit = Deadline::in(clock, 30s);
    while (!holds()) {
      if (limit.passed(clock.steady_now())) FAIL() << registry.reach(kC).problem;
      threads.pause(Deadline::in(clock, 2ms));
    }
  }
  void connect() {
    registry.want(kC);
    until([&] { return registry.reach(kC).connected; });
  }
  Deadline soon() const { return Deadline::in(clock, 10s); }

  SystemClock clock;
  SystemThreads threads;
  SeededRandomness randomness{3};
  net::IoPool io;
  apiserver::Api management_api;
  fakes::MemoryClient management;
  kube::WatchLoop loop;
  std::atomic<int> turned = 0;
  std::atomic<int> node_changes = 0;
  WorkloadRegistry registry;
};

json::value a_node(std::string_view name) {
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"metadata", json::object{{"name", name}}},
                      {"spec", json::object{{"providerID", "x:///1"}}}};
}

TEST(WorkloadRegistryOverHttp, WatchesNodesAndSendsRequestsWithTheCertificateOfTheKubeconfig) {
  Bench bench;
  const auto server = bench.serve();
  bench.put_secret(kC, *server->kubeconfig());
  bench.connect();
  const auto cluster = *bench.registry.get(kC);

  const auto created =
      cluster->client().create(kube::resources::nodes(), {"", "n1"}, a_node("n1"), {}, bench.soon());

  ASSERT_TRUE(created) << created.error().describe();
  bench.until([&] { return cluster->nodes_with("x:///1").size() == 1; });
  bench.until([&] { return bench.node_changes == 1; });
}

TEST(WorkloadRegistryOverHttp, LosesAServerThatIsGoneAndFindsItAgain) {
  Bench bench;
  const auto server = bench.serve();
  bench.put_secret(kC, *server->kubeconfig());
  bench.connect();
  const auto held = *bench.registry.get(kC);

  server->refuse(true);
  server->drop_connections();
  bench.until([&] { return !bench.registry.reach(kC).connected; });
  EXPECT_EQ(held->client().get_path("/version", bench.soon()).error().code, Code::NotConnected);
  EXPECT_THAT(bench.registry.reach(kC).problem, HasSubstr(server->url()));
  server->refuse(false);

  bench.until([&] { return bench.registry.reach(kC).connected; });
  EXPECT_TRUE((*bench.registry.get(kC))->client().get_path("/version", bench.soon()));
}

TEST(WorkloadRegistryOverHttp, GoesOnWithTheNewTokenWhenTheOldOneIsRevoked) {
  Bench bench;
  const apiserver::User admin{.name = "admin", .groups = {"system:masters"}};
  const auto server = bench.serve({{.token = "old-token", .user = admin}});
  bench.put_secret(kC, Bench::with_token(*server, "old-token", server->ca_pem()));
  bench.connect();

  bench.put_secret(kC, Bench::with_token(*server, "new-token", server->ca_pem()));
  server->auth().accept({.token = "new-token", .user = admin});
  server->auth().revoke("old-token");

  bench.until([&] { return bench.turned >= 3; });  // connected, lost, connected
  bench.until([&] { return bench.registry.reach(kC).connected; });
  EXPECT_TRUE((*bench.registry.get(kC))->client().get_path("/version", bench.soon()));
}

TEST(WorkloadRegistryOverHttp, RefusesAServerWhoseCertificateTheKubeconfigDoesNotKnow) {
  Bench bench;
  const auto server = bench.serve({{.token = "t0ken", .user = {.name = "admin"}}});
  const auto stranger = bench.serve();
  bench.put_secret(kC, Bench::with_token(*server, "t0ken", stranger->ca_pem()));

  bench.registry.want(kC);
  bench.until([&] { return bench.registry.reach(kC).first_failure.is_set(); });

  EXPECT_THAT(bench.registry.reach(kC).problem, HasSubstr("certificate"));
}

// For ThreadSanitizer and AddressSanitizer: all threads do everything at once.
TEST(WorkloadRegistryOverHttp, HoldsTogetherWhenClustersComeAndGoUnderLoad) {
  constexpr int kClusters = 4;
  constexpr int kRounds = 15;
  Bench bench;
  const auto server = bench.serve();
  const auto key_of = [](int number) { return ObjectKey{"default", "c" + std::to_string(number)}; };
  for (int i = 0; i < kClusters; ++i) bench.put_secret(key_of(i), *server->kubeconfig());
  std::atomic<bool> over = false;
  std::atomic<int> answers = 0;

  std::vector<std::unique_ptr<Thread>> workers;
  for (int i = 0; i < kClusters; ++i) {
    workers.push_back(bench.threads.spawn("worker", [&, key = key_of(i)](const std::stop_token&) {
      while (!over) {
        if (const auto cluster = bench.registry.get(key))
          answers += (*cluster)->client().get_path("/version", bench.soon()) ? 1 : 0;
        (void)bench.registry.reach(key);
        bench.threads.pause(Deadline::in(bench.clock, 1ms));
      }
    }));
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kClusters; ++i) bench.registry.want(key_of(i));
    bench.until([&] { return bench.registry.get(key_of(round % kClusters)).has_value(); });
    if (round % 3 == 0) server->drop_connections();
    (void)bench.registry.get(key_of(0));
    for (int i = round % 2; i < kClusters; i += 2) bench.registry.forget(key_of(i));
  }
  for (int i = 0; i < kClusters; ++i) bench.registry.want(key_of(i));
  for (int i = 0; i < kClusters; ++i) bench.until([&] { return bench.registry.get(key_of(i)).has_value(); });
  over = true;
  for (const auto& worker : workers) worker->join();

  EXPECT_GT(answers, 0);
}

}  // namespace
}  // namespace capstan::kubeconfig
