#include "controllers/shared/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "api/names.h"
#include "controllers/shared/caches.h"
#include "test/builders/identity.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers {
namespace {

using builders::a_machine_set;
using builders::a_policy;
using testing::ElementsAre;
using testing::IsEmpty;

const PolicySnapshot kOfTeamA = a_policy("of-team-a").selecting("team", "a").shared();
const PolicySnapshot kOfEverybody = a_policy("of-everybody").selecting_everything().shared();

TEST(PolicyFor, AnObjectNobodySelectsHasNone) {
  const auto set = a_machine_set("s").labelled("team", "b").build();

  const auto choice = policy_for(set.metadata, std::array{kOfTeamA});

  EXPECT_EQ(choice.policy, nullptr);
  EXPECT_THAT(choice.conflicting, IsEmpty());
}

TEST(PolicyFor, AnObjectWithTheLabelsIsGoverned) {
  const auto set = a_machine_set("s").labelled("team", "a").build();

  EXPECT_EQ(policy_for(set.metadata, std::array{kOfTeamA}).policy, kOfTeamA);
}

TEST(PolicyFor, AnEmptySelectorSelectsTheWholeNamespaceAndNoOther) {
  const auto here = a_machine_set("s").build();
  const auto elsewhere = a_machine_set("s").in_namespace("elsewhere").build();

  EXPECT_EQ(policy_for(here.metadata, std::array{kOfEverybody}).policy, kOfEverybody);
  EXPECT_EQ(policy_for(elsewhere.metadata, std::array{kOfEverybody}).policy, nullptr);
}

TEST(PolicyFor, OfTwoThatSelectAnObjectNoneApplies) {
  const auto set = a_machine_set("s").labelled("team", "a").build();

  const auto choice = policy_for(set.metadata, std::array{kOfTeamA, kOfEverybody});

  EXPECT_EQ(choice.policy, nullptr);
  EXPECT_THAT(choice.conflicting, ElementsAre("of-everybody", "of-team-a"));
}

TEST(PolicyFor, AnOwnerThatIsSelectedBringsItsObjectsAlong) {
  const auto set = a_machine_set("s").build();
  const auto owner = a_machine_set("owner").labelled("team", "a").build();
  const std::array both = {&set.metadata, &owner.metadata};

  EXPECT_EQ(policy_for(both, std::array{kOfTeamA}).policy, kOfTeamA);
  EXPECT_EQ(policy_for(set.metadata, std::array{kOfTeamA}).policy, nullptr);
}

TEST(PolicyFor, OnePolicyThatSelectsObjectAndOwnerIsNoConflict) {
  const auto set = a_machine_set("s").labelled("team", "a").build();
  const auto owner = a_machine_set("owner").labelled("team", "a").build();
  const std::array both = {&set.metadata, &owner.metadata};

  EXPECT_EQ(policy_for(both, std::array{kOfTeamA}).policy, kOfTeamA);
}

TEST(PolicyFor, PoliciesOfAnObjectAndOfItsOwnerAreAConflict) {
  const auto set = a_machine_set("s").labelled("team", "a").build();
  const auto owner = a_machine_set("owner").labelled("tier", "1").build();
  const auto of_tier = a_policy("of-tier").selecting("tier", "1").shared();
  const std::array both = {&set.metadata, &owner.metadata};

  const auto choice = policy_for(both, std::array{kOfTeamA, of_tier});

  EXPECT_EQ(choice.policy, nullptr);
  EXPECT_THAT(choice.conflicting, ElementsAre("of-team-a", "of-tier"));
}

// Its labels are copies that a user may change.
TEST(PolicyFor, AMachineOfAPoolHasThePolicyOfItsPool) {
  Caches caches;
  caches.machine_lifecycle_policies.apply(a_policy("p").selecting("team", "a").build());
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, "mp1");
  pool.metadata.labels.set("team", "a");
  caches.machine_pools.apply(pool);
  const auto own = builders::a_machine("m1").in_pool("mp1").build();
  const auto of_no_pool = builders::a_machine("m2").in_pool("mp2").labelled("team", "a").build();

  const auto choice = policy_for(caches, own);

  ASSERT_NE(choice.policy, nullptr);
  EXPECT_EQ(choice.policy->metadata.name, "p");
  EXPECT_EQ(policy_for(caches, of_no_pool).policy, nullptr);
}

TEST(PolicyFor, ASelectorNobodyUnderstandsSelectsNothing) {
  const auto odd =
      a_policy("odd")
          .with([](api::MachineLifecyclePolicy& policy) {
            policy.spec.selector.match_expressions.push_back({.key = "team"_text, .operator_ = "Near"_text});
          })
          .shared();
  const auto set = a_machine_set("s").labelled("team", "a").build();

  EXPECT_EQ(policy_for(set.metadata, std::array{odd}).policy, nullptr);
}

}  // namespace
}  // namespace capstan::controllers
