#include "controllers/lifecycle/aliases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/annotations.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/victims.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::a_node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kTheirPreserve = "node.machine.sapcloud.io/preserve";

// As a manager that was started with --mcm-aliases.
class Aliases : public testing::Test {
 protected:
  Aliases() { accept_mcm_aliases(true); }
  ~Aliases() override { accept_mcm_aliases(false); }
};

TEST(WithoutTheSwitch, KeysOfMachineControllerManagerSayNothing) {
  const api::Machine machine = a_machine("m")
                                   .labelled("force-deletion", "True")
                                   .annotated("machinepriority.machine.sapcloud.io", "1")
                                   .annotated(kTheirPreserve, "now");

  EXPECT_FALSE(flag_in(machine.metadata.labels, "label", "capstan.dev/force-deletion").is_on);
  EXPECT_EQ(deletion_priority(machine.metadata), 3);
  EXPECT_FALSE(wishes_for(machine, {}).wish);
  EXPECT_THAT(overruled_aliases(machine.metadata.labels), IsEmpty());
  EXPECT_THAT(overruled_aliases(machine.metadata.annotations), IsEmpty());
}

TEST_F(Aliases, SayWhatOurKeysSay) {
  const api::Machine machine = a_machine("m")
                                   .labelled("force-deletion", "True")
                                   .annotated("machinepriority.machine.sapcloud.io", "1")
                                   .annotated("node.machine.sapcloud.io/effective-creation-timeout", "20m0s")
                                   .annotated(kTheirPreserve, "when-failed");

  const auto flag = flag_in(machine.metadata.labels, "label", "capstan.dev/force-deletion");
  EXPECT_TRUE(flag.is_on);
  EXPECT_EQ(flag.key, "force-deletion");
  EXPECT_EQ(deletion_priority(machine.metadata), 1);
  EXPECT_EQ(whole_number(machine.metadata, "capstan.dev/creation-timeout-seconds", kSecondsOfATimeout).value,
            1200);
  EXPECT_EQ(wishes_for(machine, {}).wish, Wish::WhenFailed);
  EXPECT_EQ(wishes_for(machine, {}).key, kTheirPreserve);
}

TEST_F(Aliases, GiveWayToOurKeyAndAreNamed) {
  const api::Machine machine = a_machine("m")
                                   .annotated("capstan.dev/deletion-priority", "7")
                                   .annotated("machinepriority.machine.sapcloud.io", "1");

  const auto number = whole_number(machine.metadata, "capstan.dev/deletion-priority", kDeletionPriorities);

  constexpr std::string_view kSentence =
      "capstan.dev/deletion-priority says \"7\" and wins over machinepriority.machine.sapcloud.io, which "
      "says "
      "\"1\": take one of them off";
  EXPECT_EQ(number.value, 7);
  EXPECT_EQ(number.problem, kSentence);
  EXPECT_THAT(overruled_aliases(machine.metadata.annotations), ElementsAre(kSentence));
}

TEST_F(Aliases, ThatSayTheSameAsOurKeyAreNoContradiction) {
  const api::Machine machine = a_machine("m")
                                   .labelled("capstan.dev/force-deletion", "true")
                                   .labelled("force-deletion", "True")
                                   .annotated("capstan.dev/creation-timeout-seconds", "1200")
                                   .annotated("node.machine.sapcloud.io/effective-creation-timeout", "20m");

  EXPECT_THAT(overruled_aliases(machine.metadata.labels), IsEmpty());
  EXPECT_THAT(overruled_aliases(machine.metadata.annotations), IsEmpty());
}

TEST_F(Aliases, WithAValueThatMeansNothingAreNamedByTheirOwnKey) {
  const api::Machine machine = a_machine("m")
                                   .labelled("force-deletion", "yes")
                                   .annotated("machinepriority.machine.sapcloud.io", "first");

  EXPECT_THAT(flag_in(machine.metadata.labels, "label", "capstan.dev/force-deletion").problem,
              HasSubstr("label force-deletion: \"yes\" is ignored"));
  EXPECT_THAT(
      whole_number(machine.metadata, "capstan.dev/deletion-priority", kDeletionPriorities).problem,
      HasSubstr("annotation machinepriority.machine.sapcloud.io: \"first\" is ignored, a whole number"));
}

// machine-controller-manager has written that itself.
TEST_F(Aliases, AutoPreservedIsNoWishOfAUser) {
  const api::Machine machine = a_machine("m").annotated(kTheirPreserve, "auto-preserved");

  EXPECT_FALSE(wishes_for(machine, {}).wish);
  EXPECT_EQ(wishes_for(machine, {}).problem, "");
}

TEST_F(Aliases, OnANodeWinOverTheMachine) {
  const api::Machine machine = a_machine("m").annotated("capstan.dev/preserve", "now");
  const api::Node node = a_node("n").annotated(kTheirPreserve, "false").build();

  const auto wishes = wishes_for(machine, {.known = true, .node = &node});

  EXPECT_EQ(wishes.wish, Wish::Never);
  EXPECT_TRUE(wishes.by_node);
}

TEST_F(Aliases, GoTogetherWithOurKey) {
  api::Machine machine =
      a_machine("m").annotated("capstan.dev/preserve", "now").annotated(kTheirPreserve, "now");

  erase_said(machine.metadata.annotations, "capstan.dev/preserve");

  EXPECT_FALSE(machine.metadata.annotations.contains("capstan.dev/preserve"));
  EXPECT_FALSE(machine.metadata.annotations.contains(kTheirPreserve));
}

constexpr std::string_view kTheirVictims = "node.machine.sapcloud.io/trigger-deletion-by-mcm";

TEST_F(Aliases, NameVictimsAndGetTheListBackUnderTheirOwnKey) {
  api::Machine machine = a_machine("m").annotated(kTheirVictims, "m1,m2");

  EXPECT_EQ(victims_said(machine.metadata.annotations), "m1,m2");
  rewrite_victims(machine.metadata.annotations, "m2~2026-01-01T12:00:00Z");
  EXPECT_EQ(machine.metadata.annotations.value_or_empty(kTheirVictims), "m2~2026-01-01T12:00:00Z");
  EXPECT_FALSE(machine.metadata.annotations.contains("capstan.dev/victims"));
  rewrite_victims(machine.metadata.annotations, "");

  EXPECT_FALSE(machine.metadata.annotations.contains(kTheirVictims));
}

TEST_F(Aliases, OfVictimsGiveWayToOurList) {
  const api::Machine machine =
      a_machine("m").annotated("capstan.dev/victims", "m1").annotated(kTheirVictims, "m2");

  EXPECT_EQ(victims_said(machine.metadata.annotations), "m1");
  EXPECT_THAT(overruled_alias(machine.metadata.annotations, "capstan.dev/victims"),
              HasSubstr("wins over node.machine.sapcloud.io/trigger-deletion-by-mcm"));
}

TEST(WithoutTheSwitch, AListOfMachineControllerManagerNamesNoVictim) {
  const api::Machine machine = a_machine("m").annotated(kTheirVictims, "m1");

  EXPECT_EQ(victims_said(machine.metadata.annotations), "");
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
