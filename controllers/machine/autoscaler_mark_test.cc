#include "controllers/machine/autoscaler_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/aliases.h"
#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using testing::HasSubstr;

constexpr std::string_view kOff = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
constexpr std::string_view kOffByUs = "capstan.dev/scale-down-disabled";

Observation of_a_rollout(std::string_view rolling, const api::PolicyRollout& rollout = {}) {
  Observation seen = seen_of(a_machine().in_set("s").running());
  seen.governed_by = builders::a_policy("care").rollout(rollout).shared();
  seen.machine_set = builders::a_machine_set("s").labelled(api::label::kDeploymentName, "web").shared();
  seen.deployment = builders::a_machine_deployment("web")
                        .with([&](api::MachineDeployment& deployment) {
                          api::conditions::set(deployment.status.conditions,
                                               api::conditions::make("RollingOut", rolling, "Why"), 1, kNow);
                        })
                        .shared();
  return seen;
}

std::string marked(const AutoscalerWish& wish, const api::Node& node) {
  NodeChange change;
  mark_for_autoscaler(wish, node, change);
  return describe(change, node);
}
const AutoscalerWish kRolling{.rolling = true};
const AutoscalerWish kOver{.rolling = false};

TEST(AutoscalerMark, IsForTheTimeOfARolloutWhereThePolicySaysSo) {
  EXPECT_EQ(is_kept_for_rollout(of_a_rollout("True")), true);
  EXPECT_EQ(is_kept_for_rollout(of_a_rollout("False")), false);
  EXPECT_EQ(is_kept_for_rollout(of_a_rollout("True", {.scale_down_disabled = false})), false);
}

TEST(AutoscalerMark, StaysAsItIsWhileTheRolloutCantBeSeen) {
  Observation unseen = of_a_rollout("True");
  unseen.deployment = nullptr;
  Observation unlisted = of_a_rollout("True");
  unlisted.policy_known = false;

  EXPECT_EQ(is_kept_for_rollout(unseen), std::nullopt);
  EXPECT_EQ(is_kept_for_rollout(unlisted), std::nullopt);
  EXPECT_EQ(marked({}, a_node("n1").annotated(kOff, "true").annotated(kOffByUs, "true")), "");
}

TEST(AutoscalerMark, ComesWithItsProofAndGoesWithIt) {
  const api::Node ours = a_node("n1").annotated(kOff, "true").annotated(kOffByUs, "true");

  EXPECT_THAT(marked(kRolling, a_node("n1")), HasSubstr(std::string(kOffByUs)));
  EXPECT_EQ(marked(kRolling, ours), "");
  EXPECT_THAT(marked(kRolling, a_node("n1").annotated(kOffByUs, "true")), HasSubstr("none -> true"));
  EXPECT_THAT(marked(kOver, ours), HasSubstr("true -> none"));
}

TEST(AutoscalerMark, LeavesAUsersOwnWordAloneInARollout) {
  for (const auto* word : {"true", "false"}) {
    EXPECT_EQ(marked(kRolling, a_node("n1").annotated(kOff, word)), "");
    EXPECT_EQ(marked(kOver, a_node("n1").annotated(kOff, word)), "");
  }
}

TEST(AutoscalerMark, StaysOnAPreservedMachineWhenTheRolloutIsOver) {
  const AutoscalerWish wish{.preserved = true, .rolling = false};

  EXPECT_EQ(marked(wish, a_node("n1").annotated(kOff, "true").annotated(kOffByUs, "true")), "");
}

TEST(AutoscalerMark, OfMcmIsTakenForOursWhereItsKeysAreRead) {
  constexpr std::string_view kOffByMcm = "cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm";
  const api::Node left = a_node("n1").annotated(kOff, "true").annotated(kOffByMcm, "true");
  EXPECT_EQ(marked(kOver, left), "") << "without --mcm-aliases it is a user's";

  lifecycle::accept_mcm_aliases(true);
  NodeChange change;
  mark_for_autoscaler(kOver, left, change);
  lifecycle::accept_mcm_aliases(false);

  EXPECT_THAT(describe(change, left), HasSubstr("true -> none"));
  EXPECT_THAT(change.marks_off, testing::ElementsAre(Text(kOffByMcm)));
}

}  // namespace
}  // namespace capstan::controllers::machine
