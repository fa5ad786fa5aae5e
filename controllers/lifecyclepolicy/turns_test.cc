#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecyclepolicy/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "runtime/ownership.h"
#include "test/builders/identity.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::a_policy;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

const kube::Resource kPolicies = kube::resource_of<api::MachineLifecyclePolicy>();

class LifecyclePolicyFixture : public ControllerFixture<Reconciler> {
 public:
  explicit LifecyclePolicyFixture(fakes::Baton& with)
      : ControllerFixture(
            with, {.name = "machinelifecyclepolicy", .kind = "MachineLifecyclePolicy", .pace = 100ms}) {}

  void make_policy(const api::MachineLifecyclePolicy& policy) { make(kPolicies, api::to_json(policy)); }
  template <typename T>
  void make_object(const T& object) {
    make(kube::resource_of<T>(), api::to_json(object));
  }
  std::string shown(std::string_view policy, std::string_view type) {
    const auto found = read<api::MachineLifecyclePolicy>(policy);
    const auto condition = api::conditions::find(found.status.conditions, type);
    if (condition == nullptr) return "absent";
    return condition->status.str() + " " + condition->reason.str() + ": " + condition->message.str();
  }
};

void in_world(const std::function<void(LifecyclePolicyFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    LifecyclePolicyFixture world(baton);
    body(world);
  });
}

TEST(PolicyTurns, SayWhatThePolicySelects) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.make_object(a_machine_deployment("web").labelled("team", "a").build());
    world.make_object(a_machine_set("db").labelled("team", "b").build());
    world.start();

    EXPECT_EQ(world.shown("p", "Selecting"), "True Selected: ");
    EXPECT_EQ(world.shown("p", "Conflicting"), "False NotConflicting: ");
    EXPECT_EQ(world.read<api::MachineLifecyclePolicy>("p").status.selected.machine_deployments, 1);
    EXPECT_EQ(world.read<api::MachineLifecyclePolicy>("p").status.selected.machine_sets, 0);
    EXPECT_THAT(world.requests(), ElementsAre("patch machinelifecyclepolicies/status p"));
  });
}

TEST(PolicyTurns, SelectAMachineDeploymentByTheLabelsOfItsTemplate) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.make_object(a_machine_deployment("web").template_label("team", "a").build());
    world.start();

    EXPECT_EQ(world.read<api::MachineLifecyclePolicy>("p").status.selected.machine_deployments, 1);
  });
}

TEST(PolicyTurns, NameWhatIsFrozenAndSaySoWhenNothingIs) {
  in_world([](LifecyclePolicyFixture& world) {
    const auto show = [&](std::string_view status) {
      const json::value frozen = {{"type", api::policy::condition::kFrozen},
                                  {"status", status},
                                  {"reason", "FrozenByAnnotation"},
                                  {"message", ""},
                                  {"lastTransitionTime", "2026-01-01T12:00:00Z"}};
      world.patch(kube::resource_of<api::MachineSet>(), "db",
                  {{"status", {{"conditions", json::array{frozen}}}}}, "status");
      world.settle();
    };
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.make_object(a_machine_set("db").labelled("team", "a").build());
    world.start();
    EXPECT_EQ(world.shown("p", "Frozen"), "absent");

    show("True");
    EXPECT_THAT(world.shown("p", "Frozen"), HasSubstr("True Frozen: MachineSet db"));

    show("False");
    EXPECT_EQ(world.shown("p", "Frozen"), "False NotFrozen: ");
  });
}

TEST(PolicyTurns, SayThatItSelectsNothing) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.start();

    EXPECT_THAT(world.shown("p", "Selecting"), HasSubstr("False NothingSelected: spec.selector matches no"));
  });
}

TEST(PolicyTurns, SayWhichWindowsNeverOpen) {
  const auto windowed = [](std::string_view cron, std::string_view zone) {
    return a_policy("p").selecting("team", "a").with([&](api::MachineLifecyclePolicy& policy) {
      policy.spec.windows.push_back({.cron = Text(cron), .duration_seconds = 600, .time_zone = Text(zone)});
    });
  };
  in_world([&](LifecyclePolicyFixture& world) {
    world.make_policy(windowed("0 2 * * *", "Europe/Berlino"));
    world.make_object(a_machine_deployment("web").labelled("team", "a").build());
    world.start();

    EXPECT_THAT(world.shown("p", "WindowsUnderstood"),
                HasSubstr("spec.windows[0].timeZone: there is no time zone \"Europe/Berlino\""));
    EXPECT_EQ(world.shown("p", "Selecting"), "True Selected: ");
  });
  in_world([&](LifecyclePolicyFixture& world) {
    world.make_policy(windowed("0 2 * * *", "Europe/Berlin"));
    world.start();

    EXPECT_EQ(world.shown("p", "WindowsUnderstood"), "True Understood: ");
  });
  in_world([&](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.start();

    EXPECT_EQ(world.shown("p", "WindowsUnderstood"), "absent");
  });
}

TEST(PolicyTurns, FollowTheLabelsOfWhatTheySelect) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.make_object(a_machine_deployment("web").build());
    world.start();
    ASSERT_THAT(world.shown("p", "Selecting"), HasSubstr("NothingSelected"));

    world.patch(kube::resource_of<api::MachineDeployment>(), "web",
                {{"metadata", {{"labels", {{"team", "a"}}}}}});
    world.settle();

    EXPECT_EQ(world.shown("p", "Selecting"), "True Selected: ");
  });
}

TEST(PolicyTurns, TwoPoliciesInEachOthersWayBothSaySoUntilOneGoes) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.make_object(a_machine_deployment("web").labelled("team", "a").build());
    world.start();
    world.make_policy(a_policy("q").selecting_everything());
    world.settle();
    EXPECT_THAT(
        world.shown("p", "Conflicting"),
        HasSubstr("True Conflicting: MachineDeployment web also selected by MachineLifecyclePolicy q"));
    EXPECT_THAT(world.shown("q", "Conflicting"), HasSubstr("also selected by MachineLifecyclePolicy p"));

    world.remove(kPolicies, "q");
    world.settle();

    EXPECT_EQ(world.shown("p", "Conflicting"), "False NotConflicting: ");
  });
}

TEST(PolicyTurns, SayWhyASelectorSelectsNothing) {
  in_world([](LifecyclePolicyFixture& world) {
    auto policy = a_policy("p").build();
    policy.spec.selector.match_expressions.push_back({.key = "team"_text, .operator_ = "Near"_text});
    world.make_policy(policy);
    world.start();

    EXPECT_THAT(world.shown("p", "Selecting"), HasSubstr("False InvalidSelector: spec.selector"));
  });
}

TEST(PolicyTurns, CostNothingOnceEverythingIsSaid) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting_everything());
    world.make_object(a_machine_deployment("web").build());
    world.start();
    (void)world.requests();

    world.settle(1h);

    EXPECT_THAT(world.requests(), IsEmpty());
  });
}

// --- Machines that come and go ---

void make_running(LifecyclePolicyFixture& world, std::string_view set, std::string_view machine) {
  api::Machine made = a_machine(machine).running().condition("capstan.dev/Lifecycle", "True", "Running");
  made.metadata.finalizers = api::Finalizers(std::vector<Text>{"cluster.x-k8s.io/machine"_text});
  const auto owner = world.read<api::MachineSet>(set);
  made.metadata.owner_references = api::OwnerReferences(std::vector<api::OwnerReference>{
      runtime::controller_reference(kube::resource_of<api::MachineSet>(), owner.metadata)});
  world.put(made);
}

TEST(PolicyTurns, CountHealthyMachinesThatAreDeletedTogetherWhateverIsPreserved) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").preservation({.auto_max = 1}));
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();
    for (const auto* name : {"m1", "m2", "m3"}) make_running(world, "web", name);
    world.settle(1h);
    (void)world.requests();

    for (const auto* name : {"m1", "m2", "m3"}) {
      world.remove(kube::resource_of<api::Machine>(), name);
      world.settle(1s);
    }
    EXPECT_THAT(world.requests(), IsEmpty());
    world.settle(20s);

    EXPECT_THAT(world.requests(), ElementsAre("patch machinelifecyclepolicies/status p"));
  });
}

// --- failed Machines that are preserved ---

void make_failed(LifecyclePolicyFixture& world, std::string_view set, std::string_view machine) {
  api::Machine made = a_machine(machine).running().condition("capstan.dev/Lifecycle", "False", "Failed");
  const auto owner = world.read<api::MachineSet>(set);
  made.metadata.owner_references = api::OwnerReferences(std::vector<api::OwnerReference>{
      runtime::controller_reference(kube::resource_of<api::MachineSet>(), owner.metadata)});
  world.put(made);
}

std::string mark_of(LifecyclePolicyFixture& world, std::string_view machine) {
  return std::string(
      world.read<api::Machine>(machine).metadata.annotations.value_or_empty("capstan.dev/auto-preserved"));
}

TEST(PolicyTurns, MarkAFailedMachineAtOnceAndNameThePolicyOnIt) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").preservation({.auto_max = 1}));
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();

    make_failed(world, "web", "m1");
    world.settle(1s);

    EXPECT_EQ(mark_of(world, "m1"), "p");
  });
}

TEST(PolicyTurns, SayWhatThereIsThoughAMachineCanNotBeMarked) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").preservation({.auto_max = 1}));
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();
    world.client.refuse("patch machines m1", {.code = Code::Forbidden, .message = "no right"});

    make_failed(world, "web", "m1");
    world.settle(20s);

    EXPECT_EQ(mark_of(world, "m1"), "");
    EXPECT_THAT(world.read<api::MachineLifecyclePolicy>("p").status.lifecycle->failed_machines,
                ElementsAre("m1"_text));
  });
}

TEST(PolicyTurns, ReleaseWhatIsTooManyWhenTheLimitIsLowered) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").preservation({.auto_max = 1}));
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();
    make_failed(world, "web", "m1");
    world.settle();
    ASSERT_EQ(mark_of(world, "m1"), "p");

    world.patch(kPolicies, "p", {{"spec", {{"preservation", {{"autoMax", 0}}}}}});
    world.settle();

    EXPECT_EQ(mark_of(world, "m1"), "");
  });
}

TEST(PolicyTurns, MarkNoMachineOfWhatAnotherPolicySelectsToo) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").preservation({.auto_max = 1}));
    world.make_policy(a_policy("q").selecting_everything().preservation({.auto_max = 1}));
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();

    make_failed(world, "web", "m1");
    world.settle();

    EXPECT_EQ(mark_of(world, "m1"), "");
  });
}

TEST(PolicyTurns, NameTwentyFailedMachinesAndCountThemAll) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").node_checks());
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();

    for (int number = 10; number < 35; ++number) make_failed(world, "web", fmt::format("m{}", number));
    world.settle(20s);

    const auto shown = world.read<api::MachineLifecyclePolicy>("p").status.lifecycle;
    EXPECT_EQ(shown->machines.failed, 25);
    ASSERT_EQ(shown->failed_machines.size(), 20U);
    EXPECT_EQ(shown->failed_machines.begin()->view(), "m10");
    EXPECT_EQ((shown->failed_machines.end() - 1)->view(), "m29");
  });
}

TEST(PolicyTurns, NameThePreservedMachines) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").preservation());
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();
    make_failed(world, "web", "m1");

    world.patch(kube::resource_of<api::Machine>(), "m1",
                {{"metadata", {{"annotations", {{"capstan.dev/preserve-until", "2040-01-01T00:00:00Z"}}}}}});
    world.settle(20s);

    EXPECT_THAT(world.read<api::MachineLifecyclePolicy>("p").status.lifecycle->preserved_machines,
                ElementsAre("m1"_text));
  });
}

// --- a health check of the same Machines ---

api::MachineHealthCheck check_of_workers(std::string_view condition) {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, "mhc");
  check.spec.cluster_name = Text(builders::kCluster);
  check.spec.selector.match_labels.set("role", "worker");
  check.spec.checks.unhealthy_node_conditions.push_back({.type = Text(condition), .status = "False"_text});
  return check;
}

void make_worker(LifecyclePolicyFixture& world) {
  make_failed(world, "web", "m1");
  world.patch(kube::resource_of<api::Machine>(), "m1", {{"metadata", {{"labels", {{"role", "worker"}}}}}});
}

TEST(HealthCheckOverlap, IsSaidWhileACheckLooksAtNodesOfTheSameMachines) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").node_checks());
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();
    make_worker(world);
    world.settle(20s);
    ASSERT_EQ(world.shown("p", "HealthCheckOverlap"), "False NotOverlapping: ");

    world.make_object(check_of_workers("Ready"));
    world.settle(20s);

    EXPECT_THAT(world.shown("p", "HealthCheckOverlap"),
                HasSubstr("True Overlapping: MachineHealthCheck mhc looks at Nodes of the same Machines"));

    world.remove(kube::resource_of<api::MachineHealthCheck>(), "mhc");
    world.settle(20s);
    EXPECT_EQ(world.shown("p", "HealthCheckOverlap"), "False NotOverlapping: ");
  });
}

TEST(HealthCheckOverlap, IsNoneForAPolicyThatLooksAtNoNodes) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a").scale_in());
    world.make_object(a_machine_set("web").labelled("team", "a").build());
    world.start();
    make_worker(world);
    world.make_object(check_of_workers("Ready"));
    world.settle(20s);

    EXPECT_EQ(world.shown("p", "HealthCheckOverlap"), "absent");
  });
}

}  // namespace
}  // namespace capstan::controllers::lifecyclepolicy
