// An API server that is away by the faults of the cloud, over real HTTP: what the core says of its Cluster.
#include "infrastructure/sim/script.h"
#include "test/component/fleet_story.h"

namespace capstan {
namespace {

class ApiOutageStory : public FleetStory {
 protected:
  ApiOutageStory() { manager_.behaviour.remote_connection_grace_period = std::chrono::seconds(1); }

  // What the file of --faults says from now on.
  void follow(std::string_view file) {
    const auto script = infrastructure::sim::parse_script(file);
    ASSERT_TRUE(script) << script.error().describe();
    stack_->cloud().follow_faults(script->faults);
  }
  bool is_reached(const std::string& cluster) {
    const auto found = kube::get<api::Cluster>(stack_->client(), named(cluster), soon());
    return found &&
           api::conditions::is_true(found->status.conditions, api::condition::kRemoteConnectionProbe);
  }
};

TEST_F(ApiOutageStory, AnApiServerThatIsAwayFailsTheProbeOfItsClusterUntilItIsBack) {
  start(2, 1);
  if (HasFatalFailure()) return;
  wait_for("both clusters to be reached", [this](const Fleet& fleet) {
    return workers(2)(fleet) && is_reached("demo-1") && is_reached("demo-2");
  });

  follow("faults: [{api: demo-1}]");
  wait_for("one to be out of reach", [this](const Fleet&) { return !is_reached("demo-1"); });
  EXPECT_TRUE(is_reached("demo-2"));

  follow("faults: []");
  wait_for("that one to be reached again", [this](const Fleet&) { return is_reached("demo-1"); });
}

}  // namespace
}  // namespace capstan
