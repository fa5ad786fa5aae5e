// Pools without Machines whose Nodes are emptied before they go, because a policy asks for it; and those that
// no policy selects, which behave as Cluster API's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/turn_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

// Two Nodes; on n1 a Pod whose budget allows as many to be missing as it says.
void run_with_a_pod(MachinePoolFixture& stage, bool with_policy, int may_be_missing) {
  const auto policy = builders::a_policy().selecting_everything().drains_machine_pools().build();
  if (with_policy) stage.make(kube::resource_of<api::MachineLifecyclePolicy>(), api::to_json(policy));
  stage.run_two();
  stage.make_pod("web", "n1");
  stage.make_budget("web", may_be_missing);
}

// What happens before the controller looks again, as after a restart.
void unseen(MachinePoolFixture& stage, const std::function<void()>& happens) {
  const auto pause = [&](const json::value& value) {
    stage.patch(kPools, kPool, {{"metadata", {{"annotations", {{"cluster.x-k8s.io/paused", value}}}}}});
  };
  pause("");
  stage.settle();
  happens();
  stage.settle();
  pause(nullptr);
}

TEST(DrainTurns, EmptyTheNodeOfAnInstanceThatLeftBeforeItGoes) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);

    stage.infrastructure_has({"n2"});
    stage.settle(1min);

    EXPECT_FALSE(stage.has_pod("web"));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_TRUE(stage.node_exists("n2"));
    const auto asked = stage.workload.described();
    const auto evicted = std::ranges::find(asked, "evict web");
    const auto deleted = std::ranges::find(asked, "delete nodes n1");
    ASSERT_NE(evicted, asked.end());
    ASSERT_NE(deleted, asked.end());
    EXPECT_LT(evicted, deleted);
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulDrainNode: success draining Node \"n1\""));
  });
}

TEST(DrainTurns, KeepANodeWhoseBudgetAllowsNothingAndSayWhy) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);

    stage.infrastructure_has({"n2"});
    stage.settle(5min);
    const bool kept = stage.node_exists("n1") && stage.has_pod("web");
    const auto status = stage.pool().status;
    const auto told = api::conditions::find(status.conditions, "ScalingDown");
    const std::string message = told == nullptr ? "" : told->message.str();
    stage.relax_budget("web", 1);
    stage.settle(2min);

    EXPECT_TRUE(kept);
    EXPECT_THAT(message, AllOf(HasSubstr("0 of 1 Nodes are drained"), HasSubstr("Node n1: "),
                               HasSubstr("default/web"), HasSubstr("budget")));
    EXPECT_FALSE(stage.has_pod("web"));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(DrainTurns, GiveUpWhenThePoolsTimeIsOver) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.patch(kPools, kPool,
                {{"spec", {{"template", {{"spec", {{"deletion", {{"nodeDrainTimeoutSeconds", 120}}}}}}}}}});
    stage.settle();

    stage.infrastructure_has({"n2"});
    stage.settle(100s);
    const bool kept = stage.node_exists("n1");
    stage.settle(40s);

    EXPECT_TRUE(kept);
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_TRUE(stage.has_pod("web"));
  });
}

TEST(DrainTurns, EndWithTheProcessWhateverIsWatched) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);

    stage.infrastructure_has({"n2"});
    stage.settle(1min);

    EXPECT_THAT(stage.workload.described(), Contains("evict web"));
    EXPECT_TRUE(stage.node_exists("n1"));
  });
}

TEST(DrainTurns, CountFromTheMarkOnTheNodeWhoeverMadeIt) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.patch(kPools, kPool,
                {{"spec", {{"template", {{"spec", {{"deletion", {{"nodeDrainTimeoutSeconds", 120}}}}}}}}}});
    unseen(stage, [&] {
      stage.annotate_node("n1", kDrainStarted, stage.now_minus(Seconds(110)).to_string());
      stage.infrastructure_has({"n2"});
    });
    stage.settle(30s);

    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(DrainTurns, EmptyAllNodesBeforeThePoolsInstancesGo) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);

    stage.remove(kPools, kPool);
    stage.settle(5min);
    const bool kept = stage.exists(kBoxPools, kPool) && stage.exists(kConfigs, kPool);
    const auto status = stage.pool().status;
    const auto told = api::conditions::find(status.conditions, "Deleting");
    const std::string reason = told == nullptr ? "" : told->reason.str();
    const std::string message = told == nullptr ? "" : told->message.str();
    stage.relax_budget("web", 1);
    stage.settle(2min);

    EXPECT_TRUE(kept);
    EXPECT_EQ(reason, "DrainingNode");
    EXPECT_THAT(message, AllOf(HasSubstr("1 of 2 Nodes are drained"), HasSubstr("Node n1: "),
                               HasSubstr("default/web")));
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.exists(kBoxPools, kPool));
    EXPECT_FALSE(stage.has_pod("web"));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

// --- rules ---

api::LabelSelector selecting(std::string_view label, std::string_view value) {
  return {.match_labels = {{label, value}}};
}

api::MachineDrainRule a_drain_rule(std::string_view name, std::string_view behavior,
                                   std::optional<std::int32_t> order = {}) {
  api::MachineDrainRule rule{.metadata = builders::metadata_of("MachineDrainRule", name)};
  rule.spec.drain = {.behavior = Text(behavior), .order = order};
  return rule;
}

api::MachineDrainRule for_machines(api::MachineDrainRule rule, std::string_view label,
                                   std::string_view value) {
  rule.spec.machines = {api::DrainRuleMachines{.selector = selecting(label, value)}};
  return rule;
}

// Pod db of n1, which comes last where its rule is for this pool; Pod web is held up by its budget.
void retire_with_db_last(MachinePoolFixture& stage, api::MachineDrainRule db_last) {
  run_with_a_pod(stage, true, 0);
  stage.make_pod("db", "n1", "db");
  stage.patch(kPools, kPool, {{"spec", {{"template", {{"metadata", {{"labels", {{"tier", "front"}}}}}}}}}});
  db_last.spec.drain = {.behavior = Text(api::drain_behavior::kDrain), .order = 10};
  db_last.spec.pods = {api::DrainRulePods{.selector = selecting("app", "db")}};
  stage.caches.machine_drain_rules.apply(std::move(db_last));
  stage.settle();
  stage.workload.forget();
  stage.infrastructure_has({"n2"});
  stage.settle(1min);
}

std::string told_of_scaling_down(MachinePoolFixture& stage) {
  const auto status = stage.pool().status;
  const auto told = api::conditions::find(status.conditions, "ScalingDown");
  return told == nullptr ? "" : told->message.str();
}

TEST(DrainTurns, GoInTheOrderOfTheRulesForTheirPool) {
  const std::vector<std::pair<std::string_view, std::string_view>> labels = {
      {"tier", "front"}, {api::label::kPoolName, kPool}, {api::label::kClusterName, "c1"}};
  for (const auto& [label, value] : labels) {
    in_simulation([&](MachinePoolFixture& stage) {
      retire_with_db_last(stage, for_machines(a_drain_rule("a", "Drain"), label, value));
      const bool held = stage.has_pod("web") && stage.has_pod("db");
      const auto before = stage.workload.described();
      const std::string message = told_of_scaling_down(stage);
      stage.relax_budget("web", 1);
      stage.settle(3min);

      EXPECT_TRUE(held) << label;
      EXPECT_THAT(before, AllOf(Contains("evict web"), Not(Contains("evict db"))));
      EXPECT_THAT(message, HasSubstr("the following Pods will be evicted: default/db"));
      EXPECT_THAT(stage.workload.described(), Contains("evict db"));
      EXPECT_FALSE(stage.has_pod("web") || stage.has_pod("db"));
      EXPECT_FALSE(stage.node_exists("n1"));
    });
  }
}

TEST(DrainTurns, FollowNoRulesForOtherPools) {
  auto elsewhere = a_drain_rule("a", "Drain");
  elsewhere.metadata.namespace_ = Text("elsewhere");
  const std::vector<api::MachineDrainRule> rules = {
      for_machines(a_drain_rule("a", "Drain"), "tier", "back"),
      for_machines(a_drain_rule("a", "Drain"), api::label::kPoolName, "mp2"),
      for_machines(a_drain_rule("a", "Drain"), api::label::kClusterName, "c2"),
      elsewhere,
  };
  for (const auto& rule : rules) {
    in_simulation([&](MachinePoolFixture& stage) {
      retire_with_db_last(stage, rule);

      EXPECT_TRUE(stage.has_pod("web"));
      EXPECT_FALSE(stage.has_pod("db"));
      EXPECT_THAT(told_of_scaling_down(stage), Not(HasSubstr("will be evicted")));
    });
  }
}

TEST(DrainTurns, TellOfRulesThatContradictEachOtherAndGoOnWhenTheyDoNoMore) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.caches.machine_drain_rules.apply(a_drain_rule("a", "WaitCompleted"));
    stage.caches.machine_drain_rules.apply(a_drain_rule("b", "Drain", 5));

    stage.infrastructure_has({"n2"});
    stage.settle(10min);
    const bool kept = stage.has_pod("web") && stage.node_exists("n1");
    const std::string message = told_of_scaling_down(stage);
    stage.caches.machine_drain_rules.remove({.namespace_ = "default", .name = "a"}, {});
    stage.settle(5min);

    const std::string remedy =
        "MachineDrainRules a (WaitCompleted) and b (Drain, order 5) contradict each other about Pod "
        "default/web: a counts, its name comes first; "
        "change spec.pods so that only one of them matches, or delete one";
    EXPECT_TRUE(kept);
    EXPECT_THAT(message, AllOf(HasSubstr("Node n1: "), HasSubstr("Pod default/web: waiting for completion"),
                               HasSubstr(remedy)));
    EXPECT_EQ(std::ranges::count(stage.events.events, "Warning DrainRulesContradict: " + remedy), 1);
    EXPECT_FALSE(stage.has_pod("web"));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(DrainTurns, LookAgainAtOnceWhenARuleOfTheirNamespaceChanges) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.caches.machine_drain_rules.apply(a_drain_rule("a", "WaitCompleted"));
    stage.infrastructure_has({"n2"});
    stage.settle(50s);
    stage.workload.forget();

    auto elsewhere = a_drain_rule("b", "Drain");
    elsewhere.metadata.namespace_ = Text("elsewhere");
    stage.caches.machine_drain_rules.apply(std::move(elsewhere));
    stage.settle(2s);
    const bool kept = stage.has_pod("web");
    const auto asked = stage.workload.described();
    stage.caches.machine_drain_rules.remove({.namespace_ = "default", .name = "a"}, {});
    stage.settle(2s);

    EXPECT_TRUE(kept);
    EXPECT_THAT(asked, testing::IsEmpty()) << "a rule of another namespace is nothing to a pool";
    EXPECT_FALSE(stage.has_pod("web"));
  });
}

TEST(DrainTurns, LookAgainAtOnceWhenARuleChangesWhileTheirPoolGoes) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.caches.machine_drain_rules.apply(a_drain_rule("a", "WaitCompleted"));
    stage.remove(kPools, kPool);
    stage.settle(50s);
    const bool kept = stage.has_pod("web") && stage.exists(kPools, kPool);

    stage.caches.machine_drain_rules.remove({.namespace_ = "default", .name = "a"}, {});
    stage.settle(2s);

    EXPECT_TRUE(kept);
    EXPECT_FALSE(stage.has_pod("web"));
  });
}

TEST(DrainTurns, SeeNoContradictionInRulesOfWhichOneIsForAnotherPool) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.caches.machine_drain_rules.apply(
        for_machines(a_drain_rule("a", "WaitCompleted"), api::label::kPoolName, "mp2"));
    stage.caches.machine_drain_rules.apply(a_drain_rule("b", "Drain", 5));

    stage.infrastructure_has({"n2"});
    stage.settle(1min);

    EXPECT_THAT(stage.workload.described(), Contains("evict web"));
    EXPECT_THAT(told_of_scaling_down(stage), AllOf(HasSubstr("budget"), Not(HasSubstr("contradict"))));
    EXPECT_THAT(stage.events.events, Not(Contains(HasSubstr("DrainRulesContradict"))));
  });
}

// --- volumes ---

TEST(DrainTurns, WaitForTheVolumesOfANodeThatIsEmpty) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.attach_disk("n1");

    stage.infrastructure_has({"n2"});
    stage.settle(2min);
    const bool kept = stage.node_exists("n1");
    const bool emptied = !stage.has_pod("web");
    const auto status = stage.pool().status;
    const auto told = api::conditions::find(status.conditions, "ScalingDown");
    const std::string message = told == nullptr ? "" : told->message.str();
    const auto marks = stage.node("n1").metadata.annotations;
    stage.detach_disk();
    stage.settle(2min);

    EXPECT_TRUE(kept);
    EXPECT_TRUE(emptied);
    EXPECT_THAT(message, AllOf(HasSubstr("0 of 1 Nodes are drained"),
                               HasSubstr("Node n1: Waiting for Node volumes to be detached"),
                               HasSubstr("default/data")));
    EXPECT_TRUE(marks.contains(kVolumeWaitStarted));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_THAT(
        stage.events.events,
        Contains("Normal NodeVolumesDetached: success waiting for volumes of Node \"n1\" to be detached"));
  });
}

TEST(DrainTurns, BeginNoDrainAgainOfANodeThatWaitsForItsVolumes) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.attach_disk("n1");
    unseen(stage, [&] {
      stage.annotate_node("n1", kVolumeWaitStarted, stage.now_minus(Seconds(60)).to_string());
      stage.infrastructure_has({"n2"});
    });
    stage.settle(2min);
    const bool kept = stage.node_exists("n1");
    stage.detach_disk();
    stage.settle(2min);

    EXPECT_TRUE(kept);
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_TRUE(stage.has_pod("web")) << "it has come since";
  });
}

TEST(DrainTurns, BeginAnewWithANodeThatWasToStayInBetween) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.infrastructure_has({"n1", "n2", "n3"});
    stage.make_node(a_node("n3"));
    stage.attach_disk("n2");
    stage.settle();
    stage.infrastructure_has({"n3"});  // n1 is held up by its Pod, n2 by its volume
    stage.settle(1min);
    stage.watch_node("n2");
    stage.infrastructure_has({"n2", "n3"});
    stage.settle(30s);
    // As after the patch that takes them back: it is bound to a version that this cache does not have.
    stage.annotate_node("n2", kDrainStarted, "");
    stage.annotate_node("n2", kVolumeWaitStarted, "");
    stage.make_pod("late", "n2");

    stage.workload.forget();
    stage.infrastructure_has({"n3"});
    stage.settle(1min);

    EXPECT_THAT(stage.workload.described(), Contains("evict late"));
    EXPECT_TRUE(stage.node_exists("n2"));
  });
}

TEST(DrainTurns, WaitForVolumesNoLongerThanThePoolsTimeout) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.attach_disk("n1");
    stage.patch(kPools, kPool,
                {{"spec",
                  {{"template",
                    {{"spec",
                      {{"deletion",
                        {{"nodeDrainTimeoutSeconds", 60}, {"nodeVolumeDetachTimeoutSeconds", 120}}}}}}}}}});
    stage.settle();

    stage.infrastructure_has({"n2"});
    stage.settle(170s);
    const bool kept = stage.node_exists("n1");
    stage.settle(30s);

    EXPECT_TRUE(kept);
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_TRUE(stage.has_pod("web"));
  });
}

TEST(DrainTurns, LetNoInstanceOfAPoolEndBeforeItsVolumesAreDetached) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.attach_disk("n1");

    stage.remove(kPools, kPool);
    stage.settle(2min);
    const bool kept = stage.exists(kBoxPools, kPool) && stage.node_exists("n2");
    const auto told = stage.shown("Deleting");
    stage.detach_disk();
    stage.settle(2min);

    EXPECT_TRUE(kept);
    EXPECT_EQ(told, "True WaitingForVolumeDetach");
    EXPECT_FALSE(stage.exists(kPools, kPool));
  });
}

TEST(DrainTurns, WaitForNoVolumesOfAPoolThatIsExcluded) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.attach_disk("n1");
    stage.patch(
        kPools, kPool,
        {{"metadata",
          {{"annotations", {{"machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach", ""}}}}}});
    stage.settle();

    stage.infrastructure_has({"n2"});
    stage.settle(1min);

    EXPECT_FALSE(stage.has_pod("web"));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(DrainTurns, TakeTheMarksBackWhereAUserHasCordoned) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    stage.cordon_node("n1");
    stage.annotate_node("n1", kDrainStarted, stage.now_minus(Seconds(110)).to_string());
    stage.settle();

    const auto node = stage.node("n1");
    EXPECT_FALSE(node.metadata.annotations.contains(kDrainStarted));
    EXPECT_TRUE(node.spec.unschedulable);
  });
}

TEST(DrainTurns, LeaveTheCordonOfAUserWhenTheInstanceIsListedAgain) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.cordon_node("n1");
    stage.infrastructure_has({"n2"});
    stage.settle(30s);
    stage.watch_node("n1");
    stage.settle(30s);

    stage.infrastructure_has({"n1", "n2"});
    stage.settle(30s);

    const auto node = stage.node("n1");
    EXPECT_TRUE(node.spec.unschedulable);
    EXPECT_FALSE(node.metadata.annotations.contains("capstan.dev/cordoned-by"));
    EXPECT_FALSE(node.metadata.annotations.contains(kDrainStarted));
  });
}

// --- pools that are left alone ---

TEST(DrainTurns, TouchNoPodWhereNoPolicyAsksForIt) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, false, 1);

    stage.infrastructure_has({"n2"});
    stage.settle();
    const bool first_gone = !stage.node_exists("n1");
    stage.remove(kPools, kPool);
    stage.settle(10s);

    EXPECT_TRUE(first_gone);
    EXPECT_TRUE(stage.has_pod("web"));
    EXPECT_FALSE(stage.exists(kPools, kPool));
    for (const auto& request : stage.workload.described()) {
      EXPECT_THAT(request, AllOf(Not(HasSubstr("evict")), Not(HasSubstr("pods")), Not(HasSubstr("patch"))));
    }
  });
}

TEST(DrainTurns, TouchNoPodOfAPoolThatIsToBeLeftAlone) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 1);
    stage.patch(kPools, kPool,
                {{"metadata", {{"annotations", {{"machine.cluster.x-k8s.io/exclude-node-draining", ""}}}}}});
    stage.settle();

    stage.infrastructure_has({"n2"});
    stage.settle();

    EXPECT_TRUE(stage.has_pod("web"));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(DrainTurns, TakeTheCordonBackWhenTheInstanceIsListedAgain) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_a_pod(stage, true, 0);
    stage.infrastructure_has({"n2"});
    stage.settle(30s);
    stage.watch_node("n1");
    const auto cordoned = stage.node("n1");
    stage.settle(30s);
    stage.workload.forget();

    stage.infrastructure_has({"n1", "n2"});
    stage.settle(30s);

    EXPECT_TRUE(cordoned.spec.unschedulable);
    EXPECT_EQ(cordoned.metadata.annotations.value_or_empty("capstan.dev/cordoned-by"), "default/mp1/n1");
    const auto writes = stage.workload.writes();
    ASSERT_FALSE(writes.empty());
    const auto& sent = writes.front().body;
    EXPECT_EQ(sent.at("spec").at("unschedulable"), json::value(nullptr));
    EXPECT_EQ(sent.at("metadata").at("annotations").at("capstan.dev/cordoned-by"), json::value(nullptr));
    EXPECT_EQ(sent.at("metadata").at("annotations").at(kDrainStarted), json::value(nullptr));
    EXPECT_TRUE(stage.has_pod("web"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
