#include "api/schema/shared_list.h"

#include <gtest/gtest.h>

#include <string>

#include "api/meta/condition.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/sample_types.h"

namespace capstan::api {
namespace {

using namespace literals;

const Time kMorning = Time::from_unix(1'767'250'000);
const Time kNoon = kMorning + Seconds(3600);

Condition ready(std::string_view message, Time since = kMorning) {
  return {.type = "Ready"_text,
          .status = "False"_text,
          .observed_generation = 3,
          .last_transition_time = since,
          .reason = "Waiting"_text,
          .message = FreeText(message)};
}

TEST(SharedList, StoresWhatIsEqualButForItsTimeOnce) {
  const auto before = Interned<Condition>::interned_count();
  const Conditions one{ready("for the provider to be asked", kMorning)};
  const Conditions other{ready("for the provider to be asked", kNoon)};

  EXPECT_EQ(Interned<Condition>::interned_count(), before + 1);
  EXPECT_EQ(&one[0].message, &other[0].message);
  EXPECT_EQ(one[0].last_transition_time, kMorning);
  EXPECT_EQ(other[0].last_transition_time, kNoon);
  EXPECT_FALSE(one == other);
  static_assert(sizeof(Shared<Condition>) == 16 && sizeof(Shared<V1Beta1Condition>) == 16);
}

TEST(SharedList, KeepsNothingOfAMessageThatChangesAllTheTime) {
  const auto before = Interned<Condition>::interned_count();
  Conditions list{ready("")};

  for (int left = 100; left > 0; --left)
    list.replace(list.begin(), ready("Drain not completed yet: " + std::to_string(left) + " Pods"));
  EXPECT_EQ(Interned<Condition>::interned_count(), before + 1);
  list.clear();

  EXPECT_EQ(Interned<Condition>::interned_count(), before);
}

TEST(SharedList, GivesBackTheWholeElementThatWasPutIn) {
  Condition whole = ready("for a VM");
  whole.unknown = UnknownFields::from_compact(R"({"more":"told by somebody else"})");
  const Conditions list{whole};

  const Condition copy = list.front();

  EXPECT_EQ(copy, whole);
  EXPECT_EQ(list.front(), whole);
  EXPECT_FALSE(list.front() == ready("for a VM"));
}

TEST(SharedList, FindsAPlaceThatIsUsedLikeAPointer) {
  const Conditions list{ready("for a VM")};
  const auto found = place_of(list, [](const ConditionView& each) { return each.type == "Ready"; });
  const auto nowhere = place_of(list, [](const ConditionView& each) { return each.type == "Paused"; });
  const Condition alone = ready("by itself");

  EXPECT_TRUE(nowhere == nullptr);
  ASSERT_TRUE(found != nullptr);
  EXPECT_EQ(found->message, "for a VM");
  EXPECT_EQ(found->last_transition_time, kMorning);
  EXPECT_EQ(ConditionPlace(&alone)->last_transition_time, kMorning);
  EXPECT_TRUE(ConditionPlace(static_cast<const Condition*>(nullptr)) == nullptr);
}

TEST(SharedList, ErasesAndSortsWholeElements) {
  Conditions list{ready("c", kNoon), ready("a", kMorning), ready("b", kNoon)};

  list.sort_by([](const ConditionView& each) { return each.message.view(); });
  const auto erased = erase_if(list, [](const ConditionView& each) { return each.message == "b"; });

  EXPECT_EQ(erased, 1U);
  EXPECT_TRUE(list == Conditions({ready("a", kMorning), ready("c", kNoon)}));
}

TEST(SharedList, IsReadAndWrittenLikeAnyList) {
  const std::string text =
      R"({"conditions":[{"type":"Ready","status":"False","observedGeneration":3,)"
      R"("lastTransitionTime":"2026-01-01T06:46:40Z","reason":"Waiting","message":"for a VM","more":[1]}]})";

  const auto read = decode<SampleStatus>(text);

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->conditions[0].unknown.text(), R"({"more":[1]})");
  EXPECT_EQ(encode(*read), text);
}

TEST(SharedList, NamesTheElementThatDoesNotFit) {
  const auto wrong = decode<SampleStatus>(R"({"conditions":[{"type":"Ready"},{"type":"Up","status":7}]})");
  const auto none = decode<SampleStatus>(R"({"conditions":[{"type":"Ready"},null]})");

  EXPECT_EQ(wrong.error().message, "conditions[1].status: expected string, found integer 7");
  EXPECT_EQ(none.error().message, "conditions[1]: expected object, found null");
}

}  // namespace
}  // namespace capstan::api
