#include "controllers/safety/freeze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/safety/frozen_condition.h"

namespace capstan::controllers::safety {
namespace {

namespace annotation = api::policy::annotation;
namespace reason = api::policy::reason;
using testing::AllOf;
using testing::HasSubstr;

const Time kNow = *Time::parse("2026-01-01T12:00:00Z");

api::ObjectMeta object(std::string_view name, std::string_view key = {}, std::string_view value = {}) {
  api::ObjectMeta metadata{.name = Text(name)};
  if (!key.empty()) metadata.annotations.set(key, value);
  return metadata;
}

Frozen frozen(const api::ObjectMeta& set, const api::ObjectMeta& deployment, const api::ObjectMeta& cluster) {
  const std::array lineage = {Freezer{.kind = api::kind::kMachineSet, .metadata = &set},
                              Freezer{.kind = api::kind::kMachineDeployment, .metadata = &deployment},
                              Freezer{.kind = api::kind::kCluster, .metadata = &cluster}};
  return frozen_by_annotation(lineage);
}

// Three replicas and a surge of one: six are too many, five are not.
NumberSeen seen(Count there, bool was_frozen = false, Time thawed = {}) {
  return {.now = kNow,
          .thawed = thawed,
          .there = there,
          .wanted = {.replicas = 3, .surge = 1},
          .was_frozen = was_frozen};
}

api::Conditions frozen_since(Time since, std::string_view why = reason::kOvershooting) {
  api::Conditions list;
  show_frozen({.reason = why, .why = "x"}, list, 1, since);
  return list;
}

TEST(FrozenByAnnotation, SaysWhereTheAnnotationStandsAndWhatItSays) {
  const auto found = frozen(object("s"), object("d", annotation::kFreeze, "maintenance"), object("c"));

  EXPECT_EQ(found.reason, reason::kFrozenByAnnotation);
  EXPECT_THAT(found.why, AllOf(HasSubstr("\"maintenance\" of MachineDeployment d"), HasSubstr("taken off")));
}

api::ObjectMeta labelled_by_mcm(std::string_view name) {
  api::ObjectMeta metadata = object(name);
  metadata.labels.set("freeze", "True");
  return metadata;
}

TEST(FrozenByAlias, IsOverruledByOurAnnotationThatSaysFalse) {
  auto set = labelled_by_mcm("s");
  set.annotations.set(annotation::kFreeze, "false");

  lifecycle::accept_mcm_aliases(true);
  const auto found = frozen(set, object("d"), object("c"));
  lifecycle::accept_mcm_aliases(false);

  EXPECT_FALSE(found.holds());
}

TEST(FrozenByAlias, CountsOnlyWithTheSwitchAndOnSetsAndDeployments) {
  const auto set = labelled_by_mcm("s");
  EXPECT_FALSE(frozen(set, object("d"), object("c")).holds());

  lifecycle::accept_mcm_aliases(true);
  const auto found = frozen(set, object("d"), object("c"));
  const auto cluster = frozen(object("s"), object("d"), labelled_by_mcm("c"));
  lifecycle::accept_mcm_aliases(false);

  EXPECT_EQ(found.reason, reason::kFrozenByAnnotation);
  EXPECT_THAT(found.why, HasSubstr("frozen by the label freeze of MachineSet s"));
  EXPECT_FALSE(cluster.holds());
}

TEST(FrozenByAnnotation, OfAClusterHasAReasonOfItsOwn) {
  EXPECT_EQ(frozen(object("s"), object("d"), object("c", annotation::kFreeze, "x")).reason,
            reason::kFrozenByCluster);
}

TEST(FrozenByAnnotation, OnTheClusterItselfIsAnAnnotationLikeAnyOther) {
  const auto cluster = object("c", annotation::kFreeze, "x");
  const std::array lineage = {Freezer{.kind = api::kind::kCluster, .metadata = &cluster}};

  EXPECT_EQ(frozen_by_annotation(lineage).reason, reason::kFrozenByAnnotation);
}

TEST(FrozenByAnnotation, FalseFreezesNothing) {
  EXPECT_FALSE(frozen(object("s", annotation::kFreeze, "false"), object("d"), object("c")).holds());
}

TEST(FrozenByAnnotation, NeedsNoReason) {
  EXPECT_TRUE(frozen(object("s"), object("d", annotation::kFreeze, ""), object("c")).holds());
}

TEST(FrozenByNumber, NamesTheNumbersAndWhatOpensIt) {
  const auto found = frozen_by_number({}, seen(6));

  EXPECT_EQ(found.reason, reason::kOvershooting);
  EXPECT_THAT(found.why, AllOf(HasSubstr("6 Machines are there"), HasSubstr("opens with 5 or fewer"),
                               HasSubstr(annotation::kUnfreeze)));
}

TEST(FrozenByNumber, HoldsUntilTheLowerLimit) {
  EXPECT_FALSE(frozen_by_number({.up = 4, .down = 3}, seen(7)).holds());
  EXPECT_TRUE(frozen_by_number({.up = 4, .down = 3}, seen(7, true)).holds());
  EXPECT_FALSE(frozen_by_number({.up = 4, .down = 3}, seen(5, true)).holds());
}

TEST(FrozenByNumber, AThawHoldsAMinute) {
  EXPECT_EQ(frozen_by_number({}, seen(9, true, kNow + Seconds(-59))), (Frozen{.recheck = Seconds(1)}));
  EXPECT_TRUE(frozen_by_number({}, seen(9, false, kNow + Seconds(-60))).holds());
}

TEST(FrozenByNumber, AThawThatIsFarAheadOfTheClockIsNone) {
  EXPECT_EQ(frozen_by_number({}, seen(9, false, kNow + Seconds(30))).recheck, Seconds(60));
  EXPECT_TRUE(frozen_by_number({}, seen(9, false, kNow + Seconds(3600))).holds());
}

TEST(WasFrozenByNumber, IsWhatTheConditionSaysUnlessAPersonThawedItSince) {
  EXPECT_TRUE(was_frozen_by_number(frozen_since(kNow), {}));
  EXPECT_TRUE(was_frozen_by_number(frozen_since(kNow), kNow + Seconds(-1)));
  EXPECT_FALSE(was_frozen_by_number(frozen_since(kNow), kNow));
  EXPECT_FALSE(was_frozen_by_number(frozen_since(kNow, reason::kFrozenByAnnotation), {}));
  EXPECT_FALSE(was_frozen_by_number({}, {}));
}

TEST(Thaw, TakesTheWishOffAndNotesItsTime) {
  lifecycle::accept_mcm_aliases(true);
  for (const auto key : {annotation::kUnfreeze, annotation::kUnfreezeOfMcm}) {
    auto metadata = object("s", key, "True");
    EXPECT_EQ(thawed_at(metadata, kNow), kNow);

    note_thaw(metadata, kNow);

    EXPECT_FALSE(asks_for_thaw(metadata));
    EXPECT_EQ(thawed_at(metadata, kNow + Seconds(9)), kNow);
  }
  lifecycle::accept_mcm_aliases(false);
}

TEST(Thaw, IsWantedByTheAliasOnlyWithTheSwitch) {
  auto metadata = object("s", annotation::kUnfreezeOfMcm, "True");
  note_thaw(metadata, kNow);
  EXPECT_EQ(metadata, object("s", annotation::kUnfreezeOfMcm, "True"));
  EXPECT_FALSE(asks_for_thaw(metadata));
}

TEST(Thaw, IsNotWantedByFalse) {
  auto metadata = object("s", annotation::kUnfreeze, "false");
  note_thaw(metadata, kNow);
  EXPECT_EQ(metadata, object("s", annotation::kUnfreeze, "false"));
  EXPECT_FALSE(thawed_at(metadata, kNow).is_set());
}

TEST(FrozenCondition, AppearsWithTheFirstFreezeAndStaysAfterIt) {
  api::Conditions list;
  show_frozen({}, list, 1, kNow);
  EXPECT_TRUE(list.empty());

  show_frozen({.reason = reason::kFrozenByAnnotation, .why = "because"}, list, 1, kNow);
  EXPECT_TRUE(is_shown_frozen(list));

  show_frozen({}, list, 1, kNow + Seconds(5));
  const auto said = api::conditions::find(list, api::policy::condition::kFrozen);
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->reason, reason::kNotFrozen);
  EXPECT_EQ(said->status, api::status::kFalse);
}

TEST(FreezeNews, AreToldWhenItBeginsAndWhenItEnds) {
  const auto on = frozen_since(kNow);

  EXPECT_EQ(freeze_news({}, on), (runtime::Note{.code = api::NoteCode::Frozen, .text = "x"}));
  EXPECT_EQ(freeze_news(on, on), std::nullopt);
  EXPECT_EQ(freeze_news(on, {})->code, api::NoteCode::Unfrozen);
}

}  // namespace
}  // namespace capstan::controllers::safety
