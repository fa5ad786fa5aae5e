#include "controllers/lifecycle/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/annotations.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::a_policy;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Rules, OfAPolicyThatAsksForNothingOfTheLifeAreNone) {
  const auto rules = rules_for(a_policy("p").shared_cause().build().spec, a_machine("m1"));

  EXPECT_FALSE(rules.creation_timeout);
  EXPECT_FALSE(rules.health_timeout);
  EXPECT_THAT(rules.bad_conditions, IsEmpty());
  EXPECT_THAT(rules.blocking_taints, IsEmpty());
}

TEST(Rules, OfAGroupWithoutFieldsAreTheDefaultsOfItsSchema) {
  const auto rules = rules_for(a_policy("p").node_checks().build().spec, a_machine("m1"));

  EXPECT_EQ(rules.health_timeout, Seconds(600));
  std::vector<std::string> conditions;
  for (const auto& bad : rules.bad_conditions)
    conditions.push_back(bad.type.str() + " " + bad.bad_statuses[0].str() + " " + bad.bad_statuses[1].str());
  EXPECT_THAT(conditions, ElementsAre("KernelDeadlock True Unknown", "ReadonlyFilesystem True Unknown",
                                      "DiskPressure True Unknown", "NetworkUnavailable True Unknown"));
  ASSERT_EQ(rules.blocking_taints.size(), 1U);
  EXPECT_EQ(rules.blocking_taints[0].key, "node.gardener.cloud/critical-components-not-ready");
  EXPECT_EQ(rules.blocking_taints[0].effect, "NoSchedule");
}

TEST(Rules, AnAnnotationWinsOverThePolicyAndSwitchesNothingOn) {
  const auto machine = a_machine("m1")
                           .annotated("capstan.dev/health-timeout-seconds", "30")
                           .annotated("capstan.dev/creation-timeout-seconds", "60");

  const auto both = rules_for(a_policy("p").node_checks().creation_timeout(1200).build().spec, machine);
  const auto one = rules_for(a_policy("p").node_checks().build().spec, machine);

  EXPECT_EQ(both.health_timeout, Seconds(30));
  EXPECT_EQ(both.creation_timeout, Seconds(60));
  EXPECT_FALSE(one.creation_timeout);
}

TEST(Rules, AnAnnotationThatMeansNothingIsIgnoredAndNamed) {
  for (const std::string_view bad : {"", "0", "-1", "10m", "604801", "3.5", " 30", "99999999999999999999"}) {
    const auto rules = rules_for(a_policy("p").node_checks().build().spec,
                                 a_machine("m1").annotated("capstan.dev/health-timeout-seconds", bad));

    EXPECT_EQ(rules.health_timeout, Seconds(600)) << bad;
    EXPECT_THAT(rules.ignored, ElementsAre(HasSubstr("from 1 to 604800"))) << bad;
  }
}

TEST(Rules, MaxInFlightIsOneUnlessThePolicySaysMore) {
  EXPECT_EQ(max_in_flight(a_policy("p").node_checks().build().spec, 10), 1);
  EXPECT_EQ(max_in_flight(a_policy("p").max_in_flight(IntOrString(3)).build().spec, 10), 3);
  EXPECT_EQ(max_in_flight(a_policy("p").max_in_flight(IntOrString("25%"_text)).build().spec, 10), 3);
  EXPECT_EQ(max_in_flight(a_policy("p").max_in_flight(IntOrString("10%"_text)).build().spec, 0), 1);
  EXPECT_EQ(max_in_flight(a_policy("p").max_in_flight(IntOrString("many"_text)).build().spec, 10), 1);
}

TEST(Rules, EveryPhaseButRunningAndUnhealthyCountsUnlessThePolicySaysWhich) {
  EXPECT_THAT(counted_phases(a_policy("p").node_checks().build().spec),
              ElementsAre(Phase::Creating, Phase::CreateRetrying, Phase::Joining, Phase::InPlaceUpdating,
                          Phase::InPlaceUpdateFailed, Phase::Failed, Phase::Terminating));
  const auto policy = a_policy("p").with([](api::MachineLifecyclePolicy& each) {
    each.spec.replacement = api::PolicyReplacement{.count_states = {"Failed"_text}};
  });
  EXPECT_THAT(counted_phases(policy.build().spec), ElementsAre(Phase::Failed));
}

TEST(DeletionPriority, IsThreeUnlessAWholeNumberIsSaid) {
  const auto priority = [](std::string_view text) {
    return deletion_priority(
        a_machine("m1").annotated("capstan.dev/deletion-priority", text).build().metadata);
  };

  EXPECT_EQ(deletion_priority(a_machine("m1").build().metadata), 3);
  EXPECT_EQ(priority("-7"), -7);
  EXPECT_EQ(priority("1000000"), 1'000'000);
  EXPECT_EQ(priority("1000001"), 3);
  EXPECT_EQ(priority("first"), 3);
}

TEST(Phase, IsReadAsItIsWritten) {
  for (const Phase phase : kPhases) EXPECT_EQ(parse_phase(to_string(phase)), phase);
  EXPECT_EQ(parse_phase("Crashed"), std::nullopt);
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
