// Whole turns of a Machine that is preserved because it has failed, with a workload cluster that has Pods.
// What is written on its Node: preservation_drain_test.cc; the fake cache gives Nodes versions of its own, to
// which such a write can't be bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "base/safeguards.h"
#include "controllers/machine/turn_fixture.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machine {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

const kube::ObjectKey kTheCluster{"default", "c1"};

// m1 on its Node, owned by MachineSet ms1, which a policy with preservation.drain selects.
struct Preserved {
  explicit Preserved(MachineFixture& with, bool drains = true)
      : world(with), api({.clock = with.baton}), memory(api, with.baton), client(memory) {
    create(kube::resources::nodes(), {},
           {{"kind", "Node"},
            {"apiVersion", "v1"},
            {"metadata", {{"name", "m1"}}},
            {"spec", {{"providerID", "docker:////m1"}}}});
    node_says("True");
    world.workload_clusters.connect(kTheCluster, &client);
    world.make_cluster();
    world.make_control_plane_machine();
    world.start();
    world.make_machine();
    has_a_set();
    api::PolicyPreservation preservation;
    if (drains) preservation.drain = api::PreservationDrain();
    world.put(builders::a_policy("care").selecting_everything().preservation(preservation).build());
    world.settle(200ms);
    world.bootstrap_is_done();
    world.infrastructure_is_done();
    settle(10s);
    world.forget_what_happened();
  }
  ~Preserved() { world.stop(); }  // its drains hold watches
  Preserved(const Preserved&) = delete;
  Preserved& operator=(const Preserved&) = delete;

  void has_a_set() {
    world.put(builders::a_machine_set("ms1").build());
    world.settle(200ms);
    const auto set = world.caches.machine_sets.get({"default", "ms1"});
    ASSERT_TRUE(set);
    world.patch(machines(), "m1",
                {{"metadata",
                  {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                    {"kind", "MachineSet"},
                                                    {"name", "ms1"},
                                                    {"uid", set->metadata.uid.str()},
                                                    {"controller", true}}}}}}});
  }
  void create(const kube::Resource& resource, std::string space, const json::value& object) {
    const std::string name(object.at("metadata").at("name").as_string());
    ASSERT_TRUE(memory.create(resource, {std::move(space), name}, object, {}, Deadline::never()));
  }
  void pod(std::string_view name) {
    create(kube::resources::pods(), "default",
           {{"kind", "Pod"},
            {"apiVersion", "v1"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec",
             {{"nodeName", "m1"},
              {"terminationGracePeriodSeconds", 0},
              {"containers", {{{"name", "c"}, {"image", "i"}}}}}}});
  }
  bool has_pod(std::string_view name) {
    return memory.get(kube::resources::pods(), {"default", std::string(name)}, Deadline::never()).has_value();
  }
  void node_says(std::string_view ready) {
    change_node({{"status",
                  {{"conditions", json::array{{{"type", "Ready"},
                                               {"status", ready},
                                               {"lastHeartbeatTime", "2026-01-01T00:00:00Z"},
                                               {"lastTransitionTime", "2026-01-01T00:00:00Z"}}}}}}},
                "status");
  }
  void change_node(const json::value& patch, std::string_view subresource = {}) {
    ASSERT_TRUE(memory.patch(kube::resources::nodes(), {.name = "m1"}, patch,
                             {.subresource = std::string(subresource)}, Deadline::never()));
  }
  api::Node node() { return kube::get<api::Node>(memory, {.name = "m1"}, Deadline::never()).value(); }
  // The cache follows the server second by second.
  void settle(std::chrono::seconds span) {
    for (auto passed = 0s; passed < span; passed += 1s) {
      world.workload_clusters.put_node(kTheCluster, node());
      world.settle(1s);
    }
  }
  void asks(std::string_view wish) {
    world.patch(machines(), "m1", {{"metadata", {{"annotations", {{"capstan.dev/preserve", wish}}}}}});
  }
  // By a MachineHealthCheck that hands it to its MachineSet.
  void fails(std::string_view status = "False") {
    api::Machine machine = world.machine();
    for (const auto type : {api::condition::kHealthCheckSucceeded, api::condition::kOwnerRemediated})
      api::conditions::set(machine.status.conditions, api::conditions::make(type, status, "Test"), 1,
                           Time::from(world.baton.now()));
    world.patch(machines(), "m1",
                {{"status", {{"conditions", api::to_json(machine).at("status").at("conditions")}}}},
                "status");
  }
  std::string says() {
    const auto machine = world.machine();
    const auto found = api::conditions::find(machine.status.conditions, "capstan.dev/Preserved");
    return found == nullptr ? "nothing" : found->message.str();
  }

  MachineFixture& world;
  apiserver::Api api;
  fakes::MemoryClient memory;
  fakes::RecordingClient client;
};

TEST(PreservedNodes, AreDrainedOnceAndSaySo) {
  in_simulation([](MachineFixture& world) {
    Preserved all(world);
    all.pod("p");
    all.asks("when-failed");
    all.settle(10s);
    EXPECT_TRUE(all.has_pod("p")) << "it has not failed";

    all.fails();
    all.settle(30s);

    EXPECT_FALSE(all.has_pod("p"));
    EXPECT_FALSE(all.node().spec.unschedulable);
    EXPECT_NE(all.node().condition("Ready"), nullptr);
    EXPECT_THAT(all.says(), HasSubstr("; its Node was drained"));
    EXPECT_EQ(world.machine().metadata.annotations.value_or_empty("capstan.dev/preservation-drain"), "done");

    all.pod("late");
    all.settle(60s);
    EXPECT_TRUE(all.has_pod("late")) << "once";
  });
}

// Where a deletion would drain no Node, this does not either, and says so.
TEST(PreservedNodes, AreNotSaidToBeDrainedWhereNoneMayBe) {
  in_simulation([](MachineFixture& world) {
    Preserved all(world);
    world.remove(machines(), "cp");
    all.pod("p");
    all.asks("when-failed");
    all.fails();
    all.settle(30s);

    EXPECT_TRUE(all.has_pod("p"));
    EXPECT_THAT(all.says(), HasSubstr("; its Node is being drained: it waits: no control plane Machine"));
    EXPECT_NE(world.machine().metadata.annotations.value_or_empty("capstan.dev/preservation-drain"), "done");
  });
}

TEST(PreservedNodes, KeepTheCordonOfAUser) {
  in_simulation([](MachineFixture& world) {
    Preserved all(world);
    all.change_node({{"spec", {{"unschedulable", true}}}});
    all.asks("when-failed");
    all.fails();
    all.settle(30s);

    all.fails("True");
    all.settle(30s);

    EXPECT_TRUE(all.node().spec.unschedulable);
  });
}

TEST(PreservedNodes, AreLeftAloneByAPolicyThatDoesNotAskForIt) {
  in_simulation([](MachineFixture& world) {
    Preserved all(world, false);
    all.pod("p");
    all.asks("now");
    all.fails();

    all.settle(60s);

    EXPECT_TRUE(all.has_pod("p"));
  });
}

#ifdef CAPSTAN_DEFECTS
TEST(PreservedNodes, WithoutTheirSafeguardAreDrainedAgain) {
  in_simulation([](MachineFixture& world) {
    Preserved all(world);
    all.asks("now");
    all.fails();
    all.settle(30s);
    all.pod("late");

    switch_off(Safeguard::DrainedOnce);
    world.patch(machines(), "m1", {{"metadata", {{"annotations", {{"example.com/wakes", "it"}}}}}});
    all.settle(60s);
    switch_off(std::nullopt);

    EXPECT_FALSE(all.has_pod("late"));
  });
}
#endif

}  // namespace
}  // namespace capstan::controllers::machine
