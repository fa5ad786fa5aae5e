#include "api/schema/decode.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <random>

#include "api/schema/encode.h"
#include "api/schema/sample_types.h"

namespace capstan::api {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kSample = R"({
  "apiVersion": "example.dev/v1", "kind": "Sample",
  "metadata": {
    "name": "a", "namespace": "n", "uid": "0f9a7a3c-9d5e-4c7e-8a48-0a2f4d9e6b11", "resourceVersion": "4711",
    "generation": 3, "creationTimestamp": "2026-01-02T03:04:05Z",
    "labels": {"zone": "z1", "app": "web"}, "annotations": {"note": "line\nbreak \u00e9 \ud83d\ude00"},
    "ownerReferences": [{"apiVersion": "example.dev/v1", "kind": "Set", "name": "s", "uid": "odd uid", "controller": true}],
    "finalizers": ["example.dev/hold"]
  },
  "spec": {
    "clusterName": "c", "replicas": 0, "serial": -9007199254740993, "paused": false, "strict": true, "maxSurge": "25%",
    "deletion": {"timeoutSeconds": 0},
    "taints": [{"key": "k", "effect": "NoExecute"}, {"key": "l", "effect": "NoSchedule", "value": "v"}],
    "names": ["x", "y"], "attributes": {"a": "1"},
    "selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]},
    "pods": {}, "topology": {"class": "big", "numbers": [1, 2.5, -3.5, true, null, "x"]}
  },
  "status": {
    "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 3,
                    "lastTransitionTime": "2026-01-02T03:04:06Z", "reason": "Fine", "message": ""}],
    "lastTaint": {"key": "k", "effect": "NoSchedule"}, "lastUpdated": "2026-01-02T03:04:05Z",
    "renewed": "2026-01-02T03:04:05.000006Z", "observedGeneration": 3
  }
})";

std::string message(const auto& result) { return result ? "no error" : result.error().message; }

TEST(Decode, FillsEveryTypeOfField) {
  const auto sample = decode<Sample>(kSample);

  ASSERT_TRUE(sample) << message(sample);
  EXPECT_EQ(sample->metadata.name, "a");
  EXPECT_EQ(sample->metadata.resource_version.number(), 4711U);
  EXPECT_EQ(sample->metadata.labels, (TextMap{{"app", "web"}, {"zone", "z1"}}));
  EXPECT_EQ(sample->metadata.annotations.value_or_empty("note"), "line\nbreak \u00e9 \U0001F600");
  EXPECT_EQ(sample->metadata.controller()->uid.str(), "odd uid");
  EXPECT_TRUE(sample->metadata.has_finalizer("example.dev/hold"));
  EXPECT_EQ(sample->spec.replicas, 0);
  EXPECT_EQ(sample->spec.serial, -9007199254740993);
  EXPECT_EQ(sample->spec.paused, false);
  EXPECT_EQ(sample->spec.max_surge, IntOrString(Text("25%")));
  EXPECT_EQ(sample->spec.taints.at(1).value, "v");
  EXPECT_TRUE(sample->spec.pods.has_value());
  EXPECT_EQ(sample->spec.topology.text(), R"({"class":"big","numbers":[1,2.5,-3.5,true,null,"x"]})");
  EXPECT_EQ(sample->status.last_taint->effect, "NoSchedule");
  EXPECT_EQ(sample->status.renewed.unix_micros() % 1000000, 6);
}

TEST(Decode, EncodesBackWhatItRead) {
  const auto sample = decode<Sample>(kSample);

  ASSERT_TRUE(sample) << message(sample);
  EXPECT_EQ(to_json(*sample), json::parse(kSample));
}

TEST(Decode, ReadsTheSameFromAParsedDocument) {
  const auto from_text = decode<Sample>(kSample);
  const auto from_value = from_json<Sample>(json::parse(kSample));

  ASSERT_TRUE(from_value) << message(from_value);
  EXPECT_EQ(*from_text, *from_value);
}

TEST(Decode, ReadsTheSameWhereverAChunkIsCut) {
  const auto whole = decode<Sample>(kSample);

  for (std::size_t cut = 0; cut <= kSample.size(); ++cut) {
    Decoder<Sample> decoder;
    ASSERT_TRUE(decoder.feed(kSample.substr(0, cut)));
    ASSERT_TRUE(decoder.feed(kSample.substr(cut)));
    const auto pieces = decoder.finish();
    ASSERT_TRUE(pieces) << "cut at " << cut << ": " << message(pieces);
    ASSERT_EQ(*pieces, *whole) << "cut at " << cut;
  }
}

TEST(Decode, ReadsTheSameByteByByte) {
  Decoder<Sample> decoder;
  for (const char c : kSample) ASSERT_TRUE(decoder.feed({&c, 1}));
  const auto pieces = decoder.finish();

  ASSERT_TRUE(pieces) << message(pieces);
  EXPECT_EQ(*pieces, *decode<Sample>(kSample));
}

TEST(Decode, RefusesAnObjectThatEndsEarlyWhereverThatIs) {
  for (std::size_t cut = 0; cut + 1 < kSample.size(); ++cut) {
    ASSERT_FALSE(decode<Sample>(kSample.substr(0, cut))) << "cut at " << cut;
  }
}

TEST(Decode, TakesNullForAbsent) {
  const auto sample = decode<Sample>(
      R"({"metadata": {"name": "a", "labels": null, "ownerReferences": null, "creationTimestamp": null},
          "spec": {"replicas": null, "taints": null, "deletion": null, "pods": null}, "status": null})");

  ASSERT_TRUE(sample) << message(sample);
  EXPECT_EQ(sample->spec, SampleSpec());
  EXPECT_EQ(sample->status, SampleStatus());
}

TEST(Decode, KeepsUnknownMembersOfEveryStruct) {
  const std::string_view text =
      R"({"apiVersion":"example.dev/v1","kind":"Sample",
          "metadata":{"name":"a","selfLink":"/x"},
          "spec":{"clusterName":"c","selector":{"extra":1},"future":{"a":[{"b":null}]},"deletion":{"later":"\"\u0001\""},
                  "taints":[{"key":"k","effect":"e","more":[]},{"key":"l","effect":"e","and":{}}]},
          "status":{"new":12345678901234567890},"top":true})";

  const auto sample = decode<Sample>(text);

  ASSERT_TRUE(sample) << message(sample);
  EXPECT_EQ(sample->spec.unknown.find("future")->text(), R"({"a":[{"b":null}]})");
  EXPECT_EQ(to_json(*sample), json::parse(text));
}

TEST(Decode, DropsUnknownMembersOfAProjection) {
  const auto view = decode<SampleView>(kSample);

  ASSERT_TRUE(view) << message(view);
  EXPECT_EQ(view->spec.cluster_name, "c");
  static_assert(!Encodable<SampleView>);
}

TEST(Decode, MakesCarriedMembersPartOfEquality) {
  const auto one = decode<Sample>(R"({"spec":{"future":1}})");
  const auto same = decode<Sample>(R"({"spec":{ "future" : 1 }})");
  const auto other = decode<Sample>(R"({"spec":{"future":2}})");

  EXPECT_EQ(*one, *same);
  EXPECT_NE(*one, *other);
}

struct Fault {
  std::string_view text;
  std::string_view message;
};

class DecodeFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(DecodeFaults, NamePathAndExpectation) {
  const auto text = decode<Sample>(GetParam().text);
  const auto value = from_json<Sample>(json::parse(GetParam().text));

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, GetParam().message);
  EXPECT_EQ(text.error().code, Code::Invalid);
  EXPECT_EQ(message(value), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, DecodeFaults,
    ::testing::Values(
        Fault{R"({"spec":{"replicas":"x"}})", R"(spec.replicas: expected integer, found string "x")"},
        Fault{R"({"spec":{"replicas":1.5}})", "spec.replicas: expected integer, found number 1.5"},
        Fault{R"({"spec":{"replicas":2147483648}})",
              "spec.replicas: expected integer, found integer 2147483648, which needs more than 32 bits"},
        Fault{R"({"spec":{"serial":9223372036854775808}})",
              "spec.serial: expected integer, found integer 9223372036854775808"},
        Fault{R"({"spec":{"paused":"true"}})", R"(spec.paused: expected boolean, found string "true")"},
        Fault{R"({"spec":{"clusterName":7}})", "spec.clusterName: expected string, found integer 7"},
        Fault{R"({"spec":{"clusterName":{}}})", "spec.clusterName: expected string, found object"},
        Fault{R"({"spec":[]})", "spec: expected object, found list"},
        Fault{R"({"spec":{"deletion":true}})", "spec.deletion: expected object, found boolean true"},
        Fault{R"({"spec":{"taints":{}}})", "spec.taints: expected list, found object"},
        Fault{R"({"spec":{"taints":[{"key":"k"},{"key":1}]}})",
              "spec.taints[1].key: expected string, found integer 1"},
        Fault{R"({"spec":{"taints":[{}, null]}})", "spec.taints[1]: expected object, found null"},
        Fault{R"({"spec":{"names":["a",["b"]]}})", "spec.names[1]: expected string, found list"},
        Fault{R"({"spec":{"attributes":{"a":1}}})", "spec.attributes[a]: expected string, found integer 1"},
        Fault{R"({"spec":{"attributes":{"a":{}}}})", "spec.attributes[a]: expected string, found object"},
        Fault{R"({"spec":{"maxSurge":true}})",
              "spec.maxSurge: expected integer or string, found boolean true"},
        Fault{R"({"status":{"lastUpdated":"yesterday"}})",
              R"(status.lastUpdated: expected time such as 2006-01-02T15:04:05Z, found string "yesterday")"},
        Fault{R"({"metadata":{"resourceVersion":"abc"}})",
              R"(metadata.resourceVersion: expected decimal number in a string, found string "abc")"},
        Fault{R"({"metadata":{"managedFields":{}}})", "metadata.managedFields: expected list, found object"},
        Fault{R"({"metadata":{"ownerReferences":[{"name":"a"},{"name":1}]}})",
              "metadata.ownerReferences[1].name: expected string, found integer 1"},
        Fault{R"({"kind":"Machine"})", R"(kind: expected Sample, found string "Machine")"},
        Fault{R"({"apiVersion":"example.dev/v2"})",
              R"(apiVersion: expected example.dev/v1, found string "example.dev/v2")"},
        Fault{R"({"kind":1})", "kind: expected Sample"}, Fault{R"({"kind":{}})", "kind: expected Sample"},
        Fault{"null", "expected object, found null"}, Fault{"[]", "expected object, found list"},
        Fault{"7", "expected object, found integer 7"}));

TEST(Decode, RefusesAMemberThatComesTwice) {
  EXPECT_EQ(message(decode<Sample>(R"({"spec":{"replicas":1,"replicas":2}})")),
            "spec.replicas: the key stands there twice");
  EXPECT_EQ(message(decode<Sample>(R"({"spec":{"attributes":{"b":"1","a":"1","b":"2"}}})")),
            "spec.attributes[b]: the key stands there twice");
}

TEST(Decode, CutsLongTextInErrors) {
  const std::string text = R"({"spec":{"replicas":")" + std::string(5000, 'x') + "\"}}";

  const auto sample = decode<Sample>(text);

  ASSERT_FALSE(sample);
  EXPECT_LT(sample.error().message.size(), 150U);
}

std::string nested(std::string_view open, std::string_view close, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += open;
  out += "1";
  for (std::size_t i = 0; i < times; ++i) out += close;
  return out;
}

TEST(Decode, FollowsNestingToTheLimitAndNoFurther) {
  // spec and topology are two levels themselves
  const auto at = [](std::size_t levels) {
    return R"({"spec":{"topology":)" + nested("[", "]", levels) + "}}";
  };

  EXPECT_TRUE(decode<Sample>(at(kMaxDepth - 2)));
  EXPECT_THAT(message(decode<Sample>(at(kMaxDepth - 1))), HasSubstr("nested deeper than 64 levels"));
  EXPECT_FALSE(decode<Sample>(at(100000)));
}

TEST(Decode, LimitsNestingOfUnknownAndDroppedMembersToo) {
  const std::string deep = R"({"future":)" + nested(R"({"a":)", "}", 80) + "}";

  EXPECT_THAT(message(decode<Sample>(deep)), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(message(decode<SampleView>(deep)), HasSubstr("nested deeper than 64 levels"));
}

TEST(Decode, RefusesMalformedText) {
  EXPECT_THAT(message(decode<Sample>(R"({"spec":{"clusterName":"a)"
                                     "\xff"
                                     R"("}})")),
              StartsWith("malformed json at byte"));
  EXPECT_THAT(message(decode<Sample>(R"({"spec":{}} x)")), HasSubstr("more text after the document"));
  EXPECT_THAT(message(decode<Sample>("{spec}")), StartsWith("malformed json at byte 1"));
  EXPECT_FALSE(decode<Sample>(""));
  EXPECT_EQ(message(decode<Sample>(R"({"spec":{"serial":1e999}})")),
            "spec.serial: number 1e999 is beyond any number");
  EXPECT_EQ(message(decode<Sample>(R"({"spec":{"new":{"a":[-1e999]}}})")),
            "spec.new: number -1e999 is beyond any number");
}

TEST(Decode, CarriesNumbersInOneSpelling) {
  const auto sample =
      decode<Sample>(R"({"spec":{"a":[1e2,100.0,-0.5,5E-1,1e-400],"b":123456789012345678901234567890}})");

  ASSERT_TRUE(sample) << message(sample);
  EXPECT_EQ(sample->spec.unknown.text(), R"({"a":[100.0,100.0,-0.5,0.5,0.0],"b":1.2345678901234568e+29})");
  EXPECT_EQ(*from_json<Sample>(to_json(*sample)), *sample);
}

constexpr std::string_view kManaged = R"({"metadata":{"managedFields":[
  {"apiVersion":"v1","fieldsType":"FieldsV1","manager":"capi-machineset","operation":"Apply","time":"2026-01-02T03:04:05Z",
   "fieldsV1":{"f:metadata":{"f:labels":{"f:app":{},"f:a.b/c":{}},"f:annotations":{"f:note":{}},
               "f:ownerReferences":{"k:{\"uid\":\"u\"}":{}},"f:finalizers":{"v:\"x\"":{}}},
               "f:spec":{"f:clusterName":{},"f:taints":{"k:{\"key\":\"a\"}":{".":{},"f:key":{}}},"f:template":{".":{}}}}},
  {"manager":"manager","operation":"Update","subresource":"status","fieldsV1":{"f:status":{"f:phase":{}}}}]}})";

TEST(ManagedFields, TellWhoAppliedWhat) {
  const auto sample = decode<Sample>(kManaged);

  ASSERT_TRUE(sample) << message(sample);
  const ManagedEntry* entry = sample->metadata.managed_fields.applied_by("capi-machineset");
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(entry->labels, ElementsAre(Text("a.b/c"), Text("app")));
  EXPECT_THAT(entry->annotations, ElementsAre(Text("note")));
  EXPECT_THAT(entry->paths, ElementsAre(Text("spec.clusterName"), Text("spec.taints[{\"key\":\"a\"}]"),
                                        Text("spec.taints[{\"key\":\"a\"}].key"), Text("spec.template")));
}

TEST(ManagedFields, KeepOnlyTheNameOfOtherManagers) {
  const auto sample = decode<Sample>(kManaged);

  const ManagedFields& fields = sample->metadata.managed_fields;
  EXPECT_TRUE(fields.mentions("manager"));
  EXPECT_FALSE(fields.mentions("before-first-apply"));
  EXPECT_EQ(fields.applied_by("manager"), nullptr);
  EXPECT_THAT((++fields.begin())->paths, IsEmpty());
}

TEST(ManagedFields, AreNeverWritten) {
  const auto sample = decode<Sample>(kManaged);

  EXPECT_EQ(encode(sample->metadata), "{}");
  EXPECT_TRUE(decode<Sample>(R"({"metadata":{}})")->metadata.managed_fields.empty());
}

TEST(ManagedFields, AreTheSameWhateverTheTime) {
  std::string later(kManaged);
  later.replace(later.find("2026-01-02"), 10, "2027-02-03");

  EXPECT_EQ(decode<Sample>(kManaged)->metadata, decode<Sample>(later)->metadata);
}

TEST(ManagedFields, SurviveAnyShape) {
  for (const std::string_view list :
       {R"([])", R"([1,"x",null,[{}]])", R"([{"fieldsV1":[1]}])", R"([{"fieldsV1":{"x":{}}}])",
        R"([{"fieldsV1":{"f:":{"k:":{}}},"operation":"Apply"}])", R"([{"manager":{"a":"b"}}])"}) {
    const auto sample =
        decode<Sample>(R"({"metadata":{"managedFields":)" + std::string(list) + R"(,"name":"a"}})");
    ASSERT_TRUE(sample) << list << ": " << message(sample);
    EXPECT_EQ(sample->metadata.name, "a") << list;
  }
}

}  // namespace
}  // namespace capstan::api
