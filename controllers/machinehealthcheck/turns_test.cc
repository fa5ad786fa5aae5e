#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinehealthcheck/reconciler.h"
#include "controllers/machinehealthcheck/seen_fixture.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

const kube::Resource kRequests =
    provider_resource(api::group::kInfrastructure, "BoxRemediation", "boxremediations");
const kube::Resource kTemplates =
    provider_resource(api::group::kInfrastructure, "BoxRemediationTemplate", "boxremediationtemplates");
// What the Machines of these tests are made from.
const kube::Resource kInfraMachines =
    provider_resource(api::group::kInfrastructure, "DockerMachine", "dockermachines");
const kube::Resource kInfraTemplates =
    provider_resource(api::group::kInfrastructure, "DockerMachineTemplate", "dockermachinetemplates");
const kube::Resource& kCrds = kube::resources::custom_resource_definitions();
const kube::Resource kMachines = kube::resource_of<api::Machine>();
const kube::Resource kChecks = kube::resource_of<api::MachineHealthCheck>();
const kube::ObjectKey kTheCluster{.namespace_ = "default", .name = "c1"};

// One check of one running Cluster that is connected; its API server knows the Nodes `nodes`.
class HealthCheckFixture : public ControllerFixture<Reconciler> {
 public:
  explicit HealthCheckFixture(fakes::Baton& with)
      : ControllerFixture(with, {.name = "machinehealthcheck", .kind = "MachineHealthCheck", .pace = 100ms}),
        workload_api_({.clock = with}),
        workload(workload_api_, with) {
    make(kCrds, provider_crd(kRequests));
    make(kCrds, provider_crd(kTemplates));
  }
  Time ago(Seconds span) const { return Time::from(baton.now() - span); }

  void make_cluster(bool initialized = true) {
    auto cluster = builders::a_cluster();
    cluster.condition(api::condition::kInfrastructureReady, "True", "Ready", "", ago(1h));
    if (initialized)
      cluster.condition(api::condition::kControlPlaneInitialized, "True", "Initialized", "", ago(1h));
    put(cluster.build());
  }
  void make_check(const api::MachineHealthCheck& check) { make(kChecks, api::to_json(check)); }
  void make_machine(std::string_view name, bool with_node = true) {
    auto machine = a_worker(name);
    if (with_node) machine.on_node(name);
    put(machine.build());
  }
  // In the cache and on the server.
  void make_node(const api::Node& node) {
    make_node_on_server(node.metadata.name);
    workload_clusters.put_node(kTheCluster, node);
  }
  void make_node_on_server(std::string_view name) {
    const json::value document = {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}};
    const auto made = workload.create(kube::resources::nodes(), {}, document, {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
  }
  void connect() { workload_clusters.connect(kTheCluster, &workload); }

  std::string shown(std::string_view machine, std::string_view type) {
    const auto found = read<api::Machine>(machine);
    const auto condition = api::conditions::find(found.status.conditions, type);
    return condition == nullptr ? "absent" : condition->status.str() + " " + condition->reason.str();
  }

 private:
  apiserver::Api workload_api_;

 public:
  fakes::MemoryClient workload;
};

void in_world(const std::function<void(HealthCheckFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    HealthCheckFixture world(baton);
    body(world);
  });
}

api::MachineHealthCheck watching(std::string_view type, std::string_view status, std::int32_t timeout) {
  auto check = a_check();
  check.spec.checks.unhealthy_node_conditions.push_back(
      {.type = Text(type), .status = Text(status), .timeout_seconds = timeout});
  return check;
}

// Another writer relabels the check each second: so many writes of the controller in that minute.
std::ptrdiff_t writes_in_a_contested_minute(HealthCheckFixture& world) {
  (void)world.requests();
  for (int second = 0; second < 60; ++second) {
    world.patch(kChecks, "mhc", {{"metadata", {{"labels", {{"cluster.x-k8s.io/cluster-name", "mine"}}}}}});
    world.settle(1s);
  }
  return std::ranges::count(world.requests(), "patch machinehealthchecks mhc");
}

TEST(Contests, OverTheLabelOfACheckCostFiveWritesInTheFirstMinuteAndTwoInEachAfterIt) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.connect();
    world.start();

    const auto first = writes_in_a_contested_minute(world);
    const auto second = writes_in_a_contested_minute(world);

    EXPECT_GE(first, 1);
    EXPECT_LE(first, 5);
    EXPECT_LE(second, 2);
    const auto check = world.read<api::MachineHealthCheck>("mhc");
    const auto told = api::conditions::find(check.status.conditions, api::condition::kContested);
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->reason, "OverwrittenByAnother");
    EXPECT_THAT(told->message.str(), HasSubstr("metadata.labels[cluster.x-k8s.io/cluster-name]"));
  });
}

TEST(Turns, ToldAHealthyFleetOnceCostNothing) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    for (const auto* name : {"a", "b"}) {
      world.make_machine(name);
      world.make_node(builders::a_node(name));
    }
    world.connect();
    world.start();
    EXPECT_THAT(world.requests(),
                ElementsAre("patch machinehealthchecks mhc", "patch machines/status a",
                            "patch machines/status b", "patch machinehealthchecks/status mhc"));
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");

    world.settle(1h);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

TEST(Turns, MarkASickMachineOnce) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.make_machine("a");
    world.make_node(builders::a_node("a"));
    world.connect();
    world.start();

    world.patch(kMachines, "a",
                {{"metadata", {{"annotations", {{"cluster.x-k8s.io/remediate-machine", ""}}}}}});
    world.settle(1min);

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False HasRemediateAnnotation");
    EXPECT_EQ(world.shown("a", "OwnerRemediated"), "False WaitingForRemediation");
    EXPECT_THAT(
        world.events.events,
        ElementsAre("Normal MachineMarkedUnhealthy: Machine default/a has been marked as unhealthy by "
                    "default/mhc"));
  });
}

TEST(Turns, BadNewsDoNotWaitBehindGoodNews) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    for (int i = 0; i < 120; ++i) {
      const std::string name = "m" + std::to_string(i);
      world.make_machine(name);
      world.make_node(builders::a_node(name));
    }
    world.make_machine("zzz");
    world.connect();
    world.start();
    world.settle(10s);

    const auto requests = world.requests();
    ASSERT_GT(requests.size(), 121U);
    EXPECT_EQ(requests[1], "patch machines/status zzz");
    EXPECT_EQ(world.read<api::MachineHealthCheck>("mhc").status.current_healthy, 120);
    EXPECT_EQ(std::ranges::count_if(
                  requests, [](const auto& each) { return each.starts_with("patch machines/status"); }),
              121);
  });
}

TEST(Turns, AHundredMachinesWhoseMarksAreRefusedDoNotKeepOthersFromBeingMarked) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    for (int i = 0; i < 100; ++i) {
      const std::string name = fmt::format("a{:02}", i);
      world.make_machine(name);
      world.make_node(builders::a_node(name));
    }
    world.make_machine("b");
    world.make_node(builders::a_node("b"));
    world.connect();
    world.client.before = [](const fakes::RecordedRequest& request) {
      return request.is("patch machines/status") && request.key.name.starts_with("a")
                 ? std::optional(Error{.code = Code::Forbidden, .message = "a policy says no"})
                 : std::nullopt;
    };

    world.start();
    world.settle(1min);

    EXPECT_EQ(world.shown("b", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
    EXPECT_EQ(world.shown("a00", "HealthCheckSucceeded"), "absent");
  });
}

TEST(Turns, WakeWhenADeadlineExpires) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(watching("Ready", "False", 300));
    world.make_machine("a");
    world.make_node(builders::a_node("a").condition("Ready", "False", "", world.ago(0s)));
    const Time sick_from = world.ago(0s);
    world.connect();
    world.start();

    world.settle(sick_from.wall() + 300s - world.baton.now());
    const auto at_the_deadline = world.shown("a", "HealthCheckSucceeded");
    world.settle(100ms);

    EXPECT_EQ(at_the_deadline, "absent");
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False UnhealthyNode");
  });
}

TEST(Turns, JudgeNobodyByWhatWasKnownBeforeTheClusterFellSilent) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(watching("Ready", "False", 60));
    world.make_machine("a");
    world.make_node(builders::a_node("a").condition("Ready", "False", "", world.ago(0s)));
    world.connect();
    world.start();

    world.workload_clusters.set_reach(kTheCluster, {.doubt = "GET /: no answer"});
    world.settle(5min);
    const auto in_doubt = world.shown("a", "HealthCheckSucceeded");
    world.workload_clusters.put_node(kTheCluster, builders::a_node("a"));
    world.workload_clusters.set_reach(kTheCluster, {});
    world.settle(10s);

    EXPECT_EQ(in_doubt, "absent");
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

TEST(Turns, JudgeNobodyWhileTheClusterIsOutOfReach) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.make_machine("a");
    world.start();
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "absent");

    world.make_node(builders::a_node("a"));
    world.connect();
    world.settle();

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

TEST(Turns, AreWokenWhenTheControlPlaneComesUp) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster(false);
    world.make_check(a_check());
    world.make_machine("a");
    world.make_node(builders::a_node("a"));
    world.connect();
    world.start();
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "absent");

    auto cluster = world.read<api::Cluster>("c1");
    api::conditions::set(cluster.status.conditions,
                         api::conditions::make("ControlPlaneInitialized", "True", "Initialized"), 1,
                         world.ago(0s));
    world.patch(kube::resource_of<api::Cluster>(), "c1",
                {{"status", {{"conditions", api::to_json(cluster).at("status").at("conditions")}}}},
                "status");
    world.settle();

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

// No Node is looked at before: as Cluster API's, which counts even a Node that is there as one that never
// came.
TEST(Turns, BeforeTheControlPlaneIsUpItsMachineWithANodeIsJudgedByTheStartupTimeout) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster(false);
    world.make_check(a_check());
    world.make_machine("worker");
    world.put(a_worker("cp").control_plane().on_node("cp").build());
    for (const auto* name : {"worker", "cp"}) world.make_node(builders::a_node(name));
    world.connect();
    world.start();

    world.settle(9min);
    EXPECT_EQ(world.shown("cp", "OwnerRemediated"), "absent");
    world.settle(2min);

    EXPECT_EQ(world.shown("cp", "HealthCheckSucceeded"), "False NodeStartupTimeout");
    EXPECT_EQ(world.shown("cp", "OwnerRemediated"), "False WaitingForRemediation");
    EXPECT_EQ(world.shown("worker", "HealthCheckSucceeded"), "absent");
  });
}

TEST(Turns, ADeletedNodeMakesItsMachineSick) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.make_machine("a");
    world.make_node(builders::a_node("a"));
    world.connect();
    world.start();

    ASSERT_TRUE(world.workload.remove(kube::resources::nodes(), {.namespace_ = {}, .name = "a"}, {},
                                      Deadline::never()));
    world.workload_clusters.remove_node(kTheCluster, "a");
    world.settle();

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False NodeDeleted");
  });
}

TEST(Turns, ANodeThatOnlyTheCacheLacksIsNotMissed) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.make_machine("a");
    world.make_node(builders::a_node("a"));
    world.connect();
    world.start();

    world.workload_clusters.remove_node(kTheCluster, "a");
    world.settle();

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

TEST(Turns, HoldBackWhenTooManyAreSick) {
  in_world([](HealthCheckFixture& world) {
    auto check = a_check();
    check.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to = IntOrString("40%"_text);
    world.make_cluster();
    world.make_check(check);
    for (const auto* name : {"a", "b", "c"}) world.make_machine(name);
    for (const auto* name : {"b", "c"}) world.make_node(builders::a_node(name));
    world.connect();
    world.start();
    EXPECT_EQ(world.shown("a", "OwnerRemediated"), "False WaitingForRemediation");

    world.patch(kMachines, "b",
                {{"metadata", {{"annotations", {{"cluster.x-k8s.io/remediate-machine", ""}}}}}});
    world.settle();

    EXPECT_EQ(world.shown("b", "HealthCheckSucceeded"), "False HasRemediateAnnotation");
    EXPECT_EQ(world.shown("b", "OwnerRemediated"), "absent");
    EXPECT_EQ(world.read<api::MachineHealthCheck>("mhc").status.remediations_allowed, 0);
    EXPECT_THAT(world.events.events, Contains(HasSubstr("Warning RemediationRestricted")));
  });
}

TEST(Turns, AMachineThatCanNotBeMarkedDoesNotDelayTheDeadlinesOfOthers) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(watching("Ready", "False", 1800));
    world.make_machine("a");
    world.make_machine("b");
    world.make_node(builders::a_node("b").condition("Ready", "False", "", world.ago(0s)));
    const Time sick_from = world.ago(0s);
    world.connect();
    world.client.refuse("patch machines/status a", {.code = Code::Forbidden, .message = "a policy says no"});
    world.start();

    world.settle(sick_from.wall() + 1800s - world.baton.now() + 2s);

    EXPECT_EQ(world.shown("b", "HealthCheckSucceeded"), "False UnhealthyNode");
  });
}

// The Node of a is under pressure, which only the second check minds.
api::MachineHealthCheck minding_pressure(std::string_view name) {
  auto check = watching("DiskPressure", "True", 60);
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, name);
  check.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to = IntOrString(0);
  return check;
}
void make_machine_under_pressure(HealthCheckFixture& world) {
  world.make_cluster();
  world.make_machine("a");
  world.make_node(builders::a_node("a").condition("DiskPressure", "True", "", world.ago(10min)));
  world.connect();
}

TEST(Overlap, ChecksThatDisagreeDoNotWriteOverEachOther) {
  in_world([](HealthCheckFixture& world) {
    make_machine_under_pressure(world);
    world.make_check(watching("Ready", "False", 300));
    world.make_check(minding_pressure("other"));
    world.start();
    world.settle(10s);
    (void)world.requests();

    world.settle(10min);

    EXPECT_THAT(world.requests(), IsEmpty());
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False UnhealthyNode");
  });
}

TEST(Overlap, ChecksThatAgreeForOtherReasonsDoNotWriteOverEachOther) {
  in_world([](HealthCheckFixture& world) {
    make_machine_under_pressure(world);
    auto check = watching("DiskPressure", "True", 120);
    check.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to = IntOrString(0);
    world.make_check(check);
    world.make_check(minding_pressure("other"));
    world.start();
    world.settle(10s);
    (void)world.requests();

    world.settle(10min);

    EXPECT_THAT(world.requests(), IsEmpty());
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False UnhealthyNode");
  });
}

TEST(Overlap, AMachineIsWellAgainWhenTheCheckThatMindedIsGone) {
  in_world([](HealthCheckFixture& world) {
    make_machine_under_pressure(world);
    world.make_check(watching("Ready", "False", 300));
    world.make_check(minding_pressure("other"));
    world.start();
    world.settle(10s);

    world.remove(kChecks, "other");
    world.settle(10s);

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

// Its owner may have deferred it: without the mark it never comes back to it.
TEST(Turns, AMachineThatAUserExemptsAfterItWasMarkedIsTakenBackFromItsOwner) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.make_machine("a");
    world.connect();
    world.start();
    ASSERT_EQ(world.shown("a", "OwnerRemediated"), "False WaitingForRemediation");

    world.patch(kMachines, "a",
                {{"metadata", {{"annotations", {{"cluster.x-k8s.io/skip-remediation", ""}}}}}});
    world.settle();
    const auto exempt = world.shown("a", "OwnerRemediated");
    (void)world.requests();
    world.settle(10min);

    EXPECT_EQ(exempt, "absent");
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

// Nothing is left behind to clean up: what the check has found out stays on the Machines, as upstream's does.
TEST(Turns, ADeletedCheckGoesAtOnceAndLeavesItsMarks) {
  in_world([](HealthCheckFixture& world) {
    world.make_cluster();
    world.make_check(a_check());
    world.make_machine("a");
    world.make_machine("b");
    world.make_node(builders::a_node("b"));
    world.connect();
    world.start();
    const bool has_finalizers = world.read(kChecks, "mhc").at("metadata").as_object().contains("finalizers");
    (void)world.requests();

    world.remove(kChecks, "mhc");
    const bool gone = !world.exists(kChecks, "mhc");
    world.workload_clusters.remove_node(kTheCluster, "b");
    world.settle(10min);

    EXPECT_FALSE(has_finalizers);
    EXPECT_TRUE(gone);
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False NodeDeleted");
    EXPECT_EQ(world.shown("a", "OwnerRemediated"), "False WaitingForRemediation");
    EXPECT_EQ(world.shown("b", "HealthCheckSucceeded"), "True HealthCheckSucceeded")
        << "nobody looks any more";
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

// --- restarts ---

// Four Machines of one set, whose Nodes fell silent together; a policy holds their remediation.
const std::vector<std::string_view> kFour = {"a", "b", "c", "d"};
Time make_four_silent_machines(HealthCheckFixture& world) {
  world.make_cluster();
  world.make_check(watching("Ready", "Unknown", 300));
  world.make(kube::resource_of<api::MachineSet>(), api::to_json(builders::a_machine_set("ms1").build()));
  world.make(kube::resource_of<api::MachineLifecyclePolicy>(),
             api::to_json(builders::a_policy().selecting_everything().shared_cause().build()));
  const auto set = world.read<api::MachineSet>("ms1");
  for (const auto name : kFour) {
    api::Machine machine = a_worker(name).in_set("ms1").on_node(name);
    auto owners = *machine.metadata.owner_references;
    owners.front().uid = set.metadata.uid;
    machine.metadata.owner_references = api::OwnerReferences(std::move(owners));
    world.put(machine);
    world.make_node_on_server(name);
  }
  return world.ago(0s);
}

std::unique_ptr<ControllerRun<Reconciler>> a_run(HealthCheckFixture& world, Time silent_since) {
  auto run = std::make_unique<ControllerRun<Reconciler>>(
      world, ControllerRunOptions{.name = "machinehealthcheck", .kind = "MachineHealthCheck", .pace = 100ms});
  for (const auto name : kFour)
    run->workload_clusters.put_node(kTheCluster,
                                    builders::a_node(name).condition("Ready", "Unknown", "", silent_since));
  run->workload_clusters.connect(kTheCluster, &world.workload);
  run->start();
  return run;
}

json::value status_of_check(HealthCheckFixture& world) { return world.read(kChecks, "mhc").at("status"); }

TEST(Restart, WhileRemediationIsOnHoldComesToTheSameVerdictAndWritesNothing) {
  in_world([](HealthCheckFixture& world) {
    const Time silent_since = make_four_silent_machines(world);
    auto first = a_run(world, silent_since);
    world.settle(6min);
    const auto before = status_of_check(world);
    first.reset();

    const auto second = a_run(world, silent_since);
    world.settle(30min);
    const auto after = status_of_check(world);
    const auto asked = second->requests();
    std::vector<std::string> handed_over;
    for (const auto name : kFour) handed_over.push_back(world.shown(name, "OwnerRemediated"));
    world.remove(kube::resource_of<api::MachineLifecyclePolicy>(), "p");
    world.settle(10s);

    EXPECT_THAT(json::serialize(before), HasSubstr("4 of 4 targets of Cluster c1 turned unhealthy within"));
    EXPECT_EQ(after, before);
    EXPECT_THAT(asked, IsEmpty());
    EXPECT_THAT(handed_over, testing::Each("absent"));
    EXPECT_EQ(world.shown("a", "OwnerRemediated"), "False WaitingForRemediation")
        << "only the policy held them";
  });
}

api::MachineHealthCheck external_check() {
  auto check = a_check();
  check.spec.remediation.template_ref = api::RemediationTemplateRef{
      .api_version = Text(kTemplates.api_version()), .kind = Text(kTemplates.kind), .name = "t"_text};
  return check;
}

void make_template(HealthCheckFixture& world) {
  world.put_provider(kTemplates, "t", {{"spec", {{"template", {{"spec", {{"strategy", "reboot"}}}}}}}});
}

// a and b lost their Nodes, c is well.
void make_two_sick_machines(HealthCheckFixture& world) {
  world.make_cluster();
  world.make_check(external_check());
  for (const auto* name : {"a", "b", "c"}) world.make_machine(name);
  world.make_node(builders::a_node("c"));
  world.connect();
}

TEST(External, SickMachinesAreAskedFor) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    world.start();

    const auto request = world.read(kRequests, "a");
    EXPECT_EQ(request.at("spec").at("strategy").as_string(), "reboot");
    const auto& metadata = request.at("metadata");
    EXPECT_EQ(metadata.at("labels").at("cluster.x-k8s.io/cluster-name").as_string(), "c1");
    EXPECT_EQ(metadata.at("annotations").at("cluster.x-k8s.io/cloned-from-name").as_string(), "t");
    const auto& owner = metadata.at("ownerReferences").at(0).as_object();
    EXPECT_EQ(owner.at("kind").as_string(), "Machine");
    EXPECT_EQ(owner.at("name").as_string(), "a");
    EXPECT_FALSE(owner.contains("controller"));
    EXPECT_EQ(world.shown("a", "ExternallyRemediated"), "False WaitingForRemediation");
    EXPECT_EQ(world.shown("a", "OwnerRemediated"), "absent");
  });
}

TEST(External, OneThatIsAskedForDoesNotHideTheOthers) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    world.put_provider(kRequests, "a");
    world.start();

    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False NodeDeleted");
    EXPECT_TRUE(world.exists(kRequests, "b"));
    EXPECT_EQ(world.shown("b", "HealthCheckSucceeded"), "False NodeDeleted");
  });
}

TEST(External, HealthyMachinesAreMarkedToo) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    world.start();

    EXPECT_EQ(world.shown("c", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
    EXPECT_FALSE(world.exists(kRequests, "c"));
  });
}

TEST(External, ARequestIsTakenBackWhenTheMachineIsWell) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    world.start();
    ASSERT_TRUE(world.exists(kRequests, "a"));

    world.make_node(builders::a_node("a"));
    world.settle();

    EXPECT_FALSE(world.exists(kRequests, "a"));
    EXPECT_TRUE(world.exists(kRequests, "b"));
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

// Its kind keeps no contract, so no informer watches it: only the mark tells of a request to take back.
TEST(External, ARequestThatCouldNotBeTakenBackIsTriedAgainBeforeTheMachineCountsAsWell) {
  in_world([](HealthCheckFixture& world) {
    world.patch(kCrds, kRequests.plural + "." + kRequests.group,
                {{"metadata", {{"labels", {{"cluster.x-k8s.io/v1beta2", nullptr}}}}}});
    make_template(world);
    make_two_sick_machines(world);
    world.start();
    ASSERT_TRUE(world.exists(kRequests, "a"));

    world.client.refuse("delete boxremediations a", {.code = Code::Unavailable, .message = "not now"});
    world.make_node(builders::a_node("a"));
    world.settle(10s);
    const auto meanwhile = world.shown("a", "HealthCheckSucceeded");
    world.client.allow();
    world.settle(1min);

    EXPECT_EQ(meanwhile, "False NodeDeleted");
    EXPECT_FALSE(world.exists(kRequests, "a")) << "a healthy Machine would be repaired";
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  });
}

TEST(External, ARequestThatNobodyToldOfIsNoLongerSaidToLackItsTemplate) {
  in_world([](HealthCheckFixture& world) {
    make_two_sick_machines(world);
    world.start();
    ASSERT_EQ(world.shown("a", "ExternallyRemediated"), "False RemediationTemplateNotFound");

    // It dies between the request and the patch of its Machine.
    world.client.refuse("patch machines/status a", {.code = Code::Unavailable, .message = "killed"});
    make_template(world);
    world.settle(31s);
    ASSERT_TRUE(world.exists(kRequests, "a"));
    world.client.allow();
    world.settle(1min);

    EXPECT_EQ(world.shown("a", "ExternallyRemediated"), "False WaitingForRemediation");
  });
}

TEST(External, ARequestForAnEarlierMachineOfThatNameIsWaitedOut) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    const json::object earlier = {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                  {"kind", "Machine"},
                                  {"name", "a"},
                                  {"uid", "00000000-0000-0000-0000-00000000dead"}};
    make_two_sick_machines(world);
    world.put_provider(kRequests, "a");
    world.patch(kRequests, "a", {{"metadata", {{"ownerReferences", json::array{earlier}}}}});
    world.start();

    world.remove(kRequests, "a");  // by the garbage collector
    world.settle(31s);

    ASSERT_TRUE(world.exists(kRequests, "a"));
    const auto request = world.read(kRequests, "a");
    EXPECT_NE(request.at("metadata").at("ownerReferences").at(0).at("uid"), earlier.at("uid"));
  });
}

TEST(External, RequestsOfStrangersStay) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    world.put_provider(kRequests, "c");
    world.start();

    EXPECT_TRUE(world.exists(kRequests, "c"));
  });
}

TEST(External, AMissingTemplateIsToldOnMachineAndCheck) {
  in_world([](HealthCheckFixture& world) {
    make_two_sick_machines(world);
    world.start();
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False NodeDeleted");
    EXPECT_EQ(world.shown("a", "ExternallyRemediated"), "False RemediationTemplateNotFound");
    EXPECT_EQ(world.shown("b", "ExternallyRemediated"), "False RemediationTemplateNotFound");

    make_template(world);
    world.settle(31s);

    EXPECT_EQ(world.shown("a", "ExternallyRemediated"), "False WaitingForRemediation");
    EXPECT_TRUE(world.exists(kRequests, "b"));
  });
}

// A plausible misreading of templateRef: the kind that Machines themselves are made from.
api::MachineHealthCheck check_with_machine_template() {
  auto check = external_check();
  check.spec.remediation.template_ref->kind = Text(kInfraTemplates.kind);
  return check;
}

// A Machine's own infrastructure object: of the kind of its reference, of its name, owned by it.
void make_infrastructure_of(HealthCheckFixture& world, std::string_view name, bool controlled) {
  const auto machine = world.read<api::Machine>(name);
  world.put_provider(kInfraMachines, name);
  const json::object owner = {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                              {"kind", "Machine"},
                              {"name", name},
                              {"uid", machine.metadata.uid.str()},
                              {"controller", controlled}};
  world.patch(kInfraMachines, name, {{"metadata", {{"ownerReferences", json::array{owner}}}}});
}

TEST(External, ATemplateOfTheKindThatMachinesAreMadeFromIsRefusedAndDeletesNoInfrastructure) {
  in_world([](HealthCheckFixture& world) {
    world.make(kCrds, provider_crd(kInfraMachines));
    world.make(kCrds, provider_crd(kInfraTemplates));
    world.make_cluster();
    for (const auto* name : {"a", "b", "c"}) {
      world.make_machine(name);
      make_infrastructure_of(world, name, std::string_view(name) != "b");
    }
    world.make_node(builders::a_node("b"));
    world.make_node(builders::a_node("c"));  // a is sick
    world.make_check(check_with_machine_template());
    world.connect();

    world.start();
    world.settle(10s);

    for (const auto* name : {"a", "b", "c"}) EXPECT_TRUE(world.exists(kInfraMachines, name)) << name;
    EXPECT_EQ(world.shown("a", "HealthCheckSucceeded"), "False NodeDeleted");
    EXPECT_EQ(world.shown("a", "ExternallyRemediated"), "absent");
    EXPECT_EQ(world.shown("a", "OwnerRemediated"), "absent");
    const auto check = world.read<api::MachineHealthCheck>("mhc");
    const auto told = api::conditions::find(check.status.conditions, "RemediationAllowed");
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->status, "False");
    EXPECT_EQ(told->reason, "RemediationTemplateRefused");
    EXPECT_THAT(told->message.str(), HasSubstr("name the template of a remediation provider"));
    EXPECT_THAT(world.events.events,
                Contains(HasSubstr("RemediationRestricted: spec.remediation.templateRef")));
    (void)world.requests();
    world.settle(10min);
    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

// Its Machines stand on another kind by now, but what an earlier rollout made is still there.
TEST(External, OnlyWhatWasMadeFromTheTemplateIsTakenBack) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    const auto machine = world.read<api::Machine>("c");
    const json::object owner = {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                {"kind", "Machine"},
                                {"name", "c"},
                                {"uid", machine.metadata.uid.str()}};
    world.put_provider(kRequests, "c");
    world.patch(kRequests, "c", {{"metadata", {{"ownerReferences", json::array{owner}}}}});

    world.start();
    world.settle(1min);

    EXPECT_TRUE(world.exists(kRequests, "c")) << "no check made it";
  });
}

TEST(Turns, ACheckWhoseClusterDoesNotExistSaysSoAtOnce) {
  in_world([](HealthCheckFixture& world) {
    world.make_check(a_check());
    world.start();

    const auto check = world.read<api::MachineHealthCheck>("mhc");
    const auto told = api::conditions::find(check.status.conditions, "RemediationAllowed");
    ASSERT_NE(told, nullptr);
    EXPECT_EQ(told->status, "Unknown");
    EXPECT_EQ(told->reason, "ClusterNotFound");
    EXPECT_THAT(told->message.str(), HasSubstr("spec.clusterName: Cluster c1 does not exist"));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("Cluster c1 does not exist")));
    (void)world.requests();
    world.settle(10min);
    EXPECT_THAT(world.requests(), IsEmpty());
    world.make_cluster(false);
    world.settle(2s);
    EXPECT_EQ(api::conditions::find(world.read<api::MachineHealthCheck>("mhc").status.conditions,
                                    "RemediationAllowed")
                  ->status,
              "True");
  });
}

TEST(External, CostsNothingOnceEverythingIsAskedFor) {
  in_world([](HealthCheckFixture& world) {
    make_template(world);
    make_two_sick_machines(world);
    world.start();
    (void)world.requests();

    world.settle(10min);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
