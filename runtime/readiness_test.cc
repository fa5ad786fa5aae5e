#include "runtime/readiness.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/driver/driver_machine.h"

namespace capstan::runtime {
namespace {

using api::NoteCode;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kNow = Time::from_unix(1'000);

const Note kGone{.code = NoteCode::VmGone, .text = "it is gone"};
const Note kStopped{.code = NoteCode::VmStopped, .text = "it is off"};

Readiness because_of(const Note& note) { return {.obstacle = note.code, .message = note.text}; }

// An object whose status takes in one conclusion after the other.
struct Concluded {
  api::DriverMachine object = {};

  std::vector<Note> conclude_with(std::optional<Readiness> readiness, Paused paused = {}) {
    const api::DriverMachineStatus before = object.status;
    return conclude(object, before,
                    {.readiness = std::move(readiness), .paused = std::move(paused), .now = kNow});
  }
  std::string condition(std::string_view type) const {
    const auto found = api::conditions::find(object.status.conditions, type);
    if (found == nullptr) return {};
    return found->status.str() + " " + found->reason.str() + ": " + found->message.str();
  }
};

TEST(Readiness, IsNewsWhenItEndsForAnotherReasonThanBefore) {
  Concluded concluded;

  EXPECT_THAT(concluded.conclude_with(Readiness()), IsEmpty());
  EXPECT_THAT(concluded.conclude_with(because_of(kGone)), ElementsAre(kGone));
  EXPECT_THAT(concluded.conclude_with(because_of({.code = kGone.code, .text = "still"})), IsEmpty());
  EXPECT_THAT(concluded.conclude_with(because_of(kStopped)), ElementsAre(kStopped));
  EXPECT_THAT(concluded.conclude_with(Readiness()), IsEmpty());
  EXPECT_EQ(concluded.condition("Ready"), "True Ready: ");
}

TEST(Readiness, ThatIsSilentStandsInTheConditionOnly) {
  Concluded concluded;
  Readiness passing = because_of(kGone);
  passing.silent = true;

  EXPECT_THAT(concluded.conclude_with(passing), IsEmpty());

  EXPECT_EQ(concluded.condition("Ready"), "False VMGone: it is gone");
}

TEST(Readiness, StaysAsItIsWithoutOne) {
  Concluded concluded;
  concluded.conclude_with(because_of(kGone));
  const api::DriverMachine before = concluded.object;

  EXPECT_THAT(concluded.conclude_with(std::nullopt), IsEmpty());

  EXPECT_EQ(concluded.object, before);
}

TEST(Readiness, IsWrittenWithTheGenerationItIsAbout) {
  Concluded concluded;
  concluded.object.metadata.generation = 7;

  concluded.conclude_with(Readiness());

  EXPECT_EQ(concluded.object.status.observed_generation, 7);
  EXPECT_EQ(api::conditions::find(concluded.object.status.conditions, "Ready")->observed_generation, 7);
}

TEST(PausedCondition, IsSaidWithOtherNewsAndTakenBackAtOnce) {
  Concluded concluded;
  const Paused paused{.paused = true, .message = "by a test"};

  concluded.conclude_with(std::nullopt);
  const std::string at_first = concluded.condition("Paused");
  concluded.conclude_with(Readiness());
  const std::string with_news = concluded.condition("Paused");
  concluded.conclude_with(std::nullopt, paused);
  const std::string during = concluded.condition("Paused");
  concluded.conclude_with(std::nullopt);

  EXPECT_EQ(at_first, "");
  EXPECT_EQ(with_news, "False NotPaused: ");
  EXPECT_EQ(during, "True Paused: by a test");
  EXPECT_EQ(concluded.condition("Paused"), "False NotPaused: ");
}

TEST(Waiting, IsShownAfterTenSeconds) {
  api::ObjectMeta object;
  object.creation_timestamp = kNow;

  EXPECT_EQ(until_shown(object, kNow + Seconds(4)), Seconds(6));
  EXPECT_EQ(until_shown(object, kNow + Seconds(10)), std::nullopt);
  EXPECT_EQ(until_shown({}, kNow), Seconds(10)) << "it has no time of creation yet";
}

}  // namespace
}  // namespace capstan::runtime
