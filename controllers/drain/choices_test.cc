#include "controllers/drain/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/aliases.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::drain {
namespace {

using builders::a_machine;
using builders::a_policy;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

DrainChoices chosen(const api::Machine& machine, const api::MachineLifecyclePolicy* policy = nullptr) {
  return drain_choices(machine.metadata, policy == nullptr ? nullptr : &policy->spec);
}

TEST(DrainChoices, AreNoneWithoutKeysAndPolicy) {
  const auto choices = chosen(a_machine("m"));

  EXPECT_EQ(choices.by_force, "");
  EXPECT_FALSE(choices.timeout_seconds);
  EXPECT_FALSE(choices.force_on_timeout);
  EXPECT_FALSE(choices.not_ready_seconds);
  EXPECT_FALSE(choices.explain_budgets);
  EXPECT_THAT(choices.ignored, IsEmpty());
}

TEST(DrainChoices, AreByForceForALabelAsForAnAnnotation) {
  EXPECT_EQ(chosen(a_machine("m").labelled("capstan.dev/force-deletion", "true")).by_force,
            "label capstan.dev/force-deletion");
  EXPECT_EQ(chosen(a_machine("m").annotated("capstan.dev/force-deletion", "true")).by_force,
            "annotation capstan.dev/force-deletion");
  EXPECT_EQ(chosen(a_machine("m").annotated("capstan.dev/force-deletion", "false")).by_force, "");
}

TEST(DrainChoices, NameKeysThatMeanNothing) {
  const auto choices = chosen(a_machine("m")
                                  .labelled("capstan.dev/force-deletion", "yes")
                                  .annotated("capstan.dev/drain-timeout-seconds", "soon"));

  EXPECT_EQ(choices.by_force, "");
  EXPECT_FALSE(choices.timeout_seconds);
  EXPECT_THAT(choices.ignored,
              ElementsAre("label capstan.dev/force-deletion: \"yes\" is ignored, \"true\" is meant",
                          "annotation capstan.dev/drain-timeout-seconds: \"soon\" is ignored, a whole number "
                          "of seconds from 1 to 604800 is meant"));
}

TEST(DrainChoices, TakeTheMachinesOwnTimeout) {
  EXPECT_EQ(chosen(a_machine("m").annotated("capstan.dev/drain-timeout-seconds", "90")).timeout_seconds, 90);
}

api::Machine with_timeout(std::optional<std::int32_t> seconds) {
  auto machine = a_machine("m").build();
  machine.spec.deletion.node_drain_timeout_seconds = seconds;
  return machine;
}

std::optional<std::int32_t> timeout_of(const api::Machine& machine,
                                       const api::MachineLifecyclePolicy& policy) {
  return drain_timeout(machine, chosen(machine, &policy));
}

TEST(DrainTimeout, IsThatOfThePolicyWhereTheMachineHasNone) {
  const api::MachineLifecyclePolicy plain = a_policy("p").drain_on_timeout("Continue");
  const auto quick = a_policy("p").drain_on_timeout("").with(
      [](api::MachineLifecyclePolicy& policy) { policy.spec.drain.on_timeout->timeout_seconds = 90; });

  EXPECT_EQ(timeout_of(with_timeout({}), plain), 7200);
  EXPECT_EQ(timeout_of(with_timeout({}), quick.build()), 90);
}

TEST(DrainTimeout, OfTheSpecWinsOverThatOfThePolicy) {
  const api::MachineLifecyclePolicy policy = a_policy("p").drain_on_timeout("");

  EXPECT_EQ(timeout_of(with_timeout(60), policy), 60);
  EXPECT_EQ(timeout_of(with_timeout(0), policy), 0) << "0 means that there is none";
}

TEST(DrainTimeout, OfTheAnnotationWinsOverBoth) {
  const api::MachineLifecyclePolicy policy = a_policy("p").drain_on_timeout("");
  auto machine = with_timeout(60);
  machine.metadata.annotations.set("capstan.dev/drain-timeout-seconds", "30");

  EXPECT_EQ(timeout_of(machine, policy), 30);
}

TEST(DrainTimeout, IsTheMachinesAloneWhereAPolicyHasNoOnTimeout) {
  const api::MachineLifecyclePolicy policy = a_policy("p").not_ready_force().eviction_retries(3);

  EXPECT_EQ(timeout_of(with_timeout({}), policy), std::nullopt);
  EXPECT_EQ(timeout_of(with_timeout(60), policy), 60);
}

TEST(DrainChoices, OfAPolicyAreOffUntilItAsksForThem) {
  const api::MachineLifecyclePolicy plain = a_policy("p").shared_cause();
  const api::MachineLifecyclePolicy goes_on = a_policy("p").drain_on_timeout("Continue");

  EXPECT_TRUE(chosen(a_machine("m"), &plain).explain_budgets);
  EXPECT_FALSE(chosen(a_machine("m"), &plain).force_on_timeout);
  EXPECT_FALSE(chosen(a_machine("m"), &plain).not_ready_seconds);
  EXPECT_FALSE(chosen(a_machine("m"), &goes_on).force_on_timeout);
}

TEST(DrainChoices, OfAGroupWithoutFieldsAreItsDefaults) {
  const api::MachineLifecyclePolicy policy = a_policy("p").drain_on_timeout("").not_ready_force();

  EXPECT_TRUE(chosen(a_machine("m"), &policy).force_on_timeout);
  EXPECT_EQ(chosen(a_machine("m"), &policy).not_ready_seconds, 300);
}

TEST(DrainChoices, ThatCameLaterAreOffForPoliciesThatStoodBefore) {
  const api::MachineLifecyclePolicy before = a_policy("p").drain_on_timeout("ForceDelete").not_ready_force();

  const auto choices = chosen(a_machine("m"), &before);

  EXPECT_FALSE(choices.eviction_seconds);
  EXPECT_FALSE(choices.volumes_in_turn);
  EXPECT_FALSE(choices.deletes_attachments);
}

TEST(DrainChoices, CountEvictionRetriesInPeriodsOfTwentySeconds) {
  const api::MachineLifecyclePolicy policy = a_policy("p").eviction_retries(3).volumes_in_turn();

  const auto choices = chosen(a_machine("m"), &policy);

  EXPECT_EQ(choices.eviction_seconds, 60);
  EXPECT_EQ(choices.volumes_in_turn, (VolumeWaits{.detach = Seconds(120), .reattach = Seconds(90)}));
}

// Retries alone, the timeout alone, both, none.
TEST(DrainChoices, OfEvictionsAndTimeoutAreTheFourCasesOfTheFaq) {
  const api::Machine machine = a_machine("m");
  const auto of_policy = [&](std::optional<std::int32_t> retries, std::optional<std::int32_t> timeout) {
    api::MachineLifecyclePolicySpec spec;
    spec.drain.eviction_retries = api::EvictionRetries{.most = retries};
    spec.drain.on_timeout = api::DrainOnTimeout{.timeout_seconds = timeout};
    const auto choices = drain_choices(machine.metadata, &spec);
    return std::pair(choices.eviction_seconds, drain_timeout(machine, choices));
  };
  using Both = std::pair<std::optional<std::int32_t>, std::optional<std::int32_t>>;

  EXPECT_EQ(of_policy({}, 1800), (Both{7200, 1800})) << "the timeout comes first";
  EXPECT_EQ(of_policy(30, {}), (Both{600, 7200}));
  EXPECT_EQ(of_policy(30, 1800), (Both{600, 1800}));
  EXPECT_EQ(of_policy({}, {}), (Both{7200, 7200})) << "360 times 20 seconds, and 2 hours";
}

TEST(DrainChoices, DeleteAttachmentsByForceOrWhereAPolicySaysSo) {
  const api::MachineLifecyclePolicy policy = a_policy("p").attachment_cleanup();

  EXPECT_TRUE(chosen(a_machine("m"), &policy).deletes_attachments);
  EXPECT_TRUE(chosen(a_machine("m").annotated("capstan.dev/force-deletion", "true")).deletes_attachments);
  EXPECT_FALSE(chosen(a_machine("m")).deletes_attachments);
}

TEST(ForceOfADrain, IsMcmsLabelWhereItsKeysAreReadAndOnlyWithTrue) {
  const auto force = [](std::string_view value) {
    return force_of_a_drain(a_machine("m").labelled("force-drain", value).build().metadata);
  };
  EXPECT_EQ(force("True"), "") << "without --mcm-aliases";

  lifecycle::accept_mcm_aliases(true);
  const std::string asked = force("True");
  const std::string other = force("true");
  lifecycle::accept_mcm_aliases(false);

  EXPECT_EQ(asked, "label force-drain");
  EXPECT_EQ(other, "");
}

}  // namespace
}  // namespace capstan::controllers::drain
