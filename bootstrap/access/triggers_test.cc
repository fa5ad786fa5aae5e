#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "bootstrap/access/reconciler.h"
#include "test/builders/cluster.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/memory_client.h"

namespace capstan::bootstrap::access {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The controller's queue, with caches that the test fills.
struct AccessWakingFixture {
  fakes::FakeClock clock;
  apiserver::Api api{{.clock = clock}};
  fakes::MemoryClient client{api, clock, {}};
  WorkloadClients workloads{client, clock, {}};
  Caches caches;
  runtime::Queue queue{clock, clock, {}};
  std::uint64_t versions = 0;
  Reconciler reconciler{{.client = client, .workloads = workloads, .caches = caches}};

  AccessWakingFixture() { reconciler.add_triggers(queue); }

  void see_config(const std::string& label, bool joins = true) {
    api::CloudConfig config;
    config.metadata.name = "m1"_text;
    config.metadata.namespace_ = "default"_text;
    config.metadata.resource_version = api::ResourceVersion(++versions);
    if (!label.empty()) config.metadata.labels.set(api::label::kClusterName, label);
    if (joins) config.spec.join.emplace();
    caches.cloud_configs.apply(config);
  }
  void see_cluster() {
    api::Cluster cluster = builders::a_cluster("c1").running();
    cluster.metadata.resource_version = api::ResourceVersion(++versions);
    caches.clusters.apply(cluster);
  }
  // The Clusters that were woken since the last look.
  std::vector<std::string> woken() {
    std::vector<std::string> names;
    while (const auto taken = queue.take(Deadline::in(clock, Nanoseconds(0)))) {
      queue.finish(taken->key, {});
      names.push_back(taken->key.name);
    }
    return names;
  }
};

TEST(AccessTriggers, WakeAClusterByACloudConfigThatBeginsAndEndsToJoin) {
  AccessWakingFixture world;
  world.see_config("c1", false);
  EXPECT_THAT(world.woken(), IsEmpty());
  world.see_config("c1");
  EXPECT_THAT(world.woken(), ElementsAre("c1"));
  world.see_config("c1");
  EXPECT_THAT(world.woken(), IsEmpty());
  world.see_config("c1", false);
  EXPECT_THAT(world.woken(), ElementsAre("c1"));
}

TEST(AccessTriggers, WakeAClusterByACloudConfigThatGetsItsLabelLater) {
  AccessWakingFixture world;
  world.see_config("");
  EXPECT_THAT(world.woken(), IsEmpty());
  world.see_config("c1");
  EXPECT_THAT(world.woken(), ElementsAre("c1"));
  world.see_config("c2");
  EXPECT_THAT(world.woken(), UnorderedElementsAre("c1", "c2"));
}

// A token and the bindings stayed when the last CloudConfig went while the provider was away.
TEST(AccessTriggers, WakeAClusterThatJoinsNothingOnceAfterAStart) {
  AccessWakingFixture world;
  world.see_cluster();
  EXPECT_THAT(world.woken(), ElementsAre("c1"));
  world.see_cluster();
  EXPECT_THAT(world.woken(), IsEmpty());
}

}  // namespace
}  // namespace capstan::bootstrap::access
