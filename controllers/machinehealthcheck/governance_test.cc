#include "controllers/machinehealthcheck/governance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/seen_fixture.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::a_policy;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

api::MachinePool a_machine_pool(std::string_view name, std::string_view team) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, name);
  pool.metadata.labels.set("team", team);
  return pool;
}

api::Machine of_another(api::Machine machine) {
  auto owners = *machine.metadata.owner_references;
  owners.front().uid = builders::uid_of("Another", "life");
  machine.metadata.owner_references = api::OwnerReferences(std::move(owners));
  return machine;
}

// What governs a Machine, by the caches: "MachinePool mp1: p", "MachinePool mp1: no policy", "none".
std::string governance_of(const Caches& caches, const api::Machine& machine) {
  Seen seen;
  seen.without_node(machine).with(
      [&](Observation& world) { Governance(caches, builders::kNamespace).assign_policies(world); });
  const Target& target = (*seen).targets.front();
  if (target.pool.empty()) return target.policy ? "a policy without a pool" : "none";
  return target.pool + ": " + (target.policy ? target.policy->metadata.name.str() : "no policy");
}

// Governs team a, by half of at least three within five minutes.
void put_policy(Caches& caches, std::string_view name = "p") {
  caches.machine_lifecycle_policies.apply(a_policy(name).selecting("team", "a").shared_cause());
}

TEST(Governance, AMachineOfAPoolIsGovernedByWhoeverSelectsThePool) {
  Caches caches;
  put_policy(caches);
  caches.machine_pools.apply(a_machine_pool("mp1", "a"));
  caches.machine_pools.apply(a_machine_pool("mp2", "b"));

  EXPECT_EQ(governance_of(caches, a_worker().in_pool("mp1")), "MachinePool mp1: p");
  EXPECT_EQ(governance_of(caches, a_worker().in_pool("mp2")), "MachinePool mp2: no policy");
  EXPECT_EQ(governance_of(caches, a_worker().in_pool("mp3")), "none");
}

TEST(Governance, AMachineOfAStandAloneSetIsGovernedByWhoeverSelectsTheSet) {
  Caches caches;
  put_policy(caches);
  caches.machine_sets.apply(a_machine_set("s1").labelled("team", "a"));
  caches.machine_sets.apply(a_machine_set("s2").labelled("team", "b"));

  EXPECT_EQ(governance_of(caches, a_worker().in_set("s1")), "MachineSet s1: p");
  EXPECT_EQ(governance_of(caches, a_worker().in_set("s2")), "MachineSet s2: no policy");
  EXPECT_EQ(governance_of(caches, a_worker().in_set("s3")), "none");
}

TEST(Governance, AllSetsOfADeploymentAreOnePool) {
  Caches caches;
  put_policy(caches);
  caches.machine_deployments.apply(a_machine_deployment("web").labelled("team", "a"));
  caches.machine_deployments.apply(a_machine_deployment("db").labelled("team", "b"));
  for (const auto* set : {"web-1", "web-2"})
    caches.machine_sets.apply(a_machine_set(set).in_deployment("web"));
  caches.machine_sets.apply(a_machine_set("db-1").in_deployment("db"));

  EXPECT_EQ(governance_of(caches, a_worker().in_set("web-1")), "MachineDeployment web: p");
  EXPECT_EQ(governance_of(caches, a_worker().in_set("web-2")), "MachineDeployment web: p");
  EXPECT_EQ(governance_of(caches, a_worker().in_set("db-1")), "MachineDeployment db: no policy");
}

TEST(Governance, AnOwnerThatCameBackUnderTheSameNameIsAnother) {
  Caches caches;
  put_policy(caches);
  caches.machine_pools.apply(a_machine_pool("mp1", "a"));
  caches.machine_sets.apply(a_machine_set("s1").labelled("team", "a"));

  EXPECT_EQ(governance_of(caches, of_another(a_worker().in_pool("mp1"))), "none");
  EXPECT_EQ(governance_of(caches, of_another(a_worker().in_set("s1"))), "none");
}

TEST(Governance, WhoeverHasNoOwnerOrOneOfAnotherKindIsOfNoPool) {
  Caches caches;
  put_policy(caches);
  caches.machine_pools.apply(a_machine_pool("mp1", "a"));

  EXPECT_EQ(governance_of(caches, a_worker()), "none");
  EXPECT_EQ(governance_of(caches,
                          a_worker().owned_by(builders::controller_of("KubeadmControlPlane", "mp1")).build()),
            "none");
}

TEST(Governance, OfTwoPoliciesThatSelectAPoolNoneAppliesAndBothAreNamed) {
  Caches caches;
  caches.machine_pools.apply(a_machine_pool("mp1", "a"));
  put_policy(caches, "p");
  put_policy(caches, "q");
  Seen seen;
  seen.without_node(a_worker().in_pool("mp1")).with([&](Observation& world) {
    Governance(caches, builders::kNamespace).assign_policies(world);
  });

  EXPECT_EQ((*seen).targets.front().policy, nullptr);
  EXPECT_THAT((*seen).rival_policies, ElementsAre("p", "q"));
}

// --- what follows for a pool that broke beside another ---

constexpr std::int64_t kWell = 0;
constexpr std::int64_t kJustNow = 301;    // seconds of being unreachable; five minutes are allowed
constexpr std::int64_t kLongAgo = 9'000;  // nothing to do with what broke just now

class SickPoolBesideAWellOne : public testing::Test {
 protected:
  SickPoolBesideAWellOne() { put_policy(caches_); }

  // Three of each. Two of `sick` went together, one of `well` long before: of all six that is a third only.
  Plan decide_on(const builders::MachineBuilder& sick, const builders::MachineBuilder& well) const {
    auto check = a_check();
    check.spec.checks.unhealthy_node_conditions.push_back(
        {.type = "Ready"_text, .status = "Unknown"_text, .timeout_seconds = 300});
    Seen seen(check);
    for (const auto span : {kJustNow, kJustNow, kWell}) put(seen, sick, span);
    for (const auto span : {kLongAgo, kWell, kWell}) put(seen, well, span);
    seen.with([&](Observation& world) { Governance(caches_, builders::kNamespace).assign_policies(world); });
    return decide(*seen);
  }
  static std::vector<bool> held(const Plan& plan) {
    std::vector<bool> all;
    for (std::size_t i = 0; i < plan.verdicts.size(); ++i) all.push_back(plan.held(i));
    return all;
  }
  static void expect_held_as_pool(const Plan& plan, const std::string& pool) {
    EXPECT_THAT(held(plan), ElementsAre(true, true, false, false, false, false));
    EXPECT_TRUE(plan.remediate) << "the one that broke by itself is replaced";
    ASSERT_THAT(plan.shared_cause.evidence, SizeIs(1));
    const Evidence& evidence = plan.shared_cause.evidence.front();
    EXPECT_EQ(evidence.scope, Scope::Pool);
    EXPECT_EQ(evidence.domain, pool);
    EXPECT_EQ(evidence.ill, 2);
    EXPECT_EQ(evidence.targets, 3);
  }
  static void expect_nobody_held(const Plan& plan) {
    EXPECT_THAT(held(plan), ElementsAre(false, false, false, false, false, false));
    EXPECT_THAT(plan.shared_cause.evidence, IsEmpty());
    EXPECT_TRUE(plan.remediate);
    EXPECT_EQ(plan.counts.unhealthy, 3);
  }

  Caches caches_;

 private:
  static void put(Seen& seen, builders::MachineBuilder machine, std::int64_t unreachable_for) {
    const std::string name = "w" + std::to_string((*seen).targets.size());
    machine.with([&](api::Machine& one) { one.metadata.name = Text(name); }).on_node(name);
    const bool well = unreachable_for == kWell;
    seen.on_node(machine, builders::a_node(name)
                              .created(at(-90'000))
                              .condition("Ready", well ? "True" : "Unknown", "",
                                         at(well ? -80'000 : -unreachable_for)));
  }
};

TEST_F(SickPoolBesideAWellOne, AMachinePoolIsLeftAloneAndTheOtherIsNot) {
  caches_.machine_pools.apply(a_machine_pool("mp1", "a"));
  caches_.machine_pools.apply(a_machine_pool("mp2", "a"));

  expect_held_as_pool(decide_on(a_worker().in_pool("mp1"), a_worker().in_pool("mp2")), "MachinePool mp1");
}

TEST_F(SickPoolBesideAWellOne, AStandAloneSetIsLeftAloneAndTheOtherIsNot) {
  caches_.machine_sets.apply(a_machine_set("s1").labelled("team", "a"));
  caches_.machine_sets.apply(a_machine_set("s2").labelled("team", "a"));

  expect_held_as_pool(decide_on(a_worker().in_set("s1"), a_worker().in_set("s2")), "MachineSet s1");
}

TEST_F(SickPoolBesideAWellOne, APoolAndASetOfOneNameAreTwo) {
  caches_.machine_pools.apply(a_machine_pool("web", "a"));
  caches_.machine_sets.apply(a_machine_set("web").labelled("team", "a"));

  expect_held_as_pool(decide_on(a_worker().in_pool("web"), a_worker().in_set("web")), "MachinePool web");
}

TEST_F(SickPoolBesideAWellOne, IsReplacedWhereNoPolicySelectsThePool) {
  caches_.machine_pools.apply(a_machine_pool("mp1", "b"));
  caches_.machine_pools.apply(a_machine_pool("mp2", "a"));

  expect_nobody_held(decide_on(a_worker().in_pool("mp1"), a_worker().in_pool("mp2")));
}

TEST_F(SickPoolBesideAWellOne, OfOnePoolAThirdIsNoSharedCause) {
  caches_.machine_pools.apply(a_machine_pool("mp1", "a"));

  expect_nobody_held(decide_on(a_worker().in_pool("mp1"), a_worker().in_pool("mp1")));
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
