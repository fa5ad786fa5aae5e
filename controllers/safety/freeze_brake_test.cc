#include "controllers/safety/freeze_brake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/safety/deleted_for.h"
#include "test/builders/cluster.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::safety {
namespace {

using api::policy::annotation::kFreeze;
using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::kNamespace;
using builders::noon;
using runtime::Intent;
using testing::HasSubstr;

api::MachinePool a_pool() {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, "mp1");
  pool.spec.cluster_name = Text(builders::kCluster);
  return pool;
}

api::MachinePool a_frozen_pool() {
  api::MachinePool pool = a_pool();
  pool.metadata.annotations.set(kFreeze, "audit");
  return pool;
}

api::MachineHealthCheck a_check(std::string_view name, std::string_view cluster) {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, name);
  check.spec.cluster_name = Text(cluster);
  return check;
}

// As its controller shows it.
void show_frozen(api::MachinePool& pool, Time since) {
  api::conditions::set(pool.status.conditions,
                       api::conditions::make(api::policy::condition::kFrozen, api::status::kTrue,
                                             api::policy::reason::kFrozenByAnnotation),
                       1, since);
}

// Of Cluster c1, MachineDeployment md1, MachineSet ms1 and Machine m1, each below the one before.
class FreezeBrakes : public testing::Test {
 protected:
  // What a cache has already is replaced by a newer version alone.
  template <typename T>
  void apply(runtime::Store<T>& store, T object) {
    object.metadata.resource_version = api::ResourceVersion(++version);
    store.apply(std::move(object));
  }

  FreezeBrakes() {
    apply(caches.clusters, a_cluster("c1").build());
    apply(caches.machine_deployments, a_machine_deployment("md1").build());
    apply(caches.machine_sets, a_machine_set("ms1").in_deployment("md1").build());
    apply(caches.machines, a_machine("m1").in_set("ms1").build());
  }

  runtime::Verdict ask(Intent intent, std::string_view kind, std::string_view name) const {
    const kube::ObjectKey key{.namespace_ = std::string(kNamespace), .name = std::string(name)};
    return brake.ask(intent, {.kind = kind, .key = key});
  }
  bool set_is_open() const { return ask(Intent::CreateMachine, api::kind::kMachineSet, "ms1").open; }
  bool may_evict() const { return ask(Intent::Evict, api::kind::kMachine, "m1").open; }

  void freeze_deployment() {
    apply(caches.machine_deployments, a_machine_deployment("md1").annotated(kFreeze, "audit").build());
  }
  // As its controller shows it.
  void show_freeze_on_set(Time since, std::string_view reason = api::policy::reason::kFrozenByAnnotation) {
    auto set = a_machine_set("ms1").in_deployment("md1").build();
    api::conditions::set(set.status.conditions,
                         api::conditions::make(api::policy::condition::kFrozen, api::status::kTrue, reason),
                         1, since);
    apply(caches.machine_sets, set);
  }
  void delete_machine(Time since) {
    apply(caches.machines, a_machine("m1").in_set("ms1").deleting(since).build());
  }

  Caches caches;
  std::uint64_t version = 0;
  const FreezeBrake brake{caches};
};

TEST_F(FreezeBrakes, AreOpenWhereNothingIsFrozen) {
  EXPECT_TRUE(set_is_open());
  EXPECT_TRUE(may_evict());
  EXPECT_TRUE(ask(Intent::CreateMachine, api::kind::kMachineSet, "unknown").open);
}

TEST_F(FreezeBrakes, AFrozenDeploymentHoldsItsSetsWithTheReason) {
  freeze_deployment();

  EXPECT_FALSE(ask(Intent::RollOut, api::kind::kMachineDeployment, "md1").open);
  for (const auto intent : {Intent::CreateMachine, Intent::ScaleDown, Intent::Remediate})
    EXPECT_FALSE(ask(intent, api::kind::kMachineSet, "ms1").open);
  EXPECT_THAT(ask(Intent::ScaleDown, api::kind::kMachineSet, "ms1").why,
              HasSubstr("\"audit\" of MachineDeployment md1"));
}

TEST_F(FreezeBrakes, AFrozenSetHoldsNeitherItsDeploymentNorItsSiblings) {
  apply(caches.machine_sets, a_machine_set("ms1").in_deployment("md1").annotated(kFreeze, "audit").build());
  apply(caches.machine_sets, a_machine_set("ms2").in_deployment("md1").build());

  EXPECT_FALSE(set_is_open());
  EXPECT_TRUE(ask(Intent::CreateMachine, api::kind::kMachineSet, "ms2").open);
  EXPECT_TRUE(ask(Intent::RollOut, api::kind::kMachineDeployment, "md1").open);
}

TEST_F(FreezeBrakes, AFrozenClusterHoldsAllThatBelongsToIt) {
  apply(caches.clusters, a_cluster("c1").annotated(kFreeze, "audit").build());

  EXPECT_FALSE(set_is_open());
  EXPECT_FALSE(ask(Intent::RollOut, api::kind::kMachineDeployment, "md1").open);
}

// Its Cluster alone is asked: what it marks is held by its MachineSet, too.
TEST_F(FreezeBrakes, AFrozenClusterHoldsItsMachineHealthChecks) {
  apply(caches.clusters, a_cluster("c2").build());
  apply(caches.machine_health_checks, a_check("of-c1", "c1"));
  apply(caches.machine_health_checks, a_check("of-c2", "c2"));
  freeze_deployment();
  EXPECT_TRUE(ask(Intent::Remediate, api::kind::kMachineHealthCheck, "of-c1").open);

  apply(caches.clusters, a_cluster("c1").annotated(kFreeze, "audit").build());

  const auto verdict = ask(Intent::Remediate, api::kind::kMachineHealthCheck, "of-c1");
  EXPECT_FALSE(verdict.open);
  EXPECT_THAT(verdict.why, HasSubstr("\"audit\" of Cluster c1"));
  EXPECT_TRUE(ask(Intent::Remediate, api::kind::kMachineHealthCheck, "of-c2").open);
}

TEST_F(FreezeBrakes, AFrozenPoolHoldsItsInstancesAndTheDrainsOfItsMachines) {
  apply(caches.machine_pools, a_pool());
  apply(caches.machines, a_machine("box").in_pool("mp1").deleting().build());
  EXPECT_TRUE(ask(Intent::DeletePoolInstance, api::kind::kMachinePool, "mp1").open);
  EXPECT_TRUE(ask(Intent::Evict, api::kind::kMachine, "box").open);

  apply(caches.machine_pools, a_frozen_pool());

  for (const auto intent : {Intent::DeletePoolInstance, Intent::Remediate, Intent::ScaleDown})
    EXPECT_FALSE(ask(intent, api::kind::kMachinePool, "mp1").open);
  EXPECT_THAT(ask(Intent::DeletePoolInstance, api::kind::kMachinePool, "mp1").why,
              HasSubstr("\"audit\" of MachinePool mp1"));
  EXPECT_FALSE(ask(Intent::Evict, api::kind::kMachine, "box").open);
  EXPECT_TRUE(set_is_open());
}

TEST_F(FreezeBrakes, TheDrainOfAMachineOfAPoolThatWasDeletedWhileFrozenGoesOn) {
  auto pool = a_frozen_pool();
  show_frozen(pool, noon());
  apply(caches.machine_pools, std::move(pool));

  apply(caches.machines, a_machine("box").in_pool("mp1").deleting(noon() + Seconds(-5)).build());
  EXPECT_FALSE(ask(Intent::Evict, api::kind::kMachine, "box").open);

  apply(caches.machines, a_machine("box").in_pool("mp1").deleting(noon() + Seconds(5)).build());
  EXPECT_TRUE(ask(Intent::Evict, api::kind::kMachine, "box").open);
}

TEST_F(FreezeBrakes, TheDrainOfAMachineThatWasDeletedWhileFrozenGoesOn) {
  freeze_deployment();
  show_freeze_on_set(noon());
  delete_machine(noon() + Seconds(5));

  EXPECT_TRUE(may_evict());
}

TEST_F(FreezeBrakes, TheDrainOfAMachineThatWasDeletedBeforeWaits) {
  freeze_deployment();
  show_freeze_on_set(noon());
  delete_machine(noon() + Seconds(-5));

  EXPECT_FALSE(may_evict());
}

TEST_F(FreezeBrakes, TheDrainOfAMachineThatAControllerNamedWaitsWhenever) {
  freeze_deployment();
  show_freeze_on_set(noon());
  apply(
      caches.machines,
      a_machine("m1").in_set("ms1").annotated(kDeletedFor, "ScaleIn").deleting(noon() + Seconds(5)).build());

  EXPECT_FALSE(may_evict());
}

TEST_F(FreezeBrakes, TheDrainOfAMachineThatTheFleetPolicyGrantedWaitsWhenever) {
  freeze_deployment();
  show_freeze_on_set(noon());
  apply(caches.machines,
        a_machine("m1")
            .in_set("ms1")
            .annotated(api::policy::annotation::kFleetRequest, "Rollout~2026-01-01T11:59:00Z")
            .annotated(api::policy::annotation::kFleetGrant, "2026-01-01T11:59:10Z")
            .deleting(noon() + Seconds(5))
            .build());

  EXPECT_FALSE(may_evict());
}

TEST_F(FreezeBrakes, ThatThereWereTooManyMachinesTellsNothingOfAUser) {
  freeze_deployment();
  show_freeze_on_set(noon(), api::policy::reason::kOvershooting);
  delete_machine(noon() + Seconds(5));

  EXPECT_FALSE(may_evict());
}

TEST_F(FreezeBrakes, AFrozenFleetHoldsTheDrainsThatControllersBeganAndNoUsers) {
  apply(caches.fleet_policies, builders::a_fleet_policy().annotated(kFreeze, "incident 7").build());
  show_freeze_on_set(noon(), api::policy::reason::kFrozenByFleet);
  delete_machine(noon() + Seconds(-5));
  EXPECT_FALSE(set_is_open());
  EXPECT_FALSE(may_evict());

  delete_machine(noon() + Seconds(5));
  EXPECT_TRUE(may_evict());
}

TEST_F(FreezeBrakes, MachinesThatAControlPlaneOrAUserMadeAreNotHeld) {
  apply(caches.clusters, a_cluster("c1").annotated(kFreeze, "audit").build());
  apply(caches.machines, a_machine("m1").control_plane().deleting().build());

  EXPECT_TRUE(may_evict());
}

}  // namespace
}  // namespace capstan::controllers::safety
