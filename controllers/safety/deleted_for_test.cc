#include "controllers/safety/deleted_for.h"

#include <gtest/gtest.h>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/shared/caches.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::safety {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::a_policy;
using builders::MachineBuilder;

MachineBuilder going() { return a_machine("m1").in_set("ms1").deleting(); }
MachineBuilder named() { return going().annotated(kDeletedFor, "ScaleIn"); }

TEST(DeletedFor, IsAUsersDeletionWithoutAWord) {
  EXPECT_FALSE(is_deleted_by_a_controller(Caches(), going().build()));
}

TEST(DeletedFor, IsAControllersThatSaidSoOrWasGrantedIt) {
  const auto granted = going().annotated(api::policy::annotation::kReplacementGranted, "NodeNotReady");
  EXPECT_TRUE(is_deleted_by_a_controller(Caches(), named().build()));
  EXPECT_TRUE(is_deleted_by_a_controller(Caches(), granted.build()));
}

// Its MachineSet is of team a.
bool is_a_controllers(const api::Machine& machine, std::string_view governed_team) {
  Caches caches;
  caches.machine_sets.apply(a_machine_set("ms1").labelled("team", "a").build());
  caches.machine_lifecycle_policies.apply(a_policy("care").selecting("team", governed_team).build());
  return is_deleted_by_a_controller(caches, machine);
}

api::Machine handed_over(std::string_view reason) {
  return going().condition(api::condition::kOwnerRemediated, "False", reason).build();
}

TEST(DeletedFor, IsTheRemediationThatAHealthCheckAskedFor) {
  const auto going_by_check = handed_over(api::reason::kMachineDeleting);
  EXPECT_TRUE(is_a_controllers(going_by_check, "a"));
  EXPECT_FALSE(is_a_controllers(going_by_check, "b"));
}

TEST(DeletedFor, IsAUsersDeletionWhileARemediationWaits) {
  EXPECT_FALSE(is_a_controllers(handed_over(api::reason::kRemediationDeferred), "a"));
}

MachineBuilder asking() {
  return going().annotated(api::policy::annotation::kFleetRequest, "Rollout~2026-01-01T12:00:00Z");
}

TEST(DeletedFor, IsAControllersThatTheFleetPolicyHasGranted) {
  const auto granted = asking().annotated(api::policy::annotation::kFleetGrant, "2026-01-01T12:00:10Z");
  EXPECT_TRUE(is_deleted_by_a_controller(Caches(), granted.build()));
}

TEST(DeletedFor, IsAUsersDeletionWhileTheFleetPolicyIsOnlyAsked) {
  EXPECT_FALSE(is_deleted_by_a_controller(Caches(), asking().build()));
}

TEST(DeletedFor, IsAUsersDeletionWithAGrantThatNothingAskedFor) {
  const auto granted = going().annotated(api::policy::annotation::kFleetGrant, "2026-01-01T12:00:00Z");
  EXPECT_FALSE(is_deleted_by_a_controller(Caches(), granted.build()));
}

TEST(DeletedFor, IsAUsersDeletionWhereTheSetGoes) {
  Caches caches;
  caches.machine_sets.apply(a_machine_set("ms1").deleting().build());
  EXPECT_FALSE(is_deleted_by_a_controller(caches, named().build()));
}

TEST(DeletedFor, IsAUsersDeletionWhereTheDeploymentGoes) {
  Caches caches;
  caches.machine_deployments.apply(a_machine_deployment("md1").deleting().build());
  caches.machine_sets.apply(a_machine_set("ms1").in_deployment("md1").build());
  EXPECT_FALSE(is_deleted_by_a_controller(caches, named().build()));
}

}  // namespace
}  // namespace capstan::controllers::safety
