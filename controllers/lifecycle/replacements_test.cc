#include "controllers/lifecycle/replacements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::a_policy;
using builders::MachineBuilder;
using builders::noon;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kNow = noon() + Seconds(3600);

MachineBuilder in_phase(std::string_view name, Phase phase, Seconds ago = Seconds(900)) {
  return a_machine(name).running().condition("capstan.dev/Lifecycle", status_of(phase), to_string(phase), {},
                                             kNow + -ago);
}
MachineBuilder unhealthy(std::string_view name, Seconds ago = Seconds(900)) {
  return in_phase(name, Phase::Unhealthy, ago);
}
MachineBuilder granted(std::string_view name, Seconds ago = Seconds(900)) {
  return unhealthy(name, ago).annotated("capstan.dev/replacement-granted", (kNow + -ago).to_string());
}

struct Asked {
  api::MachineLifecyclePolicySpec policy = a_policy("p").node_checks().build().spec;
  std::int32_t limit = 1;
  std::int32_t missing = 0;
  Contact contact = {.now = true, .since = noon()};
  std::string of_an_old_set = {};
};

Replacements asked(std::initializer_list<MachineBuilder> builders, const Asked& how = {}) {
  std::vector<MachineSnapshot> machines;
  for (const auto& builder : builders) machines.push_back(builder.shared());
  return replacements({.now = kNow,
                       .contact = how.contact,
                       .policy = how.policy,
                       .machines = machines,
                       .missing = how.missing,
                       .limit = how.limit,
                       .may_be_replaced = [&](const api::Machine& machine) {
                         return machine.metadata.name != how.of_an_old_set;
                       }});
}

std::vector<std::string> names(const Replacements& found) {
  std::vector<std::string> all;
  for (const auto& machine : found.granted) all.push_back(machine->metadata.name.str());
  return all;
}

TEST(Replacements, AreGrantedToTheLongestUnhealthyFirst) {
  EXPECT_THAT(names(asked({unhealthy("a"), unhealthy("b", Seconds(1800)), unhealthy("c")})),
              ElementsAre("b"));
  EXPECT_THAT(names(asked({unhealthy("a"), unhealthy("b", Seconds(1800)), unhealthy("c")}, {.limit = 2})),
              ElementsAre("b", "a"));
}

TEST(Replacements, SayWhichMachinesWaitAndForWhat) {
  const auto words = [](const Replacements& found) {
    return words_for_waiting(found, "the policy's replacement.maxInFlight allows 1");
  };
  EXPECT_EQ(
      words(asked(
          {unhealthy("a"), unhealthy("b", Seconds(1800)), unhealthy("c"), in_phase("d", Phase::Running)})),
      "Machines a, c have been Unhealthy for longer than the policy allows, and wait for a replacement: the "
      "policy's replacement.maxInFlight allows 1, and b is under way");
  EXPECT_EQ(
      words(asked({unhealthy("a"), granted("g"), in_phase("n", Phase::CreateRetrying)}, {.missing = 1})),
      "Machine a has been Unhealthy for longer than the policy allows, and waits for a replacement: the "
      "policy's replacement.maxInFlight allows 1, and g, n are under way, and 1 is still to be made");
  EXPECT_EQ(words(asked({unhealthy("a", Seconds(599)), granted("g")})), "") << "its time is not over";
  EXPECT_EQ(words(asked({unhealthy("a")})), "");
}

TEST(Replacements, SayWhichMachinesABrakeHolds) {
  EXPECT_EQ(words_for_held(asked({unhealthy("a"), unhealthy("b")}), "frozen"),
            "Machines a, b have been Unhealthy for longer than the policy allows, and wait for a "
            "replacement: frozen");
}

TEST(Replacements, WaitUntilTheTimeIsOver) {
  const auto found = asked({unhealthy("a", Seconds(599)), in_phase("b", Phase::Running)});

  EXPECT_THAT(names(found), IsEmpty());
  EXPECT_EQ(found.recheck, Seconds(1));
}

TEST(Replacements, WaitForEveryOneThatIsOnItsWay) {
  for (const Phase phase : {Phase::Creating, Phase::CreateRetrying, Phase::Joining, Phase::InPlaceUpdating,
                            Phase::InPlaceUpdateFailed, Phase::Failed, Phase::Terminating}) {
    EXPECT_THAT(names(asked({unhealthy("a"), in_phase("b", phase)})), IsEmpty()) << to_string(phase);
    EXPECT_THAT(names(asked({unhealthy("a"), in_phase("b", phase)}, {.limit = 2})), ElementsAre("a"))
        << to_string(phase);
  }
  EXPECT_THAT(names(asked({unhealthy("a"), in_phase("b", Phase::Running), unhealthy("c", Seconds(1))})),
              ElementsAre("a"));
}

// Of whichever MachineSet of the deployment it is, and whatever has given it up.
TEST(Replacements, WaitForOneThatAHealthCheckHasGivenUpInAnotherMachineSet) {
  const auto handed_over = [](MachineBuilder machine) {
    return machine.in_set("other")
        .condition("HealthCheckSucceeded", "False", "NodeStartupTimeout")
        .condition("OwnerRemediated", "False", "MachineDeleting");
  };

  EXPECT_THAT(names(asked({unhealthy("a").in_set("one"), handed_over(in_phase("b", Phase::Terminating))})),
              IsEmpty());
  EXPECT_THAT(names(asked({unhealthy("a").in_set("one"), handed_over(in_phase("b", Phase::Terminating))},
                          {.limit = 2})),
              ElementsAre("a"));
}

TEST(Replacements, WaitForOneThatWasGrantedAndHasNotFailedYet) {
  EXPECT_THAT(names(asked({unhealthy("a"), granted("b")})), IsEmpty());
}

TEST(Replacements, WaitForOneThatIsGrantedThoughItWasPreservedAndForNoneThatIs) {
  const auto preserved =
      in_phase("b", Phase::Failed).annotated("capstan.dev/preserve-until", noon().to_string());

  EXPECT_THAT(names(asked({unhealthy("a"), preserved})), ElementsAre("a"));
  EXPECT_THAT(
      names(asked({unhealthy("a"), MachineBuilder(preserved).annotated("capstan.dev/replacement-granted",
                                                                       (kNow + -Seconds(900)).to_string())})),
      IsEmpty());
}

TEST(Replacements, WaitForOneThatIsMissingAndForOneThatHasReportedNothing) {
  EXPECT_THAT(names(asked({unhealthy("a")}, {.missing = 1})), IsEmpty());
  EXPECT_THAT(names(asked({unhealthy("a"), a_machine("b")})), IsEmpty());
}

TEST(Replacements, AMachineDoesNotStandInItsOwnWay) {
  Asked how;
  how.policy.replacement = api::PolicyReplacement{.count_states = {"Unhealthy"_text}};

  EXPECT_THAT(names(asked({unhealthy("a")}, how)), ElementsAre("a"));
  EXPECT_THAT(names(asked({unhealthy("a"), unhealthy("b")}, how)), IsEmpty());
}

TEST(Replacements, AreNoneOfASetThatIsRolledAway) {
  EXPECT_THAT(names(asked({unhealthy("a")}, {.of_an_old_set = "a"})), IsEmpty());
}

TEST(Replacements, LeaveAPausedMachineAlone) {
  EXPECT_THAT(names(asked({unhealthy("a").annotated("cluster.x-k8s.io/paused")})), IsEmpty());
}

TEST(Replacements, AreNoneWithoutContact) {
  EXPECT_THAT(names(asked({unhealthy("a")}, {.contact = {.now = false, .since = noon()}})), IsEmpty());
  EXPECT_THAT(names(asked({unhealthy("a")}, {.contact = {.now = true, .since = kNow + Seconds(-599)}})),
              IsEmpty());
}

TEST(Replacements, CountWhatIsInFlightWithWhatIsGrantedNow) {
  EXPECT_EQ(asked({unhealthy("a"), in_phase("b", Phase::Joining)}, {.limit = 2, .missing = 0}).in_flight, 2);
}

MachineBuilder replace_asked(std::string_view name) {
  return a_machine(name).running().condition(
      "capstan.dev/Lifecycle", "False", "Unhealthy",
      "HealthCheck Processing ReplaceRequested: annotation x; since 2026-01-01T13:00:00Z", kNow);
}

TEST(Replacements, WaitForNoTimeWhereAUserAsksForThemButForAPlace) {
  EXPECT_THAT(names(asked({replace_asked("a"), unhealthy("b", Seconds(1))})), ElementsAre("a"));
  EXPECT_THAT(names(asked({replace_asked("a"), replace_asked("b")})), ElementsAre("a"));
  EXPECT_THAT(names(asked({replace_asked("a"), in_phase("b", Phase::Joining)})), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
