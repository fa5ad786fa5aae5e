// A fleet over real HTTP with real threads, and words to wait for what becomes of it. Used by the stories of
// this suite; each test has a stack of its own, everything from the test's thread.
#pragma once

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

namespace json = boost::json;
using dev::Fleet;

constexpr auto kPatience = std::chrono::seconds(60);

inline manager::Options quiet_manager() {
  manager::Options options;
  options.clients.kube_api_qps = 0;
  options.servers.health_addr = "0";
  options.servers.diagnostics_address = "0";
  options.servers.webhook_port = 0;
  return options;
}

// A quick cloud, so that the time of these tests is ours.
inline infrastructure::sim::Script quick_cloud() {
  infrastructure::sim::Script script;
  script.latency = {.create = std::chrono::milliseconds(5),
                    .remove = std::chrono::milliseconds(5),
                    .status = std::chrono::milliseconds(1),
                    .list = std::chrono::milliseconds(1)};
  script.register_after = std::chrono::milliseconds(20);
  return script;
}

class FleetStory : public testing::Test {
 protected:
  void start(int clusters, int machines, infrastructure::sim::Script script = quick_cloud()) {
    start({.clusters = clusters, .machines = machines}, std::move(script));
  }
  void start(const dev::SampleOptions& sample, infrastructure::sim::Script script = quick_cloud(),
             std::vector<std::string> kinds_left_out = {}) {
    auto started = dev::Stack::start({clock_, threads_, randomness_},
                                     {.cloud = std::move(script),
                                      .look_at_cloud_every = std::chrono::seconds(1),
                                      .manager = manager_,
                                      .kinds_left_out = std::move(kinds_left_out)},
                                     Log(), {});
    ASSERT_TRUE(started) << started.error().describe();
    stack_ = std::move(*started);
    watch_ = std::make_unique<dev::FleetWatch>(clock_, threads_, stack_->client());
    ASSERT_TRUE(watch_->start(soon()));
    for (const auto& manifest : dev::sample(sample)) {
      const auto applied = dev::apply_manifest(stack_->client(), manifest, soon());
      ASSERT_TRUE(applied) << applied.error().describe();
    }
  }

  Deadline soon() const { return Deadline::in(clock_, kPatience); }

  // Waits for it; the picture at the end is in the failure.
  void wait_for(std::string_view what, const std::function<bool(const Fleet&)>& seen) {
    ASSERT_TRUE(watch_->follow(soon(), seen)) << what << "\n" << dev::table(watch_->look(), 20);
  }

  template <typename T>
  void change(const std::string& name, const json::value& patch) {
    const auto patched = stack_->client().patch(kube::resource_of<T>(), named(name), patch, {}, soon());
    ASSERT_TRUE(patched) << patched.error().describe();
  }
  void change_deployment(const std::string& name, const json::value& patch) {
    change<api::MachineDeployment>(name, patch);
  }
  template <typename T>
  void remove(const std::string& name) {
    const auto removed = stack_->client().remove(kube::resource_of<T>(), named(name), {}, soon());
    ASSERT_TRUE(removed) << removed.error().describe();
  }
  static kube::ObjectKey named(const std::string& name) { return {.namespace_ = "default", .name = name}; }

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

  manager::Options manager_ = quiet_manager();  // of the next start()
  SystemClock clock_;
  SystemThreads threads_;
  SystemRandomness randomness_;
  std::unique_ptr<dev::Stack> stack_;
  std::unique_ptr<dev::FleetWatch> watch_;  // its streams end before the clients of the stack
};

}  // namespace capstan
