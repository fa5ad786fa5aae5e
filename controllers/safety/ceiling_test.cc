#include "controllers/safety/ceiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/safety/released.h"

namespace capstan::controllers::safety {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Time kNoon = *Time::parse("2026-01-01T12:00:00Z");

TEST(Ceiling, ReleasedMachinesTakeTheRoomOfNewOnes) {
  const Ceiling ceiling{.is_on = true, .most = 5, .owned = 0, .released = 3};

  EXPECT_EQ(allowed_by(ceiling, 3), 2);
  EXPECT_EQ(allowed_by(ceiling, 1), 1);
}

TEST(Ceiling, IsNeverBelowNothing) {
  EXPECT_EQ(allowed_by({.is_on = true, .most = 5, .owned = 3, .released = 9}, 2), 0);
}

TEST(Ceiling, WithoutAPolicyThereIsNone) { EXPECT_EQ(allowed_by({.released = 9}, 3), 3); }

TEST(Ceiling, IsToldWithTheLabelThatDidIt) {
  const std::string words = ceiling_in_words(
      {.is_on = true, .most = 5, .owned = 2, .released = 3, .blame = R"(label team is "b" and not "a")"});

  EXPECT_THAT(words, AllOf(HasSubstr("5 Machines are or will be there, 5 may be: 3 of them were released "
                                     "because label team is \"b\" and not \"a\""),
                           HasSubstr("capstan.dev/released")));
}

TEST(Ceiling, OfMachinesThatNoneReleasedSaysNothingOfLabels) {
  EXPECT_THAT(ceiling_in_words({.is_on = true, .most = 5, .owned = 6}), Not(HasSubstr("released")));
}

TEST(Mismatch, NamesTheLabelAndBothValues) {
  api::LabelSelector selector;
  selector.match_labels.set("team", "a");
  selector.match_expressions.push_back({.key = Text("zone"), .operator_ = Text("Exists")});
  api::TextMap labels;

  EXPECT_EQ(mismatch(selector, labels), "label team is missing");
  labels.set("team", "b");
  EXPECT_EQ(mismatch(selector, labels), R"(label team is "b" and not "a")");
  labels.set("team", "a");
  EXPECT_EQ(mismatch(selector, labels), "label zone does not match the selector");
  labels.set("zone", "1");
  EXPECT_EQ(mismatch(selector, labels), "");
}

TEST(Released, IsReadAsItWasWritten) {
  Released released;
  released.add("m2", kNoon);
  released.add("m1", kNoon + Seconds(5));
  released.add("m2", kNoon + Seconds(9));
  api::ObjectMeta owner;

  note_released(released, owner);

  EXPECT_EQ(owner.annotations.value_or_empty("capstan.dev/released"), "2 since 2026-01-01T12:00:00Z: m1,m2");
  EXPECT_EQ(released_by(owner), released);
}

TEST(Released, WithoutNamesIsNoAnnotation) {
  api::ObjectMeta owner;
  owner.annotations.set("capstan.dev/released", "1 since 2026-01-01T12:00:00Z: m1");
  note_released({}, owner);
  EXPECT_TRUE(owner.annotations.empty());
}

TEST(Released, WhatIsNoneOfOursNamesNothing) {
  for (const auto* text : {"", "yes", "1 since yesterday: m1", ": m1 since 2026-01-01T12:00:00Z"}) {
    api::ObjectMeta owner;
    owner.annotations.set("capstan.dev/released", text);
    EXPECT_THAT(released_by(owner).names, IsEmpty()) << text;
  }
}

TEST(Released, TakesNoMoreNamesThanAnAnnotationHolds) {
  Released released;
  for (std::size_t at = 0; at < Released::kNames + 5; ++at) released.add("m" + std::to_string(at), kNoon);
  EXPECT_THAT(released.names, SizeIs(Released::kNames));
}

}  // namespace
}  // namespace capstan::controllers::safety
