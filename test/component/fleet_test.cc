#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "api/core/node.h"
#include "cmd/dev/fleet_watch.h"
#include "cmd/dev/manifests.h"
#include "cmd/dev/sample.h"
#include "cmd/dev/stack.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using dev::Fleet;

constexpr auto kPatience = 60s;

manager::Options quiet_manager() {
  manager::Options options;
  options.clients.kube_api_qps = 0;
  options.servers.health_addr = "0";
  options.servers.diagnostics_address = "0";
  options.servers.webhook_port = 0;
  return options;
}

// A quick cloud, so that the time of these tests is ours.
infrastructure::sim::Script quick_cloud() {
  infrastructure::sim::Script script;
  script.latency = {.create = 5ms, .remove = 5ms, .status = 1ms, .list = 1ms};
  script.register_after = 20ms;
  return script;
}

class FleetStory : public testing::Test {
 protected:
  void start(int clusters, int machines, infrastructure::sim::Script script = quick_cloud()) {
    auto started = dev::Stack::start({clock_, threads_, randomness_},
                                     {.cloud = std::move(script), .manager = quiet_manager()}, Log(), {});
    ASSERT_TRUE(started) << started.error().describe();
    stack_ = std::move(*started);
    watch_ = std::make_unique<dev::FleetWatch>(clock_, threads_, stack_->client());
    ASSERT_TRUE(watch_->start(soon()));
    for (const auto& manifest : dev::sample({.clusters = clusters, .machines = machines})) {
      const auto applied = dev::apply_manifest(stack_->client(), manifest, soon());
      ASSERT_TRUE(applied) << applied.error().describe();
    }
  }

  Deadline soon() const { return Deadline::in(clock_, kPatience); }

  // Waits for it; the picture at the end is in the failure.
  void wait_for(std::string_view what, const std::function<bool(const Fleet&)>& seen) {
    ASSERT_TRUE(watch_->follow(soon(), seen)) << what << "\n" << dev::table(watch_->look(), 20);
  }

  void change_deployment(const std::string& name, const json::value& patch) {
    const auto patched = stack_->client().patch(kube::resource_of(api::resource<api::MachineDeployment>),
                                                {.namespace_ = "default", .name = name}, patch, {}, soon());
    ASSERT_TRUE(patched) << patched.error().describe();
  }

  static auto workers(std::size_t count, std::string version = "v1.35.0") {
    return [count, version = std::move(version)](const Fleet& fleet) {
      const auto right = std::ranges::count_if(fleet.machines, [&](const auto& machine) {
        return !machine.owner.empty() && machine.version == version;
      });
      const auto all =
          std::ranges::count_if(fleet.machines, [](const auto& machine) { return !machine.owner.empty(); });
      return fleet.settled() && std::cmp_equal(right, count) && right == all;
    };
  }

  SystemClock clock_;
  SystemThreads threads_;
  SystemRandomness randomness_;
  std::unique_ptr<dev::Stack> stack_;
  std::unique_ptr<dev::FleetWatch> watch_;  // its streams end before the clients of the stack
};

TEST_F(FleetStory, AFleetComesUpGrowsRollsAndLeavesNothingBehind) {
  start(1, 2);
  wait_for("two workers", workers(2));

  change_deployment("demo-workers", {{"spec", {{"replicas", 4}}}});
  wait_for("four workers", workers(4));

  change_deployment("demo-workers", {{"spec", {{"template", {{"spec", {{"version", "v1.36.0"}}}}}}}});
  wait_for("four workers of the new version", workers(4, "v1.36.0"));
  EXPECT_EQ(stack_->cloud().vms().size(), 5U);

  const auto removed = stack_->client().remove(kube::resource_of(api::resource<api::Cluster>),
                                               {.namespace_ = "default", .name = "demo"}, {}, soon());
  ASSERT_TRUE(removed) << removed.error().describe();
  wait_for("nothing left",
           [](const Fleet& fleet) { return fleet.clusters.empty() && fleet.machines.empty(); });
  EXPECT_THAT(stack_->cloud().vms(), testing::IsEmpty());
}

TEST_F(FleetStory, AClusterThatCantBeReachedDoesNotHoldUpAnother) {
  start(2, 1);
  wait_for("both clusters", workers(2));
  auto* lost = stack_->control_planes().server({.namespace_ = "default", .name = "demo-1"});
  ASSERT_NE(lost, nullptr);
  lost->refuse(true);
  lost->drop_connections();

  change_deployment("demo-2-workers", {{"spec", {{"replicas", 3}}}});

  wait_for("three workers in the other cluster", [](const Fleet& fleet) {
    return std::ranges::any_of(fleet.groups, [](const auto& group) {
      return group.name == "default/demo-2-workers" && group.settled() && group.desired == 3;
    });
  });
  lost->refuse(false);
  change_deployment("demo-1-workers", {{"spec", {{"replicas", 2}}}});
  wait_for("the lost one again", workers(5));
}

TEST_F(FleetStory, AFullCloudIsToldOnTheMachineAndTriedAgain) {
  auto script = quick_cloud();
  script.faults.push_back({.verb = infrastructure::sim::SimVerb::Create,
                           .code = infrastructure::DriverCode::Unavailable,
                           .message = "no capacity in zone a",
                           .vms = "*workers*",
                           .times = 1});
  start(1, 2, script);

  wait_for("two workers in spite of it", workers(2));

  EXPECT_EQ(stack_->cloud().hits().at(0), 2U);
}

}  // namespace
}  // namespace capstan
