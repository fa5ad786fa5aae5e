#include "api/contract/what_is_read.h"

#include <gtest/gtest.h>

#include "api/schema/decode.h"

namespace capstan::api::contract {
namespace {

TEST(ConditionsThatAreRead, LoseThoseNobodyLooksAt) {
  EXPECT_EQ(
      conditions_that_are_read(R"([{"status":"True","type":"Paused"},{"status":"False","type":"Ready"},)"
                               R"({"type":"InstanceReady","status":"True"}])"),
      R"([{"status":"False","type":"Ready"}])");
  EXPECT_EQ(conditions_that_are_read(R"([{"type":"Available"},{"type":"Paused"},{"type":"ScalingUp"}])"),
            R"([{"type":"Available"},{"type":"ScalingUp"}])");
  EXPECT_EQ(conditions_that_are_read(R"([{"type":"Paused"}])"), "[]");
}

TEST(ConditionsThatAreRead, KeepWhatHasNoTypeSoThatReadingItSaysSo) {
  for (const auto* odd : {"[]", "\"none\"", "{}", "null", R"([1,"x",[2,{"a":3}]])", R"([{"status":"True"}])",
                          R"([{"type":1,"status":"True"}])"}) {
    EXPECT_EQ(conditions_that_are_read(odd), odd);
  }
}

TEST(ConditionsThatAreRead, AreNotFooledByMessages) {
  const std::string ready = R"({"message":"said \"type\":\"Paused\", ] and },{ \\","type":"Ready"})";
  const std::string paused = R"({"message":"\"type\":\"Ready\"","type":"Paused"})";

  EXPECT_EQ(conditions_that_are_read("[" + paused + "," + ready + "," + paused + "]"), "[" + ready + "]");
}

TEST(ConditionsThatAreRead, AreToldByTheirOwnTypeAndNotByOneInside) {
  const std::string ready = R"({"details":{"type":"Paused"},"status":"True","type":"Ready"})";
  const std::string paused = R"({"details":[{"type":"Ready"}],"type":"Paused"})";

  EXPECT_EQ(conditions_that_are_read("[" + ready + "," + paused + "]"), "[" + ready + "]");
}

TEST(ConditionsThatAreRead, StayAsTheyAreWhenTheTextEndsEarly) {
  for (const auto* cut : {"[", R"([{"type":"Paused")", R"([{"type":"Paused"},{"a)"}) {
    EXPECT_EQ(conditions_that_are_read(cut), cut);
  }
}

TEST(ConditionsThatAreRead, AreThoseOfBothGenerations) {
  const auto kept = [](const std::string& newer) {
    auto object = decode<ContractObject>(R"({"kind":"K","status":{"v1beta2":)" + newer + "}}");
    keep_what_is_read(*object);
    return std::string(object->status.find(field::kV1Beta2).text());
  };

  EXPECT_EQ(kept(R"({"conditions":[{"type":"Paused"},{"type":"Ready"}]})"),
            R"({"conditions":[{"type":"Ready"}]})");
  EXPECT_EQ(kept(R"({"a":[1],"conditions":[{"type":"Paused"}],"more":[1]})"),
            R"({"a":[1],"conditions":[],"more":[1]})");
  for (const auto* other : {R"({"conditions":"none"})", "[]", R"({"more":[{"type":"Paused"}]})"}) {
    EXPECT_EQ(kept(other), other);
  }
}

TEST(ConditionsThatAreRead, AreAllThatTheCacheKeeps) {
  auto object = decode<ContractObject>(
      R"({"kind":"K","status":{"ready":true,"conditions":[{"type":"Ready","status":"True"},{"type":"Paused","status":"False"}]}})");
  ASSERT_TRUE(object);

  keep_what_is_read(*object);

  EXPECT_EQ(object->status.find(field::kConditions).text(), R"([{"type":"Ready","status":"True"}])");
  EXPECT_EQ(object->status.find(field::kReady).text(), "true");
}

TEST(Annotations, AreKeptButForTheCopyThatKubectlMakes) {
  auto object = decode<ContractObject>(
      R"({"kind":"K","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","a":"1"}}})");
  ASSERT_TRUE(object);

  keep_what_is_read(*object);

  EXPECT_EQ(object->metadata.annotations, (TextMap{{"a", "1"}}));
}

}  // namespace
}  // namespace capstan::api::contract
