// Pools under a policy of the life of their Machines: those with Machines replace what has failed, within the
// policy's limit; those without say which Nodes are not well. The test plays the Machine controller and the
// pool's provider.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "api/conditions/conditions.h"
#include "api/policy/fleet_policy.h"
#include "api/policy/names.h"
#include "controllers/machinepool/own_condition.h"
#include "controllers/machinepool/turn_fixture.h"
#include "controllers/safety/freeze_brake.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinepool {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

constexpr std::string_view kLongAgo = "2020-01-01T12:00:00Z";

builders::MachineLifecyclePolicyBuilder care() {
  return builders::a_policy("care").selecting_everything().node_checks().creation_timeout(60).max_in_flight(
      IntOrString(1));
}

json::object condition(std::string_view type, std::string_view status, std::string_view reason,
                       std::string_view message, std::string_view since = kLongAgo) {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", since}};
}

void connect(MachinePoolFixture& stage) {
  stage.connect();
  json::array conditions;
  conditions.push_back(condition(api::condition::kRemoteConnectionProbe, "True", "ProbeSucceeded", ""));
  stage.patch(kClusters, "c1", {{"status", {{"conditions", std::move(conditions)}}}}, "status");
}

// As the Machine controller says it.
void says(MachinePoolFixture& stage, std::string_view machine, std::string_view reason,
          std::string_view message = "HealthCheck Processing NodeNotReady: Ready is False",
          std::string_view since = kLongAgo) {
  json::array conditions;
  conditions.push_back(condition(api::policy::condition::kLifecycle, reason == "Running" ? "True" : "False",
                                 reason, message, since));
  conditions.push_back(condition(api::condition::kUpToDate, "True", api::reason::kUpToDate, ""));
  stage.patch(kMachines, machine, {{"status", {{"conditions", std::move(conditions)}}}}, "status");
}

// It left Running just now.
void falls_ill(MachinePoolFixture& stage, std::string_view machine, std::string_view message) {
  says(stage, machine, "Unhealthy", message, Time::from(stage.baton.now()).to_string());
}

// Three instances that run, a Machine for each.
void run_with_machines(MachinePoolFixture& stage, const api::MachineLifecyclePolicy& policy) {
  stage.make(kube::resource_of<api::MachineLifecyclePolicy>(), api::to_json(policy));
  stage.make_pool(a_pool(3));
  connect(stage);
  stage.start();
  stage.bootstrap_is_done();
  for (const auto* name : {"b1", "b2", "b3"}) {
    stage.make_box(name);
    stage.make_node(builders::a_node(name));
  }
  stage.infrastructure_has({"b1", "b2", "b3"}, {{"infrastructureMachineKind", "Box"}});
  stage.settle();
  for (const auto* name : {"b1", "b2", "b3"}) says(stage, name, "Running");
  stage.settle();
  (void)stage.requests();
}

bool is_granted(MachinePoolFixture& stage, std::string_view machine) {
  return stage.read<api::Machine>(machine).metadata.annotations.contains(
      api::policy::annotation::kReplacementGranted);
}

bool is_going(MachinePoolFixture& stage, std::string_view machine) {
  return stage.read<api::Machine>(machine).metadata.deleting();
}

std::string health_of(MachinePoolFixture& stage) {
  const auto pool = stage.pool();
  const auto found = api::conditions::find(pool.status.conditions, kHealthy);
  return found == nullptr ? "" : found->message.str();
}

void takes_too_long(MachinePoolFixture& stage, const std::string& machine) {
  says(stage, machine, "Failed", "Create Failed CreationTimeout: not Running for 60 seconds");
}

TEST(LifeTurns, LetOneMachineOfAPoolBeReplacedAtATime) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());

    says(stage, "b1", "Unhealthy");
    says(stage, "b2", "Unhealthy");
    stage.settle(1min);

    EXPECT_TRUE(is_granted(stage, "b1"));
    EXPECT_FALSE(is_granted(stage, "b2"));
    EXPECT_FALSE(is_going(stage, "b1"));
    EXPECT_EQ(stage.shown(kHealthy), "False MachinesNotWell");
    EXPECT_THAT(health_of(stage), HasSubstr("Machine b1 is Unhealthy: HealthCheck Processing NodeNotReady"));

    says(stage, "b1", "Failed");
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b1"));
    EXPECT_FALSE(is_granted(stage, "b2"));
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("Deleted Machine \"b1\", which has failed")));
  });
}

TEST(LifeTurns, ReplaceAMachineOfAPoolThatTookTooLongWithoutAPlace) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    says(stage, "b1", "Unhealthy");
    stage.settle(2min);

    takes_too_long(stage, "b2");
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b2"));
  });
}

TEST(LifeTurns, LetAMachineOfAPoolThatAUserWantsReplacedGoAtOnceWithinTheLimit) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());

    falls_ill(stage, "b1", "HealthCheck Processing NodeNotReady: Ready is False");
    stage.settle(1min);
    EXPECT_FALSE(is_granted(stage, "b1"));

    falls_ill(stage, "b1", "HealthCheck Processing ReplaceRequested: annotation capstan.dev/replace");
    falls_ill(stage, "b2", "HealthCheck Processing ReplaceRequested: annotation capstan.dev/replace");
    stage.settle(1min);

    EXPECT_TRUE(is_granted(stage, "b1") != is_granted(stage, "b2"));
    EXPECT_FALSE(is_granted(stage, "b3"));
  });
}

TEST(LifeTurns, LetAMachineOfAPoolWhoseNodeWasDeletedGoAtOnceWithinTheLimit) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    says(stage, "b1", "Unhealthy");
    stage.settle(1min);
    EXPECT_TRUE(is_granted(stage, "b1"));

    falls_ill(stage, "b2", "HealthCheck Processing NodeDeleted: Node b2 is gone, the API server says");
    stage.settle(1min);
    EXPECT_FALSE(is_granted(stage, "b2")) << "b1 is in flight";
    EXPECT_THAT(
        health_of(stage),
        HasSubstr("\n* Machine b2 has been Unhealthy for longer than the policy allows, and waits for a "
                  "replacement: the policy's replacement.maxInFlight allows 1, and b1 is "
                  "under way"));

    says(stage, "b1", "Running");
    stage.settle(1min);

    EXPECT_TRUE(is_granted(stage, "b2"));
  });
}

TEST(LifeTurns, KeepAPreservedMachineOfAPool) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    const std::string until = (Time::from(stage.baton.now()) + Seconds(3600)).to_string();
    stage.patch(kMachines, "b2",
                {{"metadata",
                  {{"annotations",
                    {{api::policy::annotation::kPreserve, "now"},
                     {api::policy::annotation::kPreserveUntil, until}}}}}});
    stage.settle(2min);

    takes_too_long(stage, "b2");
    stage.settle(10min);

    EXPECT_FALSE(is_going(stage, "b2"));
  });
}

TEST(LifeTurns, ReplaceNoMachineOfAPoolOutsideTheWindowsAndSayWhy) {
  in_simulation([](MachinePoolFixture& stage) {
    auto policy = care().build();
    policy.spec.windows = std::vector<api::PolicyWindow>{{.cron = Text("0 2 30 2 *"),
                                                          .duration_seconds = 3600,
                                                          .time_zone = Text("UTC"),
                                                          .intents = std::vector<Text>{Text("Remediation")}}};
    run_with_machines(stage, policy);

    says(stage, "b1", "Unhealthy");
    stage.settle(1min);

    EXPECT_FALSE(is_granted(stage, "b1"));
    EXPECT_THAT(health_of(stage), HasSubstr("None of them is replaced now: "));
  });
}

void name_victims(MachinePoolFixture& stage, std::string_view victims, json::object spec = {}) {
  json::object annotations;
  annotations[api::policy::annotation::kVictims] = victims;
  stage.patch(kPools, kPool, {{"metadata", {{"annotations", annotations}}}, {"spec", std::move(spec)}});
}

// --- the limits of the FleetPolicy ---

void limit_the_fleet(MachinePoolFixture& stage) {
  api::FleetPolicy fleet;
  fleet.metadata.name = Text(api::policy::kFleetPolicyName);
  fleet.spec.limits = std::vector<api::FleetLimit>{{.max = IntOrString(1)}};
  stage.make(kube::resource_of<api::FleetPolicy>(), api::to_json(fleet));
}

std::string asks(MachinePoolFixture& stage, std::string_view machine) {
  const auto found = stage.read<api::Machine>(machine);
  return std::string(found.metadata.annotations.value_or_empty(api::policy::annotation::kFleetRequest));
}

void grant(MachinePoolFixture& stage, std::string_view machine) {
  const auto& metadata = stage.read<api::Machine>(machine).metadata;
  const boost::json::value noted = {{"namespace", metadata.namespace_.view()},
                                    {"name", machine},
                                    {"uid", metadata.uid.str()},
                                    {"clusterName", "c1"},
                                    {"reason", "Remediation"},
                                    {"grantedAt", "2026-01-01T12:00:00Z"}};
  stage.patch(kube::resource_of<api::FleetPolicy>(), api::policy::kFleetPolicyName,
              {{"status", {{"grants", boost::json::array{noted}}}}}, "status");
  stage.patch(kMachines, machine,
              {{"metadata", {{"annotations", {{api::policy::annotation::kFleetGrant, "now"}}}}}});
}

TEST(LimitsOfTheFleet, HoldTheReplacementOfAMachineOfAPoolUntilItHasAPlace) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    limit_the_fleet(stage);
    stage.settle(2min);

    takes_too_long(stage, "b2");
    stage.settle(1min);

    EXPECT_THAT(asks(stage, "b2"), StartsWith("Remediation~"));
    EXPECT_FALSE(is_going(stage, "b2"));
    EXPECT_THAT(health_of(stage), HasSubstr("wait for a place in the limits of FleetPolicy fleet"));

    grant(stage, "b2");
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b2"));
  });
}

TEST(LimitsOfTheFleet, AreAskedForNamedMachinesOfAPoolAndNoLongerForOnesThatAreNotNamed) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    limit_the_fleet(stage);

    name_victims(stage, "b2");
    stage.settle(1min);
    EXPECT_THAT(asks(stage, "b2"), StartsWith("ScaleIn~"));
    EXPECT_FALSE(is_going(stage, "b2"));

    name_victims(stage, "b1");
    stage.settle(1min);

    EXPECT_EQ(asks(stage, "b2"), "");
    EXPECT_THAT(asks(stage, "b1"), StartsWith("ScaleIn~"));
  });
}

TEST(LimitsOfTheFleet, LetMachinesOfAPoolGoOnWhenTheFleetPolicyIsDeleted) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    limit_the_fleet(stage);
    stage.settle(2min);
    takes_too_long(stage, "b2");
    stage.settle(1min);
    EXPECT_FALSE(is_going(stage, "b2"));

    stage.remove(kube::resource_of<api::FleetPolicy>(), api::policy::kFleetPolicyName);
    stage.settle(1s);

    EXPECT_TRUE(is_going(stage, "b2"));
  });
}

TEST(LifeTurns, LeaveMachinesOfAPoolAloneWithoutAPolicy) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, builders::a_policy("other").selecting("no", "pool").node_checks().build());

    says(stage, "b1", "Failed");
    stage.settle(1h);

    EXPECT_FALSE(is_going(stage, "b1"));
    EXPECT_EQ(stage.shown(kHealthy), "absent");
  });
}

TEST(LifeTurns, NameTheSickNodesOfAPoolWithoutMachinesAndReplaceNothing) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make(kube::resource_of<api::MachineLifecyclePolicy>(), api::to_json(care().build()));
    stage.run_two();
    EXPECT_EQ(stage.shown(kHealthy), "True AllWell");

    stage.workload_clusters.put_node(kTheCluster, builders::a_node("n1").not_ready());
    stage.annotate_node("n2", api::policy::annotation::kReplace, "true");
    stage.settle(1h);

    EXPECT_EQ(stage.shown(kHealthy), "False NodesNotWell");
    EXPECT_THAT(
        health_of(stage),
        AllOf(HasSubstr("* Node n1: Ready is False"),
              HasSubstr("* Node n2: annotation capstan.dev/replace of Node n2 replaces nothing here")));
    EXPECT_TRUE(stage.node_exists("n1"));
    EXPECT_TRUE(stage.node_exists("n2"));
  });
}

// --- frozen ---

builders::MachineLifecyclePolicyBuilder with_an_overshoot() {
  return care().with([](api::MachineLifecyclePolicy& policy) {
    policy.spec.overshoot = api::PolicyOvershoot{.up = 2, .down = 1};
  });
}

TEST(FrozenPools, WithMachinesShowThatAnAnnotationFreezesThem) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());

    stage.patch(kPools, kPool,
                {{"metadata", {{"annotations", {{api::policy::annotation::kFreeze, "a fire"}}}}}});
    stage.settle();

    EXPECT_EQ(stage.shown(api::policy::condition::kFrozen), "True FrozenByAnnotation");
  });
}

TEST(FrozenPools, WithMachinesAreCountedByThemWithoutASurge) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, with_an_overshoot());
    EXPECT_EQ(stage.shown(api::policy::condition::kFrozen), "absent");

    stage.patch(kPools, kPool, {{"spec", {{"replicas", 1}}}});
    stage.settle();

    EXPECT_EQ(stage.shown(api::policy::condition::kFrozen), "True OvershootingReplicaCount");
  });
}

TEST(FrozenPools, WithoutMachinesAreCountedByTheirInstances) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make(kube::resource_of<api::MachineLifecyclePolicy>(), api::to_json(with_an_overshoot().build()));
    stage.run_two();
    EXPECT_EQ(stage.shown(api::policy::condition::kFrozen), "absent");

    stage.patch(kPools, kPool, {{"spec", {{"replicas", 0}}}});
    stage.settle();

    EXPECT_EQ(stage.shown(api::policy::condition::kFrozen), "True OvershootingReplicaCount");
  });
}

// The controller as a manager runs it: what a person has frozen is held.
class HeldByFreezes final : public runtime::Reconciler {
 public:
  explicit HeldByFreezes(const Deps& deps)
      : brake_(deps.caches),
        inner_({.clock = deps.clock,
                .threads = deps.threads,
                .client = deps.client,
                .caches = deps.caches,
                .workload_clusters = deps.workload_clusters,
                .events = deps.events,
                .names = deps.names,
                .brake = brake_}) {}

  void bind(const Host& host) { inner_.bind(host); }
  void add_triggers(runtime::Queue& queue) { inner_.add_triggers(queue); }
  void stop_drains() { inner_.stop_drains(); }
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override {
    return inner_.reconcile(context, key);
  }

 private:
  const safety::FreezeBrake brake_;
  machinepool::Reconciler inner_;
};

// Takes over from the controller of the stage, with the Nodes as they are on their server.
std::unique_ptr<ControllerRun<HeldByFreezes>> a_run_held_by_freezes(MachinePoolFixture& stage) {
  stage.stop();
  auto run = std::make_unique<ControllerRun<HeldByFreezes>>(
      stage, ControllerRunOptions{.name = "machinepool", .kind = "MachinePool"});
  for (const auto* name : {"b1", "b2", "b3"}) {
    auto node = stage.node(name);
    node.status = builders::a_node(name).build().status;
    run->workload_clusters.put_node(kTheCluster, node);
  }
  run->workload_clusters.connect(kTheCluster, &stage.workload);
  run->start();
  return run;
}

void set_freeze(MachinePoolFixture& stage, const json::value& why) {
  stage.patch(kPools, kPool, {{"metadata", {{"annotations", {{api::policy::annotation::kFreeze, why}}}}}});
}

// --- named to go ---

std::string victims_of(MachinePoolFixture& stage) {
  return std::string(stage.pool().metadata.annotations.value_or_empty(api::policy::annotation::kVictims));
}

std::string mark_of(MachinePoolFixture& stage, std::string_view machine) {
  const auto found = stage.read<api::Machine>(machine);
  const auto* mark = found.metadata.annotations.find(api::annotation::kDeleteMachine);
  return mark == nullptr ? "none" : mark->str();
}

TEST(NamedMachinesOfAPool, AreMarkedForTheProviderThatIsToTakeThem) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());

    name_victims(stage, "b2", {{"replicas", 2}});
    stage.settle(1min);

    EXPECT_EQ(mark_of(stage, "b2"), "capstan.dev/victims");
    EXPECT_EQ(mark_of(stage, "b1"), "none");
    EXPECT_FALSE(is_going(stage, "b2"));
    EXPECT_THAT(victims_of(stage), StartsWith("b2~20"));
  });
}

TEST(NamedMachinesOfAPool, AreDeletedAndReplacedWhereNoFewerAreWanted) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());

    name_victims(stage, "b2");
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b2"));
    EXPECT_FALSE(is_going(stage, "b1"));
    EXPECT_EQ(victims_of(stage), "");
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Deleted Machine \"b2\", which annotation capstan.dev/victims names")));
  });
}

TEST(NamedMachinesOfAPool, GoAlsoWhereTheProviderTookAnother) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    name_victims(stage, "b2", {{"replicas", 2}});
    stage.settle(1min);

    stage.remove(kBoxes, "b3");
    stage.infrastructure_has({"b1", "b2"}, {{"infrastructureMachineKind", "Box"}});
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b3"));
    EXPECT_TRUE(is_going(stage, "b2"));
    EXPECT_FALSE(is_going(stage, "b1"));
  });
}

TEST(NamedMachinesOfAPool, LoseOurMarkWhenTheTimeOfTheNameIsOverAndKeepAUsers) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    stage.patch(kMachines, "b1",
                {{"metadata", {{"annotations", {{api::annotation::kDeleteMachine, "mine"}}}}}});
    stage.settle();
    name_victims(stage, "b1,b2", {{"replicas", 1}});
    stage.settle(1min);
    EXPECT_EQ(mark_of(stage, "b2"), "capstan.dev/victims");

    stage.settle(61min);

    EXPECT_EQ(mark_of(stage, "b1"), "mine");
    EXPECT_EQ(mark_of(stage, "b2"), "none");
    EXPECT_EQ(victims_of(stage), "");
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("named more than 1h")));
  });
}

TEST(NamedMachinesOfAPool, AreDroppedWithTheReasonWhereThereAreNone) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());

    name_victims(stage, "nobody", {{"replicas", 2}});
    stage.settle(1min);

    EXPECT_EQ(victims_of(stage), "");
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("nobody: no Machine of that name belongs to it")));
  });
}

TEST(NamedMachinesOfAPool, AreDroppedByAPoolWithoutMachines) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    name_victims(stage, "n1", {{"replicas", 1}});
    stage.settle(1min);

    EXPECT_EQ(victims_of(stage), "");
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("n1: the pool has no Machines")));
    EXPECT_TRUE(stage.node_exists("n1"));
  });
}

std::string scaling_down_of(MachinePoolFixture& stage) {
  const auto pool = stage.pool();
  const auto condition = api::conditions::find(pool.status.conditions, api::condition::kScalingDown);
  return condition == nullptr ? "absent" : condition->message.str();
}

TEST(NamedMachinesOfAPool, StayOutsideTheWindowsAndThePoolSaysWhy) {
  in_simulation([](MachinePoolFixture& stage) {
    auto policy = care().build();
    policy.spec.windows = std::vector<api::PolicyWindow>{{.cron = Text("0 2 30 2 *"),
                                                          .duration_seconds = 3600,
                                                          .time_zone = Text("UTC"),
                                                          .intents = std::vector<Text>{Text("ScaleIn")}}};
    run_with_machines(stage, policy);

    name_victims(stage, "b2");
    stage.settle(1min);

    EXPECT_FALSE(is_going(stage, "b2"));
    EXPECT_THAT(scaling_down_of(stage),
                HasSubstr("Machines that annotation capstan.dev/victims names stay: "));
  });
}

TEST(FrozenPools, ReplaceNoMachineAndTakeNoNamedOneUntilTheyAreThawed) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    const auto run = a_run_held_by_freezes(stage);
    set_freeze(stage, "a fire");
    stage.settle(2min);

    takes_too_long(stage, "b1");
    name_victims(stage, "b2");
    stage.settle(1min);

    EXPECT_FALSE(is_going(stage, "b1"));
    EXPECT_FALSE(is_going(stage, "b2"));
    EXPECT_THAT(health_of(stage), HasSubstr("None of them is replaced now: frozen by the annotation"));
    EXPECT_THAT(scaling_down_of(stage), HasSubstr("victims names stay: frozen by the annotation"));

    set_freeze(stage, nullptr);
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b1"));
    EXPECT_TRUE(is_going(stage, "b2"));
    EXPECT_FALSE(is_going(stage, "b3"));
  });
}

// Tests begin at midnight, and this window opens at half past.
void freeze_and_resize(MachinePoolFixture& stage, int replicas) {
  stage.patch(kPools, kPool,
              {{"metadata", {{"annotations", {{api::policy::annotation::kFreeze, "a fire"}}}}},
               {"spec", {{"replicas", replicas}}}});
  stage.settle();
}

TEST(FrozenPools, SayWhyTheyDoNotGrow) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    freeze_and_resize(stage, 5);

    const auto up = api::conditions::find(stage.pool().status.conditions, api::condition::kScalingUp);
    EXPECT_THAT(up->message.str(), HasSubstr("to 5 replicas\n* frozen by the annotation"));
  });
}

TEST(FrozenPools, SayWhyTheyDoNotShrink) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    const auto run = a_run_held_by_freezes(stage);
    freeze_and_resize(stage, 1);

    EXPECT_THAT(scaling_down_of(stage), HasSubstr("to 1 replicas\n* frozen by the annotation"));
  });
}

void give_the_fleet_a_window(MachinePoolFixture& stage) {
  api::FleetPolicy fleet;
  fleet.metadata.name = Text(api::policy::kFleetPolicyName);
  fleet.spec.windows.push_back(
      {.cron = "30 0 * * *"_text, .duration_seconds = 600, .intents = {"Remediation"_text, "ScaleIn"_text}});
  stage.make(kube::resource_of<api::FleetPolicy>(), api::to_json(fleet));
}

// The policy of the pool has no windows.
TEST(LifeTurns, ReplaceNoMachineAndTakeNoNamedOneOutsideTheWindowOfTheFleetPolicy) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    give_the_fleet_a_window(stage);
    stage.settle(2min);

    takes_too_long(stage, "b1");
    name_victims(stage, "b2");
    stage.settle(1min);

    EXPECT_FALSE(is_going(stage, "b1"));
    EXPECT_FALSE(is_going(stage, "b2"));
    EXPECT_THAT(health_of(stage), HasSubstr("outside the windows of FleetPolicy fleet for Remediation"));
    EXPECT_THAT(scaling_down_of(stage), HasSubstr("outside the windows of FleetPolicy fleet for ScaleIn"));

    stage.settle(30min);

    EXPECT_TRUE(is_going(stage, "b1"));
    EXPECT_TRUE(is_going(stage, "b2"));
  });
}

TEST(NamedMachinesOfAPool, AreAsManyAsTheDeletionGuardAllowsUntilAPersonConfirmsThem) {
  in_simulation([](MachinePoolFixture& stage) {
    auto policy = care().build();
    policy.spec.deletion_guard = api::PolicyDeletionGuard{.percent = 50};
    run_with_machines(stage, policy);

    name_victims(stage, "b1,b2");
    stage.settle(1min);

    EXPECT_FALSE(is_going(stage, "b1"));
    const std::string why = scaling_down_of(stage);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(why, found, std::regex("confirm-deletion: \"([0-9a-f]+)\""))) << why;

    stage.patch(
        kPools, kPool,
        {{"metadata", {{"annotations", {{api::policy::annotation::kConfirmDeletion, found[1].str()}}}}}});
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b1"));
    EXPECT_TRUE(is_going(stage, "b2"));
    EXPECT_FALSE(stage.pool().metadata.annotations.contains(api::policy::annotation::kConfirmDeletion));
  });
}

// A place in the limits of the fleet is no confirmation, and to wait for one is none either.
TEST(NamedMachinesOfAPool, CountForTheDeletionGuardAlsoWhileTheyWaitForTheFleet) {
  in_simulation([](MachinePoolFixture& stage) {
    run_with_machines(stage, care());
    limit_the_fleet(stage);
    name_victims(stage, "b1,b2");
    stage.settle(1min);
    ASSERT_THAT(asks(stage, "b1"), StartsWith("ScaleIn~"));

    stage.patch(kube::resource_of<api::MachineLifecyclePolicy>(), care().build().metadata.name.view(),
                {{"spec", {{"deletionGuard", {{"percent", 50}}}}}});
    stage.settle(1min);
    grant(stage, "b1");
    stage.settle(1min);

    EXPECT_FALSE(is_going(stage, "b1"));
    EXPECT_EQ(asks(stage, "b2"), "");
    EXPECT_THAT(scaling_down_of(stage), HasSubstr("spec.deletionGuard of MachineLifecyclePolicy"));
  });
}

TEST(NamedMachinesOfAPool, StayConfirmedWhileTheyWaitForTheFleet) {
  in_simulation([](MachinePoolFixture& stage) {
    auto policy = care().build();
    policy.spec.deletion_guard = api::PolicyDeletionGuard{.percent = 50};
    run_with_machines(stage, policy);
    limit_the_fleet(stage);
    name_victims(stage, "b1,b2");
    stage.settle(1min);
    const std::string why = scaling_down_of(stage);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(why, found, std::regex("confirm-deletion: \"([0-9a-f]+)\""))) << why;
    stage.patch(
        kPools, kPool,
        {{"metadata", {{"annotations", {{api::policy::annotation::kConfirmDeletion, found[1].str()}}}}}});
    stage.settle(1min);
    EXPECT_THAT(asks(stage, "b1"), HasSubstr("~confirmed:"));
    EXPECT_FALSE(stage.pool().metadata.annotations.contains(api::policy::annotation::kConfirmDeletion));

    grant(stage, "b1");
    stage.settle(1min);

    EXPECT_TRUE(is_going(stage, "b1"));
    EXPECT_THAT(asks(stage, "b2"), HasSubstr("~confirmed:"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
