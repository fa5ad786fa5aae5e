#include "controllers/safety/see_deletion_rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/shared/caches.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::safety {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::kNamespace;
using builders::MachineBuilder;
using testing::SizeIs;

builders::MachineLifecyclePolicyBuilder guarding(std::string_view name, std::int32_t percent) {
  return builders::a_policy(name).selecting("team", "a").with([&](api::MachineLifecyclePolicy& policy) {
    policy.spec.deletion_guard = api::PolicyDeletionGuard{.percent = percent};
  });
}

api::MachinePool a_pool(std::string_view name) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, name);
  pool.metadata.labels.set("team", "a");
  return pool;
}

builders::FleetPolicyBuilder fleet_with_a_window() {
  return builders::a_fleet_policy().with([](api::FleetPolicy& policy) {
    policy.spec.windows.push_back({.cron = "0 2 * * *"_text, .duration_seconds = 3600});
  });
}

// MachineSets web and api (by the labels of its MachineDeployment) and pool batch are of team a; MachineSet
// other is not.
class RulesOfTeamA : public testing::Test {
 protected:
  RulesOfTeamA() {
    caches.machine_sets.apply(a_machine_set("web").labelled("team", "a").build());
    caches.machine_deployments.apply(a_machine_deployment("api").labelled("team", "a").build());
    caches.machine_sets.apply(a_machine_set("api-1").in_deployment("api").build());
    caches.machine_pools.apply(a_pool("batch"));
    caches.machine_sets.apply(a_machine_set("other").labelled("team", "b").build());
  }

  void put(const MachineBuilder& machine) { caches.machines.apply(machine.build()); }
  void machines(std::string_view set, int number) {
    for (int at = 0; at < number; ++at) put(a_machine(fmt::format("{}-{}", set, at)).in_set(set));
  }
  DeletionRules rules() const {
    return see_deletion_rules(caches, policy_for(caches, *caches.machine_sets.get(key("web"))));
  }
  std::optional<std::size_t> governed() const {
    DeletionRules counted = rules();
    count_governed(caches, kNamespace, counted);
    return counted.governed;
  }
  static kube::ObjectKey key(std::string_view name) {
    return {.namespace_ = std::string(kNamespace), .name = std::string(name)};
  }

  Caches caches;
};

TEST_F(RulesOfTeamA, GovernTheMachinesOfAllItsSetsAndPools) {
  caches.machine_lifecycle_policies.apply(guarding("care", 20).build());
  machines("web", 2);
  machines("api-1", 3);
  machines("other", 4);
  put(a_machine("box").in_pool("batch"));

  EXPECT_EQ(governed(), 6U);
}

TEST_F(RulesOfTeamA, GovernNoMachineThatIsOnItsWayOut) {
  caches.machine_lifecycle_policies.apply(guarding("care", 20).build());
  machines("web", 2);
  put(a_machine("leaving").in_set("web").deleting());
  put(a_machine("box").in_pool("batch").deleting());

  EXPECT_EQ(governed(), 2U);
}

TEST_F(RulesOfTeamA, OfPoliciesThatConflictAreThoseOfTheStrictestGuard) {
  caches.machine_lifecycle_policies.apply(guarding("care", 50).build());
  caches.machine_lifecycle_policies.apply(guarding("strict", 10).build());
  machines("web", 2);
  machines("api-1", 3);

  EXPECT_EQ(rules().policy, "strict");
  EXPECT_EQ(rules().guard_percent, 10);
  EXPECT_EQ(governed(), 5U) << "both select them";
}

TEST_F(RulesOfTeamA, GovernNothingWhenThePolicyIsGone) {
  machines("web", 2);
  DeletionRules left{.policy = "gone"};

  count_governed(caches, kNamespace, left);

  EXPECT_EQ(left.governed, 0U);
}

TEST_F(RulesOfTeamA, HaveTheWindowsOfTheFleetPolicyWithoutAnyOther) {
  EXPECT_FALSE(rules().are_there());

  caches.fleet_policies.apply(fleet_with_a_window().build());

  EXPECT_THAT(rules().fleet_windows.list, SizeIs(1));
  EXPECT_EQ(rules().fleet_windows.of, "FleetPolicy fleet");
  EXPECT_TRUE(rules().are_there());
}

TEST_F(RulesOfTeamA, HaveNoWindowsOfAFleetPolicyThatGoes) {
  caches.fleet_policies.apply(fleet_with_a_window().deleting().build());

  EXPECT_FALSE(rules().are_there());
}

}  // namespace
}  // namespace capstan::controllers::safety
