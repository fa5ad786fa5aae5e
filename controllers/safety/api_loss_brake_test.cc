#include "controllers/safety/api_loss_brake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubeconfig/follow_clock.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_workload_clusters.h"

namespace capstan::controllers::safety {
namespace {

using namespace std::chrono_literals;
using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::a_policy;
using runtime::Intent;
using testing::HasSubstr;

const kube::ObjectKey kCluster{.namespace_ = std::string(builders::kNamespace),
                               .name = std::string(builders::kCluster)};

kube::ObjectKey named(std::string_view name) {
  return {.namespace_ = kCluster.namespace_, .name = std::string(name)};
}

api::MachinePool a_pool() {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, "pool");
  pool.metadata.labels.set("team", "a");
  pool.spec.cluster_name = Text(builders::kCluster);
  return pool;
}

// A policy governs team a in a Cluster that was initialized; both API servers have just answered.
class GovernedCluster {
 public:
  GovernedCluster() {
    add(caches.clusters, a_cluster().control_plane_initialized().build());
    add(caches.machine_lifecycle_policies, a_policy("care").selecting("team", "a").build());
    add(caches.machine_deployments, a_machine_deployment("web").labelled("team", "a").build());
    add(caches.machine_sets, a_machine_set("web-1").labelled("team", "a").build());
    add(caches.machine_pools, a_pool());
    add(caches.machines, a_machine("m1").in_set("web-1").build());
    clusters.connect(kCluster, nullptr, now());
  }

  template <typename T>
  void add(runtime::Store<T>& store, T object) {
    const api::ResourceVersion version(++version_);
    object.metadata.resource_version = version;
    store.begin_list();
    store.stage(std::move(object));
    store.finish_list({.version = version});
  }
  Time now() const { return Time::from(clock.now()); }
  runtime::Verdict ask(Intent intent, std::string_view kind, std::string_view name) const {
    const auto key = named(name);
    return brake.ask(intent, {.kind = kind, .key = key});
  }
  runtime::Verdict ask_set() const { return ask(Intent::ScaleDown, api::kind::kMachineSet, "web-1"); }

  fakes::FakeClock clock;
  Caches caches;
  fakes::FakeWorkloadClusters clusters;
  ApiHealth management{.last_heard = now()};
  ApiLossBrake brake{{.clock = clock,
                      .caches = caches,
                      .workload_clusters = clusters,
                      .management = [this] { return management; },
                      .grace = 30s}};

 private:
  std::uint64_t version_ = 0;
};

// --- the table of docs/safety.md, cell by cell ---

struct Row {
  std::string name = {};
  std::function<void(GovernedCluster&)> happens = {};
  bool goes = true;
};
struct Column {
  std::string name = {};
  Intent intent = Intent::CreateMachine;
  std::string_view kind = {};
  std::string_view object = {};
};

void lose(GovernedCluster& governed, Nanoseconds since) {
  governed.clusters.set_reach(kCluster, {.last_success = governed.now(), .doubt = "probe failed"});
  governed.clock.advance(since);
  governed.management.last_heard = governed.now();
}

const std::vector<Row> kRows = {
    {.name = "OneProbeFailed", .happens = [](GovernedCluster& governed) { lose(governed, 30s); }},
    {.name = "DownBeyondGrace",
     .happens = [](GovernedCluster& governed) { lose(governed, 31s); },
     .goes = false},
    {.name = "NoEvidenceYet",
     .happens =
         [](GovernedCluster& governed) {
           governed.clusters.set_reach(kCluster, {.problem = "no connection yet"});
         },
     .goes = false},
    {.name = "ManagementAway",
     .happens =
         [](GovernedCluster& governed) {
           governed.management.failing = true;
           governed.clock.advance(31s);
         },
     .goes = false},
};
const std::vector<Column> kColumns = {
    {"CreateVm", Intent::CreateMachine, api::kind::kMachineSet, "web-1"},
    {"Remediate", Intent::Remediate, api::kind::kMachineSet, "web-1"},
    {"ScaleDown", Intent::ScaleDown, api::kind::kMachineSet, "web-1"},
    {"Roll", Intent::RollOut, api::kind::kMachineDeployment, "web"},
    {"DeletePoolInstance", Intent::DeletePoolInstance, api::kind::kMachinePool, "pool"},
    {"Evict", Intent::Evict, api::kind::kMachine, "m1"},
};

class ApiLossTable : public testing::TestWithParam<std::tuple<Row, Column>> {};

TEST_P(ApiLossTable, SaysGoOrStop) {
  const auto& [row, column] = GetParam();
  GovernedCluster governed;
  ASSERT_TRUE(governed.ask(column.intent, column.kind, column.object).open);

  row.happens(governed);

  EXPECT_EQ(governed.ask(column.intent, column.kind, column.object).open, row.goes);
}

INSTANTIATE_TEST_SUITE_P(Cells, ApiLossTable,
                         testing::Combine(testing::ValuesIn(kRows), testing::ValuesIn(kColumns)),
                         [](const auto& cell) {
                           return std::get<Row>(cell.param).name + std::get<Column>(cell.param).name;
                         });

TEST(ApiLoss, HoldsOnceTheGraceIsOverOrWhileNothingIsKnown) {
  EXPECT_FALSE(holds(ApiLoss::None));
  EXPECT_FALSE(holds(ApiLoss::OneProbeFailed));
  EXPECT_TRUE(holds(ApiLoss::Down));
  EXPECT_TRUE(holds(ApiLoss::NoEvidence));
}

// --- whom it never holds ---

TEST(ApiLossBrake, NeverHoldsControlPlaneMachines) {
  GovernedCluster governed;
  governed.add(governed.caches.machines, a_machine("cp").in_set("web-1").control_plane().build());
  lose(governed, 600s);
  EXPECT_TRUE(governed.ask(Intent::Evict, api::kind::kMachine, "cp").open);
}

TEST(ApiLossBrake, NeverHoldsAClusterBeforeItsControlPlaneWasInitialized) {
  GovernedCluster governed;
  governed.add(governed.caches.clusters, a_cluster().build());
  lose(governed, 600s);
  EXPECT_TRUE(governed.ask_set().open);
}

// Its status never says so: the condition does.
TEST(ApiLossBrake, HoldsAClusterWithoutAControlPlaneObject) {
  GovernedCluster governed;
  governed.add(governed.caches.clusters, a_cluster().control_plane_machine_joined().build());
  lose(governed, 600s);
  EXPECT_FALSE(governed.ask_set().open);
}

TEST(ApiLossBrake, HoldsNothingWithoutAPolicy) {
  GovernedCluster governed;
  governed.add(governed.caches.machine_lifecycle_policies, a_policy("care").selecting("team", "b").build());
  lose(governed, 600s);
  EXPECT_TRUE(governed.ask_set().open);
}

// --- what it says, and when it opens ---

TEST(ApiLossBrake, SaysWhichServerIsLost) {
  GovernedCluster governed;
  lose(governed, 600s);
  EXPECT_THAT(governed.ask_set().why,
              HasSubstr("the API server of Cluster default/c1 has not been reached since"));
  governed.management = {.failing = true, .last_heard = {}, .problem = "refused"};
  EXPECT_THAT(governed.ask_set().why, HasSubstr("the API server of the management cluster"));
}

// As the registry of workload clusters answers after the clock was set.
TEST(ApiLossBrake, ClockAnHourOffOnTheManagerMakesNoLossAndHidesNone) {
  for (const Nanoseconds off : {Nanoseconds(1h), Nanoseconds(-1h)}) {
    GovernedCluster governed;
    lose(governed, 20s);
    auto reach = governed.clusters.reach(kCluster);
    kubeconfig::follow_clock(reach, off);
    governed.clock.set_wall(governed.clock.now() + off);
    governed.clusters.set_reach(kCluster, reach);
    governed.management.last_heard = governed.now();
    EXPECT_TRUE(governed.ask_set().open);

    governed.clock.advance(20s);
    EXPECT_FALSE(governed.ask_set().open);
  }
}

TEST(ApiLossBrake, OpensWhenTheServerAnswers) {
  GovernedCluster governed;
  lose(governed, 600s);
  ASSERT_FALSE(governed.ask_set().open);
  governed.clusters.connect(kCluster, nullptr, governed.now());
  EXPECT_TRUE(governed.ask_set().open);
}

}  // namespace
}  // namespace capstan::controllers::safety
