#include "controllers/lifecycle/preservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/safeguards.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/node.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::a_node;
using builders::a_policy;
using builders::MachineBuilder;
using builders::noon;
using testing::HasSubstr;

constexpr std::string_view kPreserve = "capstan.dev/preserve";
constexpr std::string_view kUntil = "capstan.dev/preserve-until";
constexpr std::string_view kFromNode = "capstan.dev/preserve-from-node";
constexpr std::string_view kAuto = "capstan.dev/auto-preserved";
constexpr Seconds kHour{3600};

MachineBuilder wishing(std::string_view wish) { return a_machine("m").running().annotated(kPreserve, wish); }
MachineBuilder failed(MachineBuilder machine) {
  return machine.condition("capstan.dev/Lifecycle", "False", "Failed");
}
MachineBuilder until(MachineBuilder machine, Time end) { return machine.annotated(kUntil, end.to_string()); }

// Seen by its Node, whatever that says.
struct Around {
  std::optional<api::Node> node = a_node("n").build();
  bool node_known = true;
  PreservationRules rules = {.timeout = kHour};
};
Preservation seen(const api::Machine& machine, const Around& around = {}) {
  return preservation_of({.now = noon(),
                          .machine = machine,
                          .node = {.known = around.node_known, .node = around.node ? &*around.node : nullptr},
                          .rules = around.rules});
}
api::Node node_wishing(std::string_view wish) { return a_node("n").annotated(kPreserve, wish).build(); }

TEST(Preservation, IsOnlyForMachinesThatWereAskedFor) {
  EXPECT_EQ(seen(a_machine("m").running()).state, Preserved::No);
  EXPECT_EQ(seen(failed(a_machine("m").running())).state, Preserved::No);
  EXPECT_EQ(seen(until(a_machine("m"), noon() + kHour)).state, Preserved::No);
}

TEST(Preservation, BeginsAtOnceWhereThatIsWishedForAndLastsForItsTime) {
  const auto found = seen(wishing("now"));

  EXPECT_EQ(found.state, Preserved::Yes);
  EXPECT_EQ(found.until, noon() + kHour);
}

// Otherwise a slip of a person would begin its time anew, without a word.
TEST(Preservation, AnEndThatCantBeReadIsNamedAndCountsFromWhereItBegan) {
  const auto odd = wishing("now").annotated(kUntil, "tomorrow");
  const auto begun = MachineBuilder(odd)
                         .annotated("capstan.dev/preserve-timeout-seconds", "7200")
                         .condition("capstan.dev/Preserved", "True", "PreservedAsAsked");

  EXPECT_EQ(preserved_until(odd), std::nullopt) << "it is about to begin";
  EXPECT_THAT(seen(odd).wishes.problem, HasSubstr("\"tomorrow\" is ignored, a time like"));
  const api::Machine machine = begun;
  const Time since = machine.status.conditions.back().last_transition_time;
  EXPECT_EQ(preserved_until(machine), since + Seconds(7200));
  EXPECT_EQ(seen(machine).until, since + Seconds(7200));
}

TEST(Preservation, LastsAsLongAsTheMachineItselfSays) {
  const auto found = seen(wishing("now").annotated("capstan.dev/preserve-timeout-seconds", "60"));

  EXPECT_EQ(found.until, noon() + Seconds(60));
  EXPECT_EQ(found.wishes.problem, "");
}

TEST(Preservation, IgnoresATimeoutThatMeansNothingAndNamesIt) {
  const auto found = seen(wishing("now").annotated("capstan.dev/preserve-timeout-seconds", "1h"));

  EXPECT_EQ(found.until, noon() + kHour);
  EXPECT_EQ(
      found.wishes.problem,
      "annotation capstan.dev/preserve-timeout-seconds: \"1h\" is ignored, a whole number of seconds from "
      "1 to 2592000 is meant");
}

TEST(Preservation, WaitsForTheFailureWhereThatIsWishedFor) {
  EXPECT_EQ(seen(wishing("when-failed")).state, Preserved::NotYet);
  EXPECT_EQ(seen(failed(wishing("when-failed"))).state, Preserved::Yes);
}

TEST(Preservation, AHealthCheckThatHandsOverAMachineHasItFailed) {
  EXPECT_TRUE(has_failed(a_machine("m").running().awaiting_remediation()));
  EXPECT_FALSE(has_failed(a_machine("m").running().unhealthy()));
  EXPECT_EQ(seen(wishing("when-failed").awaiting_remediation()).state, Preserved::Yes);
}

TEST(Preservation, EndsWhenItsTimeIsOverAndLastsAsLongAsAnOperatorWrites) {
  EXPECT_EQ(seen(until(wishing("now"), noon() + Seconds(1))).until, noon() + Seconds(1));
  EXPECT_EQ(seen(until(wishing("now"), noon())).state, Preserved::TimeOver);
  EXPECT_EQ(seen(wishing("now").annotated(kUntil, "soon")).until, noon() + kHour);
}

TEST(Preservation, IsRefusedByAWordOfTheUser) {
  EXPECT_EQ(seen(until(failed(wishing("false").annotated(kAuto, "care")), noon() + kHour)).state,
            Preserved::Refused);
}

TEST(Preservation, TheNodesWishWins) {
  EXPECT_EQ(seen(wishing("false"), {.node = node_wishing("now")}).state, Preserved::Yes);
  EXPECT_EQ(seen(wishing("now"), {.node = node_wishing("false")}).state, Preserved::Refused);
  EXPECT_TRUE(seen(wishing("now"), {.node = node_wishing("false")}).wishes.by_node);
}

TEST(Preservation, ANodeThatCannotBeSeenIsTakenAtItsLastWord) {
  const auto machine = a_machine("m").running().annotated(kFromNode, "now");

  EXPECT_EQ(seen(machine, {.node = {}, .node_known = false}).state, Preserved::Yes);
  EXPECT_EQ(seen(machine, {.node = {}}).state, Preserved::Yes);
  EXPECT_EQ(seen(machine).state, Preserved::No) << "it was taken off the Node";
}

#ifdef CAPSTAN_DEFECTS
TEST(Preservation, WithoutItsSafeguardEndsWhileTheNodeCannotBeSeen) {
  const auto machine = a_machine("m").running().annotated(kFromNode, "now");

  switch_off(Safeguard::NodesWish);
  const auto found = seen(machine, {.node = {}, .node_known = false});
  switch_off(std::nullopt);

  EXPECT_EQ(found.state, Preserved::No);
}
#endif

TEST(Preservation, AfterTheNodeIsGoneTheMachinesWishCounts) {
  const auto machine = wishing("false").annotated(kFromNode, "now");

  EXPECT_EQ(seen(machine, {.node = {}}).state, Preserved::Refused);
  EXPECT_EQ(seen(machine, {.node = {}, .node_known = false}).state, Preserved::Yes);
}

TEST(Preservation, AnUnknownValueOnANodeChangesNothing) {
  const auto preserved = until(a_machine("m").running().annotated(kFromNode, "now"), noon() + kHour);

  EXPECT_EQ(seen(preserved, {.node = node_wishing("maybe")}).state, Preserved::Yes);
  EXPECT_EQ(seen(wishing("when-failed"), {.node = node_wishing("maybe")}).state, Preserved::NotYet);
  EXPECT_THAT(seen(preserved, {.node = node_wishing("maybe")}).wishes.problem,
              HasSubstr("of the Node: \"maybe\" is ignored, now, when-failed or false is meant"));
}

TEST(Preservation, AnUnknownValueOnAMachineIsNone) {
  const auto found = seen(wishing("yes"));

  EXPECT_EQ(found.state, Preserved::No);
  EXPECT_THAT(found.wishes.problem, HasSubstr("of the Machine: \"yes\" is ignored"));
}

TEST(Preservation, OfAMachineThatRecoversGoesOnUnlessThePolicySaysOtherwise) {
  const Around releasing{.rules = {.timeout = kHour, .release_on_recovery = true}};

  EXPECT_EQ(seen(until(wishing("when-failed"), noon() + kHour)).state, Preserved::Yes);
  EXPECT_EQ(seen(until(wishing("when-failed"), noon() + kHour), releasing).state, Preserved::NotYet);
  EXPECT_EQ(seen(until(wishing("now"), noon() + kHour), releasing).state, Preserved::Yes);
}

TEST(Preservation, ByThePolicyNeedsAFailureAndNoWish) {
  const auto marked = a_machine("m").running().annotated(kAuto, "care");

  EXPECT_EQ(seen(marked).state, Preserved::No);
  EXPECT_EQ(seen(failed(marked)).state, Preserved::Yes);
}

TEST(Preservation, HasTheTimesOfThePolicy) {
  const auto rules = [](const api::PolicyPreservation& group) {
    const api::MachineLifecyclePolicy policy = a_policy("p").preservation(group);
    return preservation_rules(&policy.spec);
  };

  EXPECT_EQ(preservation_rules(nullptr).timeout, Seconds(259'200));
  EXPECT_EQ(rules({}).timeout, Seconds(259'200));
  EXPECT_FALSE(rules({}).release_on_recovery);
  EXPECT_EQ(rules({.timeout_seconds = 60}).timeout, Seconds(60));
  EXPECT_TRUE(rules({.on_recovery = "Release"_text}).release_on_recovery);
}

TEST(Preservation, KeepsAMachineUntilTheEndThatIsWrittenOnIt) {
  const NodeLook silent;

  EXPECT_TRUE(is_kept(failed(until(a_machine("m"), noon() + Seconds(1))), silent, noon()));
  EXPECT_FALSE(is_kept(failed(until(wishing("now"), noon())), silent, noon()));
  EXPECT_TRUE(is_kept(failed(until(wishing("false"), noon() + kHour)), silent, noon()))
      << "the Machine controller ends it";
}

TEST(Preservation, KeepsAMachineWhoseEndIsNotWrittenYet) {
  const api::Node node = node_wishing("now");

  EXPECT_TRUE(is_kept(failed(wishing("when-failed")), {}, noon()));
  EXPECT_TRUE(is_kept(failed(a_machine("m")), {.known = true, .node = &node}, noon()));
  EXPECT_TRUE(is_kept(failed(a_machine("m").annotated(kAuto, "care")), {}, noon()));
  EXPECT_FALSE(
      is_kept(failed(a_machine("m").annotated(kAuto, "care").annotated(kPreserve, "false")), {}, noon()));
  EXPECT_FALSE(is_kept(failed(a_machine("m")), {}, noon()));
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
