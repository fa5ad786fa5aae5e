// The agent is killed at each of its effects in turn, and a new one goes on.
#include "agent/agent_fixture.h"

namespace capstan::agent {
namespace {

const std::string kBefore = AgentStage::config(
    R"("files":[{"path":"/etc/a.conf","content":"1"},{"path":"/etc/gone.conf","content":"1"}],
    "units":[{"name":"a.service","filePaths":["/etc/a.conf"]},{"name":"b.service","filePaths":["/etc/gone.conf"]},
             {"name":"gone.service","content":"[Unit]"},{"name":"quiet.service","content":"[Unit]"}],
    "kubelet":{"configuration":{"maxPods":50}})");
const std::string kAfter = AgentStage::config(
    R"("files":[{"path":"/etc/a.conf","content":"2"},{"path":"/etc/new/c.conf","content":"3"}],
    "units":[{"name":"a.service","filePaths":["/etc/a.conf"]},{"name":"b.service"},
             {"name":"c.service","content":"[Service]","filePaths":["/etc/new/c.conf"]},
             {"name":"quiet.service","content":"[Unit]"}],
    "kubelet":{"configuration":{"maxPods":60},
               "binaries":[{"version":"v1.35.0","url":"https://x","sha256":")" +
    checksum_of("kubelet program") + "\"}]}");
const std::vector<std::string> kRestarted = {"a.service", "b.service", "c.service", "x.service",
                                             "kubelet.service"};

struct Life {
  std::size_t effects = 0;
  std::map<std::string, std::string> tree = {};
  std::map<std::string, std::size_t> restarts = {};
  std::string applied = {};
};

// What depends on chance: keys.
std::map<std::string, std::string> without_keys(std::map<std::string, std::string> tree) {
  std::erase_if(tree, [](const auto& file) { return file.first.ends_with(".pem"); });
  tree.erase("/etc/kubernetes/kubelet.conf");
  tree.erase("/etc/capstan/agent.json");
  return tree;
}

Life life_of(AgentStage& stage) {
  Life life{.effects = stage.threads.effects,
            .tree = without_keys(stage.machine.tree()),
            .applied = stage.applied()};
  for (const std::string& unit : kRestarted) life.restarts[unit] = stage.systemctl.count("restart " + unit);
  return life;
}

// Rounds until nothing is left to be done; the one that is killed counts for one.
void live(AgentStage& stage) {
  for (int round = 0; round < 4; ++round) {
    try {
      stage.round();
    } catch (const SimulatedCrash&) {
      stage.start();
    }
    stage.clock.advance(std::chrono::minutes(2));
  }
}

Life change_of_configuration(std::size_t dies_at) {
  AgentStage stage;
  stage.settle(kBefore);
  stage.offer_and_release(kAfter);
  stage.change(kube::resources::nodes(), {.name = kNode},
               {{"metadata", {{"annotations", {{api::bootstrap::annotation::kRestartServices, "x"}}}}}});
  stage.threads.effects = 0;
  stage.threads.dies_at = dies_at;
  live(stage);
  return life_of(stage);
}

TEST(AgentCrash, KilledAtAnyEffectItGoesOnWhereItWas) {
  const Life whole = change_of_configuration(0);
  ASSERT_EQ(whole.applied, checksum_of(kAfter));
  ASSERT_GT(whole.effects, 40U);

  for (std::size_t dies_at = 1; dies_at <= whole.effects; ++dies_at) {
    const Life life = change_of_configuration(dies_at);

    EXPECT_EQ(life.tree, whole.tree) << "killed at " << dies_at;
    EXPECT_EQ(life.applied, whole.applied) << "killed at " << dies_at;
    std::size_t more = 0;
    for (const std::string& unit : kRestarted) {
      EXPECT_GE(life.restarts.at(unit), whole.restarts.at(unit)) << unit << ", killed at " << dies_at;
      more += life.restarts.at(unit) - whole.restarts.at(unit);
    }
    EXPECT_LE(more, 1U) << "only the restart that was under way is made again; killed at " << dies_at;
  }
}

Life first_boot(std::size_t dies_at) {
  AgentStage stage;
  stage.offer_and_release(kBefore);
  stage.threads.effects = 0;
  stage.threads.dies_at = dies_at;
  for (int round = 0; round < 4; ++round) {
    try {
      stage.round();
    } catch (const SimulatedCrash&) {
      stage.start();
    }
    stage.sign_requests();
  }
  EXPECT_TRUE(stage.machine.has("/etc/kubernetes/bootstrap-kubelet.conf")) << "killed at " << dies_at;
  stage.join();
  live(stage);
  return life_of(stage);
}

TEST(AgentCrash, KilledAtAnyEffectOfItsFirstBootItJoins) {
  const Life whole = first_boot(0);
  ASSERT_EQ(whole.applied, checksum_of(kBefore));

  for (std::size_t dies_at = 1; dies_at <= whole.effects; ++dies_at) {
    const Life life = first_boot(dies_at);

    EXPECT_EQ(life.tree, whole.tree) << "killed at " << dies_at;
    EXPECT_EQ(life.applied, whole.applied) << "killed at " << dies_at;
    EXPECT_FALSE(life.tree.contains("/etc/kubernetes/bootstrap-kubelet.conf")) << "killed at " << dies_at;
  }
}

}  // namespace
}  // namespace capstan::agent
