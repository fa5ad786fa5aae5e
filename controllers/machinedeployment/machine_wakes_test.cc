#include "controllers/machinedeployment/machine_wakes.h"

#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/node.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace annotation = api::policy::annotation;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_policy;
using builders::MachineBuilder;
using builders::noon;
using lifecycle::Phase;

MachineBuilder with_words(Phase phase, std::string_view message = {}, Time since = noon()) {
  return a_machine("m").in_set("s").condition(api::policy::condition::kLifecycle, lifecycle::status_of(phase),
                                              lifecycle::to_string(phase), message, since);
}
MachineBuilder granted(Phase phase) {
  return with_words(phase).annotated(annotation::kReplacementGranted, noon().to_string());
}

using Policy = builders::MachineLifecyclePolicyBuilder;
Policy replacing() { return a_policy("p").node_checks(); }

struct Step {
  std::optional<api::Machine> before = {};
  std::optional<api::Machine> after = {};
};
Wake wake_by(const Step& step, const Policy& policy = replacing(),
             const api::MachineDeployment& deployment = a_machine_deployment()) {
  const api::MachineLifecyclePolicy governing = policy;
  return wake_of(step.before ? &*step.before : nullptr, step.after ? &*step.after : nullptr,
                 heeded_by(deployment, &governing));
}
bool is_heard(const Step& step, const Policy& policy = replacing(),
              const api::MachineDeployment& deployment = a_machine_deployment()) {
  return wake_by(step, policy, deployment) != Wake::None;
}
bool is_heard_without_policy(const Step& step) {
  return wake_of(step.before ? &*step.before : nullptr, step.after ? &*step.after : nullptr,
                 heeded_by(a_machine_deployment(), nullptr)) != Wake::None;
}

TEST(MachineWakes, OfAMachineThatComesAreOne) {
  const MachineBuilder fresh = a_machine("m").in_set("s");

  EXPECT_FALSE(is_heard({std::nullopt, fresh}));
  EXPECT_FALSE(is_heard({fresh, with_words(Phase::Creating)}));
  EXPECT_FALSE(is_heard({with_words(Phase::Creating), with_words(Phase::Joining)}));
  EXPECT_TRUE(is_heard({with_words(Phase::Joining), with_words(Phase::Running)}));
}

TEST(MachineWakes, OfAMachineThatGoesAreOne) {
  const auto going = with_words(Phase::Terminating).deleting();

  EXPECT_FALSE(is_heard({with_words(Phase::Running), with_words(Phase::Running).deleting()}));
  EXPECT_FALSE(is_heard({with_words(Phase::Running).deleting(), going}));
  EXPECT_TRUE(is_heard({going, std::nullopt}));
}

TEST(MachineWakes, TellAllThatBecomesOfOneThatWaitsToBeReplaced) {
  const auto sick = with_words(Phase::Unhealthy, "HealthCheck Processing NodeNotReady: Ready is False");
  const auto asked = with_words(Phase::Unhealthy, "HealthCheck Processing ReplaceRequested: a user");
  const auto later = with_words(Phase::Unhealthy, {}, noon() + Seconds(5));

  EXPECT_TRUE(is_heard({with_words(Phase::Running), sick}));
  EXPECT_TRUE(is_heard({sick, asked})) << "it waits for its time no longer";
  EXPECT_TRUE(is_heard({with_words(Phase::Unhealthy), later}));
  EXPECT_TRUE(is_heard({with_words(Phase::Unhealthy),
                        with_words(Phase::Unhealthy).annotated(annotation::kHealthTimeout, "60")}));
  EXPECT_TRUE(is_heard({sick, with_words(Phase::Running)})) << "another one is the first";
}

TEST(MachineWakes, TellThatAPlaceIsFree) {
  EXPECT_TRUE(is_heard({granted(Phase::Unhealthy), with_words(Phase::Running)}));
  EXPECT_TRUE(is_heard({granted(Phase::Failed), with_words(Phase::Running)}));
  EXPECT_TRUE(
      is_heard({with_words(Phase::Failed),
                with_words(Phase::Failed).annotated(annotation::kPreserveUntil, noon().to_string())}));
}

TEST(MachineWakes, ComeWithoutAPolicyOfOneThatFailsAndIsPreservedAlone) {
  const auto failed = with_words(Phase::Failed);
  const auto preserved = with_words(Phase::Failed).annotated(annotation::kPreserveUntil, noon().to_string());

  EXPECT_TRUE(is_heard_without_policy({failed, preserved}));
  EXPECT_TRUE(is_heard_without_policy({preserved, std::nullopt}));
  EXPECT_FALSE(is_heard_without_policy({with_words(Phase::Joining), with_words(Phase::Running)}));
  EXPECT_FALSE(is_heard_without_policy({with_words(Phase::Running), with_words(Phase::Unhealthy)}));
}

TEST(MachineWakes, TellThatANamedVictimCanGoNoMore) {
  const Step leaves{with_words(Phase::Running), with_words(Phase::Running).deleting()};
  const auto naming = a_machine_deployment().annotated(annotation::kVictims, "m");

  EXPECT_TRUE(is_heard(leaves, replacing(), naming));
  EXPECT_FALSE(is_heard(leaves));
}

TEST(MachineWakes, TellOfUpdatesInPlaceWhateverChanges) {
  const Step labelled{a_machine("m").in_set("s"), a_machine("m").in_set("s").annotated("a", "b")};
  const Step marked{a_machine("m").in_set("s"),
                    a_machine("m").in_set("s").annotated(annotation::kInPlaceUpdate, "s2 Draining")};

  EXPECT_TRUE(is_heard(labelled, a_policy("p").rollout({.in_place = api::PolicyInPlace()})));
  EXPECT_FALSE(is_heard(labelled, a_policy("p").rollout()));
  EXPECT_TRUE(is_heard_without_policy(marked));
}

TEST(MachineWakes, AreOneForEachLifeWhereThereMayBeAnUpdateInPlace) {
  const auto policy = a_policy("p").rollout({.in_place = api::PolicyInPlace()});
  const Step lives{with_words(Phase::Creating), with_words(Phase::Joining)};
  api::MachineDeployment rolled_out = a_machine_deployment();
  api::conditions::set(
      rolled_out.status.conditions,
      api::conditions::make(api::condition::kRollingOut, api::status::kFalse, "NotRollingOut"),
      rolled_out.metadata.generation, noon());
  rolled_out.status.observed_generation = rolled_out.metadata.generation;

  EXPECT_TRUE(is_heard(lives, policy));
  EXPECT_FALSE(is_heard(lives, policy, rolled_out));

  ++rolled_out.metadata.generation;
  EXPECT_TRUE(is_heard(lives, policy, rolled_out));
}

TEST(MachineWakes, TellOfEachMachineThatGoesWhereTheirNumberFreezes) {
  const Step comes{std::nullopt, a_machine("m").in_set("s")};
  const Step goes{a_machine("m").in_set("s"), std::nullopt};

  EXPECT_TRUE(is_heard(goes, a_policy("p").overshoot()));
  EXPECT_FALSE(is_heard(goes, a_policy("p").rollout()));
  EXPECT_FALSE(is_heard(comes, a_policy("p").overshoot())) << "its MachineSet reports one more";
}

TEST(MachineWakes, DoNotTellWhatASickMachineAsksOfTheFleetPolicy) {
  const auto sick = with_words(Phase::Unhealthy);
  const auto asking = with_words(Phase::Unhealthy).annotated(annotation::kFleetRequest, "ScaleIn");

  EXPECT_FALSE(is_heard({sick, asking}));
  EXPECT_TRUE(is_heard({sick, with_words(Phase::Unhealthy).annotated("user.example/wish", "now")}));
}

TEST(MachineWakes, TellThatAMachineHasMoved) {
  EXPECT_EQ(wake_by({a_machine("m").in_set("s"), a_machine("m").in_set("s2")}), Wake::Now);
}

TEST(MachineWakes, WaitForTheReportOfItsSetWhenAMachineRunsOrHasGone) {
  const auto policy = replacing().overshoot();

  EXPECT_EQ(wake_by({with_words(Phase::Joining), with_words(Phase::Running)}, policy), Wake::Later);
  EXPECT_EQ(wake_by({with_words(Phase::Terminating).deleting(), std::nullopt}, policy), Wake::Later);
}

TEST(MachineWakes, ComeAtOnceForOneThatFallsSickAndLaterForASickOneThatGoes) {
  const auto sick = with_words(Phase::Unhealthy);

  EXPECT_EQ(wake_by({with_words(Phase::Running), sick}), Wake::Now);
  EXPECT_EQ(wake_by({sick, with_words(Phase::Unhealthy).deleting()}), Wake::Later);
  EXPECT_EQ(wake_by({sick, with_words(Phase::Running)}), Wake::Later);
}

TEST(NodeWakes, TellOfTheLabelsOfAnUpdateAlone) {
  const Heeded without = heeded_by(a_machine_deployment(), nullptr);
  const api::Machine machine = a_machine("m");
  const api::Machine updated = a_machine("m").annotated(annotation::kInPlaceUpdate, "s2 Draining");
  const api::Node plain = builders::a_node("n").labelled("zone", "a");
  const api::Node left = builders::a_node("n").labelled(api::policy::label::kCandidateForUpdate, "true");

  EXPECT_FALSE(heeds_node_of(machine, plain, without));
  EXPECT_TRUE(heeds_node_of(machine, left, without));
  EXPECT_TRUE(heeds_node_of(updated, plain, without));
  EXPECT_TRUE(heeds_node_of(machine, plain, {.updates = true}));
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
