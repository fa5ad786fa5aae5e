#include "api/schema/encode.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/schema/decode.h"
#include "api/schema/defaults.h"
#include "api/schema/sample_types.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

TEST(Encode, LeavesEmptyMembersOut) {
  EXPECT_EQ(encode(SampleTaint{.key = Text("k"), .effect = Text("e")}), R"({"key":"k","effect":"e"})");
  EXPECT_EQ(encode(SampleDeletion()), "{}");
  EXPECT_EQ(encode(SampleStatus()), "{}");
}

TEST(Encode, WritesRequiredMembersEvenWhenEmpty) {
  EXPECT_EQ(encode(SampleTaint()), R"({"key":"","effect":""})");
  EXPECT_EQ(encode(Sample()),
            R"({"apiVersion":"example.dev/v1","kind":"Sample","spec":{"clusterName":"","selector":{}}})");
}

TEST(Encode, WritesWhatIsPresentEvenWhenZero) {
  SampleSpec spec;
  spec.replicas = 0;
  spec.paused = false;
  spec.max_surge = IntOrString(0);
  spec.pods = LabelSelector();

  EXPECT_EQ(
      to_json(spec),
      json::parse(R"({"clusterName":"","selector":{},"replicas":0,"paused":false,"maxSurge":0,"pods":{}})"));
}

TEST(Encode, OmitsATimeThatIsNotSetEvenWhenRequired) {
  EXPECT_FALSE(to_json(Condition()).as_object().contains("lastTransitionTime"));
  EXPECT_EQ(to_json(Condition()).at("message"), "");
}

TEST(Encode, FindsNestedEmptiness) {
  SampleStatus status;
  EXPECT_TRUE(is_empty(status));

  status.last_taint.emplace();
  EXPECT_FALSE(is_empty(status)) << "a present Boxed is there, whatever it holds";

  SampleDeletion deletion;
  deletion.unknown = UnknownFields(json::object{{"later", 1}});
  EXPECT_FALSE(is_empty(deletion));
}

TEST(Encode, EscapesWhatJsonCannotHold) {
  SampleTaint taint{.key = Text("a\"\\\n\x01"), .effect = Text("\u00e9")};

  EXPECT_EQ(decode<SampleTaint>(encode(taint))->key, taint.key);
}

TEST(UnknownFields, AreFoundByName) {
  const UnknownFields fields(json::object{{"a", json::array{2}}, {"b", "x"}});

  EXPECT_EQ(fields.text(), R"({"a":[2],"b":"x"})");
  EXPECT_EQ(fields.find("b")->text(), "\"x\"");
  EXPECT_FALSE(fields.find("c"));
}

TEST(UnknownFields, AreSpelledAlikeWhereverTheyComeFrom) {
  const UnknownFields fields(json::object{{"a", 100.0}});

  EXPECT_EQ(fields, decode<SampleTaint>(R"({"a":1e2})")->unknown);
}

TEST(UnknownFields, TakeEightBytes) {
  EXPECT_EQ(sizeof(UnknownFields), 8U);
  EXPECT_EQ(sizeof(RawJson), 8U);
  EXPECT_EQ(sizeof(TextMap), 8U);
  EXPECT_EQ(sizeof(Boxed<Sample>), 8U);
}

TEST(Defaults, FillWhatIsAbsentAndLeaveWhatIsGiven) {
  auto sample = decode<Sample>(R"({"spec":{"deletion":{"timeoutSeconds":0}}})");

  apply_defaults(*sample);

  EXPECT_EQ(sample->spec.deletion.timeout_seconds, 0);
  EXPECT_EQ(sample->spec.deletion.order, "Oldest");
}

TEST(Defaults, DoNotMakeAParentThatHasNone) {
  Sample sample;

  apply_defaults(sample);

  EXPECT_EQ(sample, Sample());
}

}  // namespace
}  // namespace capstan::api
