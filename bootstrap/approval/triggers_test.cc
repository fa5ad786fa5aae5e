#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "bootstrap/approval/reconciler.h"
#include "test/builders/machine.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/memory_client.h"

namespace capstan::bootstrap::approval {
namespace {

// The controller's queue, with caches that the test fills.
struct WakingFixture {
  fakes::FakeClock clock;
  apiserver::Api api{{.clock = clock}};
  fakes::MemoryClient client{api, clock, {}};
  WorkloadClients workloads{client, clock, {}};
  Caches caches;
  runtime::Queue queue{clock, clock, {}};
  Reconciler reconciler{{.client = client, .workloads = workloads, .caches = caches}};

  WakingFixture() { reconciler.add_triggers(queue); }

  void see_machine(const std::string& name) {
    api::Machine machine = builders::a_machine(name);
    machine.spec.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = Text(name)};
    caches.machines.apply(machine);
  }
  void see_config(const std::string& name, bool with_agent) {
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, "c1");
    if (with_agent) config.spec.node_config_ref = api::NodeConfigRef{.name = "workers"_text};
    caches.cloud_configs.apply(config);
  }
  // The Cluster that was woken since the last look, "" for none.
  std::string woken() {
    const auto taken = queue.take(Deadline::in(clock, Nanoseconds(0)));
    if (!taken) return {};
    queue.finish(taken->key, {});
    return taken->key.describe();
  }
};

TEST(ApprovalTriggers, WakeAClusterByACloudConfigThatHasANodeConfig) {
  WakingFixture world;
  world.see_config("m1", true);
  EXPECT_EQ(world.woken(), "default/c1");

  world.see_config("m2", false);
  EXPECT_EQ(world.woken(), "");
}

// The caches fill independently: that of Machines may be behind.
TEST(ApprovalTriggers, WakeAClusterByAMachineThatIsSeenAfterItsCloudConfig) {
  WakingFixture world;
  world.see_config("m1", true);
  world.see_config("m2", false);
  EXPECT_EQ(world.woken(), "default/c1");

  world.see_machine("m1");
  EXPECT_EQ(world.woken(), "default/c1");
  world.see_machine("m2");
  EXPECT_EQ(world.woken(), "");
}

}  // namespace
}  // namespace capstan::bootstrap::approval
