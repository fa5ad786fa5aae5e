#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/lifecyclepolicy/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

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

TEST(PolicyTurns, SayThatItSelectsNothing) {
  in_world([](LifecyclePolicyFixture& world) {
    world.make_policy(a_policy("p").selecting("team", "a"));
    world.start();

    EXPECT_THAT(world.shown("p", "Selecting"), HasSubstr("False NothingSelected: spec.selector matches no"));
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

}  // namespace
}  // namespace capstan::controllers::lifecyclepolicy
