#include "controllers/machinehealthcheck/scope.h"

#include <gtest/gtest.h>

#include "controllers/machinehealthcheck/seen_fixture.h"
#include "test/builders/machine.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr std::string_view kMine = "mine";

// A check of the Machines labelled role=worker in c1, as a topology makes it.
api::MachineHealthCheck a_check_of_a_topology() {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, "workers");
  check.metadata.labels.set(api::label::kTopologyOwned, "");
  check.spec.cluster_name = Text(builders::kCluster);
  check.spec.selector.match_labels.set("role", "worker");
  return check;
}

void put_worker(Caches& caches, std::string_view name, std::string_view filter) {
  caches.machines.apply(
      builders::a_machine(name).labelled("role", "worker").labelled(api::label::kWatchFilter, filter));
}

TEST(Scope, OfALabelledCheckIsItsLabel) {
  const Caches caches;
  auto check = a_check_of_a_topology();
  check.metadata.labels.set(api::label::kWatchFilter, kMine);

  EXPECT_TRUE(is_ours(check, caches, kMine));
  EXPECT_FALSE(is_ours(check, caches, "theirs"));
  EXPECT_TRUE(is_ours(check, caches, "")) << "without a filter everything is";
}

TEST(Scope, OfACheckOfATopologyIsThatOfItsMachines) {
  Caches caches;
  put_worker(caches, "m1", kMine);

  EXPECT_TRUE(is_ours(a_check_of_a_topology(), caches, kMine));
  EXPECT_FALSE(is_ours(a_check_of_a_topology(), caches, "theirs"));
}

TEST(Scope, NoCheckWhoseMachinesAreSharedOrMissing) {
  Caches caches;
  EXPECT_FALSE(is_ours(a_check_of_a_topology(), caches, kMine));
  put_worker(caches, "m1", kMine);
  put_worker(caches, "m2", "theirs");

  EXPECT_FALSE(is_ours(a_check_of_a_topology(), caches, kMine));
}

TEST(Scope, NoUnlabelledCheckOfAUser) {
  Caches caches;
  put_worker(caches, "m1", kMine);
  auto check = a_check_of_a_topology();
  check.metadata.labels.erase(api::label::kTopologyOwned);

  EXPECT_FALSE(is_ours(check, caches, kMine));
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
