#include "kubeconfig/workload_registry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kube/resources.h"
#include "kubeconfig/registry_fixture.h"
#include "kubeconfig/secret.h"
#include "test/fakes/baton.h"
#include "test/fakes/collecting_sink.h"

namespace capstan::kubeconfig {
namespace {

using fakes::Baton;
using namespace std::literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Mood = TestServer::Mood;

const ObjectKey kC = {"default", "c"};
const ObjectKey kOther = {"default", "other"};

// The wall clock of the manager, which may be set.
class SettableClock final : public Clock {
 public:
  explicit SettableClock(const Clock& right) : right_(right) {}
  void set_off(Nanoseconds by) { off_ = by.count(); }
  WallTime now() const override { return right_.now() + Nanoseconds(off_); }
  SteadyTime steady_now() const override { return right_.steady_now(); }

 private:
  const Clock& right_;
  std::atomic<Nanoseconds::rep> off_ = 0;
};

// The management server as the registry asks it, which counts the Secrets that are read.
class CountedReads final : public kube::StubClient {
 public:
  explicit CountedReads(kube::Client& inner) : inner_(inner) {}
  Result<json::value> get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const Deadline& deadline) override {
    ++reads;
    return inner_.get(resource, key, deadline);
  }
  int reads = 0;

 private:
  kube::Client& inner_;
};

// A registry in the test world. Its calls of handlers are written down: "c", "+n1", "~n1", "-n1", "?+n1"
// (initial).
struct Bench {
  explicit Bench(Baton& all, RegistryOptions options = {})
      : baton(all),
        clock(all),
        world(all, all),
        loop(all, all),
        registry(seams(), world.dial(), std::move(options)) {
    registry.on_reach_change([this](const ObjectKey& cluster) {
      reach_changes.push_back(cluster.name + (registry.reach(cluster).connected ? "" : " is not connected"));
    });
    registry.on_node_change([this](const ObjectKey& cluster, const runtime::Change<api::Node>& change) {
      const char* what = !change.before ? "+" : change.after ? "~" : "-";
      node_changes.push_back(cluster.name + (change.initial ? " ?" : " ") + what +
                             change.object().metadata.name.str());
    });
    registry.start();
  }
  RegistrySeams seams() {
    return {.clock = clock,
            .threads = baton,
            .management = management,
            .randomness = randomness,
            .loop = loop,
            .log = Log(log, baton),
            .metrics = &metrics};
  }

  void pass(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
  // How long it took; the test fails when it never does.
  template <typename Condition>
  Nanoseconds until(Condition&& holds, Nanoseconds limit = 5min) {
    const SteadyTime begin = baton.steady_now();
    while (!holds()) {
      if (baton.steady_now() - begin >= limit) {
        ADD_FAILURE() << "did not happen within the time given";
        break;
      }
      pass(100ms);
    }
    return baton.steady_now() - begin;
  }
  bool connected(const ObjectKey& cluster = kC) { return registry.reach(cluster).connected; }
  std::shared_ptr<WorkloadCluster> connect(const ObjectKey& cluster = kC) {
    registry.want(cluster);
    until([&] { return connected(cluster); });
    auto got = registry.get(cluster);
    EXPECT_TRUE(got);
    return got ? *got : nullptr;
  }
  void lose(TestServer& server) {
    server.mood = Mood::Down;
    until([&] { return !connected(); });
  }
  // Waits until the last attempt has said why not.
  std::string problem(const ObjectKey& cluster = kC) {
    registry.want(cluster);
    until([&] { return registry.reach(cluster).first_failure.is_set(); });
    EXPECT_EQ(registry.get(cluster).error().code, Code::NotConnected);
    return registry.reach(cluster).problem;
  }

  Baton& baton;
  SettableClock clock;
  Metrics metrics;
  fakes::CollectingSink log;
  SeededRandomness randomness{7};
  RegistryFixture world;
  CountedReads management{world.management};
  kube::WatchLoop loop;
  std::vector<std::string> reach_changes = {};
  std::vector<std::string> node_changes = {};
  WorkloadRegistry registry;
};

void in_simulation(const std::function<void(Bench&)>& body, RegistryOptions options = {}) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      Bench bench(baton, options);
      body(bench);
    });
    EXPECT_TRUE(report.finished()) << report.why << " with seed " << seed;
  }
}

// A cluster that was connected has been silent for a while.
void in_an_outage(const std::function<void(Bench&)>& body) {
  in_simulation([&](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.connect();
    bench.lose(server);
    bench.pass(1min);
    body(bench);
  });
}

std::vector<std::string> names(const std::vector<runtime::Snapshot<api::Node>>& nodes) {
  std::vector<std::string> found;
  for (const auto& node : nodes) found.emplace_back(node->metadata.name.view());
  return found;
}

Result<json::value> version_of(WorkloadCluster& cluster, const Clock& clock) {
  return cluster.client().get_path("/version", Deadline::in(clock, 1min));
}

// --- connecting ---

TEST(WorkloadRegistry, IsConnectedOnceTheNodesAreListed) {
  in_simulation([](Bench& bench) {
    bench.world.cluster("c").put_node("n1", "x:///1");

    const auto cluster = bench.connect();

    EXPECT_THAT(names(cluster->nodes().all()), ElementsAre("n1"));
    EXPECT_THAT(names(cluster->nodes_with("x:///1")), ElementsAre("n1"));
    EXPECT_TRUE(version_of(*cluster, bench.baton));
    EXPECT_THAT(bench.reach_changes, ElementsAre("c"));
    EXPECT_THAT(bench.node_changes, ElementsAre("c ?+n1"));
  });
}

TEST(WorkloadRegistry, ConnectsAnEmptyCluster) {
  in_simulation([](Bench& bench) {
    bench.world.cluster("c");

    EXPECT_EQ(bench.connect()->nodes().size(), 0U);
  });
}

TEST(WorkloadRegistry, TellsWhatHappensToNodesAndWhose) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.connect();

    server.put_node("n1", "x:///1");
    server.touch_node("n1");
    (void)server.admin.remove(kube::resources::nodes(), {"", "n1"}, {}, Deadline::never());
    bench.until([&] { return bench.node_changes.size() == 3; });

    EXPECT_THAT(bench.node_changes, ElementsAre("c +n1", "c ~n1", "c -n1"));
  });
}

TEST(WorkloadRegistry, AnswersBothNodesThatClaimOneProviderId) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.put_node("b", "x:///1");
    server.put_node("a", "x:///1");
    server.put_node("unknown", "");

    const auto cluster = bench.connect();

    EXPECT_THAT(names(cluster->nodes_with("x:///1")), ElementsAre("a", "b"));
    EXPECT_THAT(names(cluster->nodes_with("")), IsEmpty());
  });
}

TEST(WorkloadRegistry, NeverConnectsToAClusterNobodyWants) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");

    bench.pass(1min);

    EXPECT_EQ(server.dials, 0);
    EXPECT_EQ(bench.registry.get(kC).error().code, Code::NotConnected);
    EXPECT_THAT(bench.registry.reach(kC).problem, HasSubstr("infrastructure"));
  });
}

TEST(WorkloadRegistry, SaysThatACertificateIsNotVerified) {
  in_simulation([](Bench& bench) {
    bench.world.server("c");
    bench.world.put_secret(
        "c", RegistryFixture::kubeconfig("c", "{token: good}", ", insecure-skip-tls-verify: true"));
    bench.world.cluster("other");

    bench.connect(kC);
    bench.connect(kOther);

    EXPECT_TRUE(bench.registry.reach(kC).insecure);
    EXPECT_FALSE(bench.registry.reach(kOther).insecure);
  });
}

// --- what is wrong with a kubeconfig ---

TEST(WorkloadRegistry, NamesTheSecretThatIsMissingAndWhoMakesIt) {
  in_simulation([](Bench& bench) {
    EXPECT_THAT(bench.problem(),
                AllOf(HasSubstr("default/c-kubeconfig"), HasSubstr("control plane provider")));
    EXPECT_THAT(bench.reach_changes, ElementsAre("c is not connected"));
  });
}

TEST(WorkloadRegistry, FindsTheSecretWithoutAnyLabel) {
  in_simulation([](Bench& bench) {
    bench.world.cluster("c");
    json::object no_labels{{"metadata", json::object{{"labels", nullptr}}}};
    ASSERT_TRUE(bench.world.management.patch(kube::resources::secrets(), secret_key_of(kC), no_labels, {},
                                             Deadline::never()));

    EXPECT_NE(bench.connect(), nullptr);
  });
}

TEST(WorkloadRegistry, NamesWhatIsWrongWithAKubeconfig) {
  struct Row {
    std::string kubeconfig;
    std::vector<std::string> said;
  };
  const std::vector<Row> rows = {
      {"}{ no yaml", {"default/c-kubeconfig", "kubeconfig: line 1"}},
      {"current-context: nope", {"default/c-kubeconfig", "no context \"nope\""}},
      {RegistryFixture::kubeconfig("c", "{exec: {command: aws}}"),
       {"user \"u\"", "exec", "use a client certificate"}},
      {RegistryFixture::kubeconfig("c", "{auth-provider: {name: gcp}}"),
       {"user \"u\"", "auth-provider", "token"}},
      {RegistryFixture::kubeconfig("c", "{username: a, password: b}"),
       {"user \"u\"", "username", "password"}},
      {RegistryFixture::kubeconfig("c", "{tokenFile: /token}"),
       {"user \"u\"", "tokenFile", "inline as token"}},
      {RegistryFixture::kubeconfig("c", "{client-certificate: /a, client-key: /b}"),
       {"user \"u\"", "client-certificate", "client-certificate-data"}},
      {RegistryFixture::kubeconfig("c", "{token: good}", ", certificate-authority: /ca"),
       {"cluster \"a\"", "certificate-authority-data"}},
  };
  for (const Row& row : rows) {
    in_simulation([&](Bench& bench) {
      TestServer& server = bench.world.server("c");
      bench.world.put_secret("c", row.kubeconfig);

      const std::string problem = bench.problem();

      for (const std::string& part : row.said) EXPECT_THAT(problem, HasSubstr(part));
      EXPECT_THAT(problem, Not(HasSubstr("good")));  // no credentials in conditions
      EXPECT_EQ(server.dials, 0);
    });
  }
}

TEST(WorkloadRegistry, ConnectsByItselfOnceTheKubeconfigIsRight) {
  in_simulation([](Bench& bench) {
    bench.world.server("c");
    bench.world.put_secret("c", "}{ no yaml");
    bench.problem();
    bench.pass(10min);

    bench.world.put_secret("c", RegistryFixture::kubeconfig("c"));

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
    EXPECT_EQ(bench.registry.reach(kC).problem, "");
    EXPECT_FALSE(bench.registry.reach(kC).first_failure.is_set());
  });
}

TEST(WorkloadRegistry, HurriesWhenToldThatSomethingHappened) {
  in_simulation([](Bench& bench) {
    bench.problem();
    bench.pass(10min);
    bench.world.cluster("c");

    bench.registry.hurry(kC);

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 1s);
  });
}

TEST(WorkloadRegistry, NamesTheServerThatCanNotBeReached) {
  in_simulation([](Bench& bench) {
    bench.world.put_secret("c", RegistryFixture::kubeconfig("nowhere.example"));

    EXPECT_THAT(bench.problem(), AllOf(HasSubstr("https://nowhere.example"), HasSubstr("no such host")));
  });
}

TEST(WorkloadRegistry, SaysThatItMayNotListNodes) {
  in_simulation([](Bench& bench) {
    bench.world.cluster("c").lists_nodes = false;

    EXPECT_THAT(bench.problem(), AllOf(HasSubstr("list nodes of https://c"), HasSubstr("forbidden")));
    EXPECT_THAT(bench.reach_changes, ElementsAre("c is not connected"));
    EXPECT_EQ(bench.log.count("can't be reached"), 1U);
    bench.world.server("c").lists_nodes = true;

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
  });
}

// --- losing and finding again ---

TEST(WorkloadRegistry, GivesAClusterUpAfterFiveFailedProbes) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto held = bench.connect();
    server.mood = Mood::Hangs;
    const int probes = server.probes;

    const Nanoseconds took = bench.until([&] { return !bench.connected(); });

    EXPECT_EQ(server.probes - probes, 5);
    EXPECT_LE(took, 76s);  // 5 x (10 s + 5 s), and the granularity of the test
    EXPECT_GE(took, 60s);
    EXPECT_EQ(bench.registry.get(kC).error().code, Code::NotConnected);
    EXPECT_THAT(bench.registry.get(kC).error().message, HasSubstr("out of reach since 2026-01-01T00:00"));
    EXPECT_EQ(version_of(*held, bench.baton).error().code, Code::NotConnected);
    const Reach reach = bench.registry.reach(kC);
    EXPECT_THAT(reach.problem, AllOf(HasSubstr("5 probes in a row"), HasSubstr("https://c")));
    EXPECT_TRUE(reach.last_success.is_set());
    EXPECT_LT(reach.last_success, reach.first_failure);
    bench.pass(1s);
    EXPECT_EQ(bench.reach_changes.back(), "c is not connected");
  });
}

TEST(WorkloadRegistry, AClockSetAnHourOffMakesNoOutageYoungerOrOlder) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.connect();
    server.mood = Mood::Broken;
    bench.until([&] { return !bench.registry.reach(kC).doubt.empty(); });
    const auto silent = [&] { return bench.clock.now() - bench.registry.reach(kC).last_success.wall(); };
    for (const Nanoseconds off : {Nanoseconds(-1h), Nanoseconds(1h), Nanoseconds(0)}) {
      const Nanoseconds before = silent();

      bench.clock.set_off(off);
      bench.pass(20s);

      EXPECT_GE(silent(), before + 18s);
      EXPECT_LE(silent(), before + 22s);
    }
  });
}

TEST(WorkloadRegistry, AnAnswerAfterTheClockWasSetBackIsNews) {
  in_simulation([](Bench& bench) {
    bench.world.cluster("c");
    bench.connect();

    bench.clock.set_off(-1h);
    bench.pass(30s);

    EXPECT_LE(bench.registry.reach(kC).last_success.wall(), bench.clock.now());
  });
}

TEST(WorkloadRegistry, SendsNobodyToAClusterWhoseLastProbeFailed) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto cluster = bench.connect();
    server.mood = Mood::Broken;
    bench.until([&] { return !bench.registry.reach(kC).doubt.empty(); });
    const int requests = server.requests;

    EXPECT_EQ(version_of(*cluster, bench.baton).error().code, Code::NotConnected);

    EXPECT_EQ(server.requests, requests);
    EXPECT_TRUE(bench.connected());
    EXPECT_TRUE(bench.registry.get(kC));  // its Nodes are still good to look at
    EXPECT_THAT(bench.registry.reach(kC).doubt, HasSubstr("etcd is gone"));
    EXPECT_TRUE(bench.registry.reach(kC).first_failure.is_set());
  });
}

TEST(WorkloadRegistry, ForgivesFourFailedProbes) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto cluster = bench.connect();
    server.mood = Mood::Down;
    bench.until([&] { return server.probes >= 5; });  // the one of the connection, and four

    server.mood = Mood::Well;
    bench.until([&] { return bench.registry.reach(kC).doubt.empty(); });
    bench.pass(1s);

    EXPECT_TRUE(version_of(*cluster, bench.baton));
    EXPECT_EQ(server.dials, 1);
    EXPECT_FALSE(bench.registry.reach(kC).first_failure.is_set());
    EXPECT_THAT(bench.reach_changes, ElementsAre("c", "c", "c"));  // connected, in doubt, well again
  });
}

TEST(WorkloadRegistry, ReconnectsByItselfAndListsTheNodesAnew) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto before = bench.connect();
    bench.lose(server);
    bench.pass(10min);
    server.put_node("n1", "x:///1");

    server.mood = Mood::Well;

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
    EXPECT_THAT(names((*bench.registry.get(kC))->nodes().all()), ElementsAre("n1"));
    EXPECT_EQ(version_of(*before, bench.baton).error().code, Code::NotConnected);
    EXPECT_EQ(bench.node_changes.back(), "c ?+n1");
  });
}

TEST(WorkloadRegistry, KnocksAtADeadServerLessAndLessOften) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.mood = Mood::Down;
    bench.registry.want(kC);

    bench.pass(10min);

    EXPECT_LE(server.probes, 25);  // 1, 2, 4, 8, 16 and then every 30 to 36 s
    EXPECT_GE(server.probes, 20);
  });
}

TEST(WorkloadRegistry, ReadsTheKubeconfigOfASilentClusterOnceInTenMinutes) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.connect();
    bench.lose(server);
    const int reads = bench.management.reads;
    const int probes = server.probes;

    bench.pass(61min);

    EXPECT_EQ(bench.management.reads - reads, 6);  // as it is lost, and with the first try after ten minutes
    EXPECT_GE(server.probes - probes, 100);
    server.mood = Mood::Well;
    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
  });
}

TEST(WorkloadRegistry, ReadsAnotherKubeconfigOfASilentClusterUntilItWorks) {
  in_an_outage([](Bench& bench) {
    bench.world.put_secret("c", RegistryFixture::kubeconfig("nowhere.example"));
    bench.until([&] { return bench.registry.reach(kC).problem.contains("nowhere.example"); }, 11min);
    bench.world.server("moved");

    bench.world.put_secret("c", RegistryFixture::kubeconfig("moved"));

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
  });
}

// The Cluster names its new address before another controller has written the Secret.
TEST(WorkloadRegistry, FollowsASilentClusterThatMovesOnceItIsTold) {
  in_an_outage([](Bench& bench) {
    bench.world.server("moved");

    bench.registry.hurry(kC);
    bench.pass(10s);
    bench.world.put_secret("c", RegistryFixture::kubeconfig("moved"));

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
  });
}

TEST(WorkloadRegistry, WaitsAsLongAsABusyServerAsks) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.mood = Mood::Busy;
    bench.registry.want(kC);

    bench.pass(11min);

    EXPECT_EQ(server.probes, 3);
  });
}

// --- credentials ---

TEST(WorkloadRegistry, ReadsTheKubeconfigAgainWhenItsTokenIsRefused) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto held = bench.connect();

    server.token = "new";
    bench.world.put_secret("c", RegistryFixture::kubeconfig("c", "{token: new}"));

    bench.until([&] { return server.dials == 2; });
    EXPECT_LE(bench.until([&] { return bench.connected(); }), 2s);
    EXPECT_TRUE(version_of(**bench.registry.get(kC), bench.baton));
    EXPECT_EQ(version_of(*held, bench.baton).error().code, Code::NotConnected);
    EXPECT_THAT(bench.reach_changes, ElementsAre("c", "c is not connected", "c"));
  });
}

TEST(WorkloadRegistry, ReadsTheKubeconfigOnceAClusterIsBackAndRefusesItsToken) {
  in_an_outage([](Bench& bench) {
    TestServer& server = bench.world.server("c");
    bench.world.put_secret("c", RegistryFixture::kubeconfig("c", "{token: new}"));
    server.token = "new";

    server.mood = Mood::Well;

    EXPECT_LE(bench.until([&] { return bench.connected(); }), 37s);
  });
}

// The watch of a busy cluster goes on with the old token, so that no probe would ever find out.
TEST(WorkloadRegistry, NoticesRefusedCredentialsByTheRequestsOfOthers) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.put_node("n1", "x:///1");
    const auto cluster = bench.connect();
    server.token = "new";
    bench.world.put_secret("c", RegistryFixture::kubeconfig("c", "{token: new}"));
    const auto stay_busy = [&](Nanoseconds span) {
      for (Nanoseconds passed = {}; passed < span; passed += 3s) {
        bench.pass(3s);
        server.touch_node("n1");
      }
    };
    stay_busy(30s);
    ASSERT_EQ(server.dials, 1);

    EXPECT_EQ(version_of(*cluster, bench.baton).error().code, Code::Unauthorized);
    stay_busy(12s);

    EXPECT_EQ(server.dials, 2);
    EXPECT_TRUE(bench.connected());
  });
}

TEST(WorkloadRegistry, BacksOffWhileTheSecretHoldsTheRefusedToken) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.connect();
    server.token = "new";
    bench.until([&] { return !bench.connected(); });
    const int probes = server.probes;

    bench.pass(10min);

    EXPECT_LE(server.probes - probes, 26);
    EXPECT_THAT(bench.registry.reach(kC).problem, HasSubstr("unauthorized"));
  });
}

// --- silence ---

TEST(WorkloadRegistry, ProbesAnIdleClusterOnceInTenSeconds) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.connect();
    const int probes = server.probes;

    bench.pass(100s);

    EXPECT_LE(server.probes - probes, 10);
    EXPECT_GE(server.probes - probes, 9);
    EXPECT_EQ(server.requests, 0);
  });
}

TEST(WorkloadRegistry, DoesNotProbeAClusterWhoseWatchBringsBytes) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.put_node("n1", "x:///1");
    bench.connect();
    const int probes = server.probes;

    for (int i = 0; i < 20; ++i) {
      bench.pass(5s);
      server.touch_node("n1");
    }

    EXPECT_EQ(server.probes, probes);
    const Nanoseconds age = bench.baton.now() - bench.registry.reach(kC).last_success.wall();
    EXPECT_LE(age, 20s);
  });
}

TEST(WorkloadRegistry, DoesNotProbeAClusterThatJustAnsweredSomebodyElse) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto cluster = bench.connect();
    const int probes = server.probes;

    for (int i = 0; i < 20; ++i) {
      bench.pass(5s);
      ASSERT_TRUE(version_of(*cluster, bench.baton));
    }

    EXPECT_EQ(server.probes, probes);
  });
}

TEST(WorkloadRegistry, ASickClusterDoesNotDelayAHealthyOne) {
  in_simulation(
      [](Bench& bench) {
        for (int i = 0; i < 3; ++i) {
          bench.world.cluster(fmt::format("sick-{}", i)).mood = Mood::Hangs;
          bench.registry.want({"default", fmt::format("sick-{}", i)});
        }
        bench.world.cluster("c");
        const SteadyTime begin = bench.baton.steady_now();

        bench.connect();

        EXPECT_LE(bench.baton.steady_now() - begin, 1s);
        for (int i = 0; i < 60; ++i) {
          bench.pass(1s);
          ASSERT_TRUE(version_of(**bench.registry.get(kC), bench.baton));
        }
      },
      {.concurrency = 4});
}

// --- forgetting ---

TEST(WorkloadRegistry, ForgetsAConnectedClusterAtOnce) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    const auto held = bench.connect();

    bench.registry.forget(kC);

    EXPECT_EQ(bench.registry.get(kC).error().code, Code::NotConnected);
    EXPECT_EQ(version_of(*held, bench.baton).error().code, Code::NotConnected);
    bench.until([&] { return bench.reach_changes.size() == 2; });
    server.put_node("n1", "x:///1");
    bench.pass(1h);
    EXPECT_THAT(bench.node_changes, IsEmpty());
    EXPECT_THAT(bench.metrics.text(), Not(HasSubstr("cluster_name=\"c\"")));
  });
}

TEST(WorkloadRegistry, GivesUpADialWhenTheClusterIsForgotten) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.mood = Mood::Hangs;
    bench.registry.want(kC);
    bench.until([&] { return server.probes == 1; });
    const SteadyTime begin = bench.baton.steady_now();

    bench.registry.forget(kC);
    EXPECT_EQ(bench.baton.steady_now(), begin);  // forget() does not wait for the dial
    bench.pass(100ms);
    EXPECT_EQ(bench.registry.controller().turns().size(), 0U);  // nor does it go on
    server.mood = Mood::Well;
    bench.pass(10min);

    EXPECT_EQ(server.probes, 1);
    EXPECT_THAT(bench.reach_changes, IsEmpty());
  });
}

TEST(WorkloadRegistry, ClosesAConnectionWhoseClusterIsForgottenWhileItsNodesAreListed) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    server.put_node("n1", "x:///1");
    bench.registry.want(kC);
    while (server.dials == 0) bench.baton.switch_point("test");

    bench.registry.forget(kC);
    bench.pass(1min);

    EXPECT_FALSE(bench.connected());
    EXPECT_THAT(bench.reach_changes, Not(Contains("c")));
  });
}

TEST(WorkloadRegistry, AClusterMadeAnewUnderItsNameIsAnotherOne) {
  in_simulation([](Bench& bench) {
    bench.world.cluster("c");
    const auto old = bench.connect();
    bench.world.server("new").put_node("n1", "x:///1");

    bench.registry.forget(kC);
    bench.world.put_secret("c", RegistryFixture::kubeconfig("new"));
    const auto fresh = bench.connect();

    EXPECT_NE(fresh, old);
    EXPECT_THAT(names(fresh->nodes().all()), ElementsAre("n1"));
    EXPECT_EQ(version_of(*old, bench.baton).error().code, Code::NotConnected);
  });
}

TEST(WorkloadRegistry, LeavesNothingBehindThatCouldCallAnybody) {
  Baton baton({.seed = 11});
  const auto report = baton.run([&] {
    std::shared_ptr<WorkloadCluster> held;
    auto bench = std::make_unique<Bench>(baton);
    bench->world.cluster("c");
    bench->world.cluster("other").mood = Mood::Hangs;
    held = bench->connect();
    bench->registry.want(kOther);
    bench->pass(1s);
    const SteadyTime begin = baton.steady_now();

    bench->registry.stop();

    EXPECT_EQ(baton.steady_now(), begin);  // the hanging dial was called back
    EXPECT_EQ(version_of(*held, baton).error().code, Code::NotConnected);
    EXPECT_EQ(bench->registry.get(kC).error().code, Code::NotConnected);
    held.reset();
    bench.reset();
    baton.pause(Deadline::in(baton, 1h));
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

// --- managing ourselves ---

RegistryOptions as_pod(const std::string& uid) {
  return {.own_pod =
              OwnPod{.key = {"capstan", "manager"}, .uid = uid, .server = {.server = "https://inside"}}};
}

json::value our_pod() {
  return json::parse(
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "manager", "namespace": "capstan"},
                         "spec": {"containers": [{"name": "m", "image": "m"}]}})");
}

std::string run_our_pod_in(TestServer& server) {
  (void)server.admin.create(
      kube::resources::namespaces(), {"", "capstan"},
      json::parse(R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "capstan"}})"), {},
      Deadline::never());
  const auto pod =
      server.admin.create(kube::resources::pods(), {"capstan", "manager"}, our_pod(), {}, Deadline::never());
  EXPECT_TRUE(pod) << pod.error().describe();
  return pod ? std::string(pod->at("metadata").at("uid").as_string()) : std::string();
}

// The uid is only known once the pod runs; the same seed gives the same one.
std::string uid_of_our_pod() {
  std::string uid;
  Baton baton({.seed = 1});
  (void)baton.run([&] {
    TestServer server(baton, baton);
    uid = run_our_pod_in(server);
  });
  return uid;
}

TEST(WorkloadRegistry, ReachesTheClusterItRunsInFromInside) {
  in_simulation(
      [](Bench& bench) {
        run_our_pod_in(bench.world.cluster("c"));
        bench.world.server("inside").put_node("n1", "x:///1");

        EXPECT_THAT(names(bench.connect()->nodes().all()), ElementsAre("n1"));
      },
      as_pod(uid_of_our_pod()));
}

TEST(WorkloadRegistry, ReachesAClusterWithAPodOfOurNameByItsOwnAddress) {
  in_simulation(
      [](Bench& bench) {
        run_our_pod_in(bench.world.cluster("c"));
        bench.world.cluster("other");

        bench.connect(kC);      // a pod of that name, but not us
        bench.connect(kOther);  // no such pod

        EXPECT_EQ(bench.world.server("inside").dials, 0);
      },
      as_pod("00000000-0000-0000-0000-000000000001"));
}

TEST(WorkloadRegistry, DoesNotGuessWhetherItRunsInAClusterItMayNotAsk) {
  in_simulation(
      [](Bench& bench) {
        bench.world.cluster("c").reads_pods = false;

        EXPECT_THAT(bench.problem(), AllOf(HasSubstr("our own pod capstan/manager"), HasSubstr("forbidden")));
      },
      as_pod("00000000-0000-0000-0000-000000000001"));
}

TEST(WorkloadRegistry, ConnectsToAServerThatAnswersAMissingPodWithoutAStatus) {
  in_simulation(
      [](Bench& bench) {
        bench.world.cluster("c").knows_pods = false;

        bench.connect();

        EXPECT_EQ(bench.world.server("inside").dials, 0);
      },
      as_pod("00000000-0000-0000-0000-000000000001"));
}

TEST(Access, FromInsideKeepsTheCredentialsAndTakesTheServer) {
  const kube::Connection ours{.server = "https://10.96.0.1:443", .ca_file = "/ca.crt"};
  const kube::Connection given{.server = "https://lb",
                               .tls_server_name = "lb",
                               .proxy_url = "http://proxy",
                               .insecure_skip_tls_verify = true,
                               .token = Secret<std::string>("t")};

  const kube::Connection inside = from_inside(given, ours);

  EXPECT_EQ(inside.server, "https://10.96.0.1:443");
  EXPECT_EQ(inside.ca_file, "/ca.crt");
  EXPECT_EQ(inside.token.reveal(), "t");
  EXPECT_EQ(inside.tls_server_name + inside.proxy_url, "");
  EXPECT_FALSE(inside.insecure_skip_tls_verify);
}

// --- metrics ---

TEST(WorkloadRegistry, CountsAsUpstreamDoesPerCluster) {
  in_simulation([](Bench& bench) {
    TestServer& server = bench.world.cluster("c");
    bench.problem(kOther);
    bench.connect();
    bench.pass(25s);
    server.mood = Mood::Down;
    bench.pass(10s);

    const std::string text = bench.metrics.text();

    const std::string labels = R"({cluster_name="c",cluster_namespace="default")";
    EXPECT_THAT(text, HasSubstr("capi_cluster_cache_connection_up" + labels + "} 1"));
    EXPECT_THAT(text, HasSubstr("capi_cluster_cache_healthcheck" + labels + "} 0"));
    EXPECT_THAT(text,
                HasSubstr("capi_cluster_cache_healthchecks_total" + labels + R"(,status="success"} 3)"));
    EXPECT_THAT(text, HasSubstr("capi_cluster_cache_healthchecks_total" + labels + R"(,status="error"} 1)"));
    EXPECT_THAT(
        text,
        HasSubstr(R"(capi_cluster_cache_connection_up{cluster_name="other",cluster_namespace="default"} 0)"));
    EXPECT_THAT(text, HasSubstr("capstan_connected_clusters 1"));
  });
}

// --- the unexpected ---

TEST(WorkloadRegistry, SurvivesACrashAtAnyMoment) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      RegistryFixture world(baton, baton);
      TestServer& server = world.cluster("c");
      server.put_node("n1", "x:///1");
      world.cluster("other").mood = Mood::Hangs;
      int connected = 0;
      const auto manager = [&](const std::stop_token& stop) {
        Metrics metrics;
        SeededRandomness randomness(seed);
        kube::WatchLoop loop(baton, baton);
        WorkloadRegistry registry({.clock = baton,
                                   .threads = baton,
                                   .management = world.management,
                                   .randomness = randomness,
                                   .loop = loop,
                                   .metrics = &metrics},
                                  world.dial());
        registry.on_reach_change(
            [&](const ObjectKey& cluster) { connected += registry.get(cluster) ? 1 : 0; });
        registry.start();
        registry.want(kC);
        registry.want(kOther);
        baton.pause(Deadline::never(stop));
      };
      auto first = baton.spawn_process("manager", manager);
      const std::uint64_t steps = baton.draw(60);
      for (std::uint64_t i = 0; i < steps; ++i) baton.switch_point("test");
      baton.pause(Deadline::in(baton, Nanoseconds(baton.draw(20) * 1s)));
      baton.crash("manager");
      first->join();

      connected = 0;
      auto second = baton.spawn_process("manager", manager);
      baton.pause(Deadline::in(baton, 5s));
      EXPECT_EQ(connected, 1);
      second->request_stop();
      second->join();
    });
    EXPECT_TRUE(report.finished()) << report.why << " with seed " << seed;
  }
}

TEST(WorkloadRegistry, ComesRightAfterWhateverHappened) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Baton baton({.seed = seed, .slips_per_thousand = 20});
    const auto report = baton.run([&] {
      Bench bench(baton);
      TestServer& server = bench.world.cluster("c");
      server.put_node("n1", "x:///1");
      std::shared_ptr<WorkloadCluster> held;
      for (int i = 0; i < 40; ++i) {
        switch (baton.draw(8)) {
          case 0: bench.registry.want(kC); break;
          case 1: bench.registry.forget(kC); break;
          case 2: bench.registry.hurry(kC); break;
          case 3: server.mood = static_cast<Mood>(baton.draw(4)); break;
          case 4:
            server.token = baton.draw(2) == 0 ? "good" : "new";
            bench.world.put_secret("c", RegistryFixture::kubeconfig("c", "{token: " + server.token + "}"));
            break;
          case 5:
            if (auto got = bench.registry.get(kC)) held = *got;
            break;
          case 6:
            if (held) (void)version_of(*held, baton);
            break;
          default: bench.pass(Nanoseconds(baton.draw(30) * 1s));
        }
      }
      server.mood = Mood::Well;
      server.put_node("n2", "x:///2");
      bench.registry.want(kC);

      bench.until([&] {
        const auto got = bench.registry.get(kC);
        return got && (*got)->nodes().size() == 2 && version_of(**got, baton);
      });
      EXPECT_EQ(bench.registry.reach(kC).problem, "");
    });
    EXPECT_TRUE(report.finished()) << report.why << " with seed " << seed;
  }
}

}  // namespace
}  // namespace capstan::kubeconfig
