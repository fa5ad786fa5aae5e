#include "controllers/lifecycle/victims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/machine.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Victims read(std::string_view annotation) {
  return victims_in(
      annotation,
      {.now = noon() + Seconds(60), .expiry = Seconds(3600), .objection = [](std::string_view name) {
         return std::string(name == "gone" ? "it is gone" : "");
       }});
}

TEST(Victims, AreNamedWithTheTimeAtWhichTheyWereNamed) {
  const auto victims = read("a~2026-01-01T12:00:00Z,b~2026-01-01T11:30:00Z");

  EXPECT_THAT(victims.valid, ElementsAre(Victim{.name = "a", .named = noon()},
                                         Victim{.name = "b", .named = noon() + Seconds(-1800)}));
  EXPECT_EQ(victims.value(), "a~2026-01-01T12:00:00Z,b~2026-01-01T11:30:00Z");
  EXPECT_EQ(victims.recheck, Seconds(3600 - 1860));
}

TEST(Victims, AnEntryWithoutATimeGetsNow) {
  EXPECT_EQ(read("a, b ,a").value(), "a~2026-01-01T12:01:00Z,b~2026-01-01T12:01:00Z");
}

TEST(Victims, WhatCannotBeReadIsDroppedAndTheRestStays) {
  const auto victims = read("a~yesterday,b~2026-01-01T12:00:00Z~x,c,,gone,old~2026-01-01T11:00:00Z");

  EXPECT_EQ(victims.value(), "c~2026-01-01T12:01:00Z");
  EXPECT_THAT(reasons(victims),
              ElementsAre(HasSubstr("a~yesterday: behind ~ stands no time"), HasSubstr("b~2026"),
                          "gone: it is gone", "old~2026-01-01T11:00:00Z: named more than 1h0m0s ago"));
}

TEST(Victims, OfNothingAreNone) {
  EXPECT_THAT(read("").valid, IsEmpty());
  EXPECT_EQ(read("").value(), "");
  EXPECT_FALSE(read("").names("a"));
}

TEST(Victims, SayNothingOfOneThatGoesAsItWasToldTo) {
  const Victims victims =
      victims_in("web-1", {.now = noon(), .expiry = Seconds(600), .objection = [](std::string_view) {
                             const api::Machine goes = a_machine("web-1").deleting();
                             return objection_to(&goes);
                           }});

  EXPECT_THAT(victims.dropped, testing::SizeIs(1));
  EXPECT_THAT(reasons(victims), testing::IsEmpty());
}

TEST(Victims, AMachineThatIsGoneGoesOrHasFailedIsNone) {
  const api::Machine goes = a_machine("m1").deleting();
  const api::Machine failed = a_machine("m1").condition("capstan.dev/Lifecycle", "False", "Failed");
  const api::Machine runs = a_machine("m1").running();

  EXPECT_THAT(objection_to(nullptr), HasSubstr("no Machine of that name"));
  EXPECT_THAT(objection_to(&goes), HasSubstr("being deleted"));
  EXPECT_THAT(objection_to(&failed), HasSubstr("has failed"));
  EXPECT_EQ(objection_to(&runs), "");
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
