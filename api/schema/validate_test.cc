#include "api/schema/validate.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/schema/sample_types.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Sample good() {
  Sample sample;
  sample.spec.cluster_name = Text("c");
  return sample;
}

std::vector<std::string> faults(const Sample& sample) {
  std::vector<std::string> out;
  for (const Cause& cause : validate(sample))
    out.push_back(cause.field + " " + cause.reason + ": " + cause.message);
  return out;
}

TEST(Validate, AcceptsAGoodObject) {
  Sample sample = good();
  sample.spec.names = {Text("a"), Text("b")};
  sample.spec.taints = {{.key = Text("k"), .effect = Text("NoExecute")},
                        {.key = Text("k"), .effect = Text("NoSchedule")}};
  sample.spec.deletion = {.timeout_seconds = 0, .order = Text("Newest")};
  sample.status.observed_generation = 1;

  EXPECT_THAT(faults(sample), IsEmpty());
}

TEST(Validate, MissesRequiredFields) {
  EXPECT_THAT(faults(Sample()), ElementsAre("spec.clusterName FieldValueRequired: Required value"));
}

TEST(Validate, MeasuresNumbers) {
  Sample sample = good();
  sample.spec.deletion.timeout_seconds = -1;
  sample.status.observed_generation = -5;

  EXPECT_THAT(
      faults(sample),
      ElementsAre(
          "spec.deletion.timeoutSeconds FieldValueInvalid: Invalid value: -1: spec.deletion.timeoutSeconds "
          "in "
          "body should be greater than or equal to 0",
          "status.observedGeneration FieldValueInvalid: Invalid value: -5: status.observedGeneration in body "
          "should be greater than or equal to 1"));
}

TEST(Validate, MeasuresTextInCharacters) {
  Sample sample = good();
  std::string accents;
  for (int i = 0; i < 63; ++i) accents += "\u00e9";
  sample.spec.cluster_name = Text(accents);
  EXPECT_THAT(faults(sample), IsEmpty());

  sample.spec.cluster_name = Text(accents + "x");
  EXPECT_THAT(faults(sample),
              ElementsAre("spec.clusterName FieldValueTooLong: Too long: may not be more than 63 bytes"));
}

TEST(Validate, KnowsTheWordsOfAnEnum) {
  Sample sample = good();
  sample.spec.deletion.order = Text("Random");

  EXPECT_THAT(faults(sample),
              ElementsAre("spec.deletion.order FieldValueNotSupported: Unsupported value: \"Random\": "
                          "supported values: \"Newest\", \"Oldest\""));
}

TEST(Validate, LooksIntoLists) {
  Sample sample = good();
  sample.spec.names = {Text("ok"), Text("Not"), Text("")};

  EXPECT_THAT(
      faults(sample),
      ElementsAre(
          "spec.names[1] FieldValueInvalid: Invalid value: \"Not\": spec.names[1] in body should match "
          "'^[a-z]+$'",
          "spec.names[2] FieldValueInvalid: Invalid value: \"\": spec.names[2] in body should be at least 1 "
          "chars long",
          "spec.names[2] FieldValueInvalid: Invalid value: \"\": spec.names[2] in body should match "
          "'^[a-z]+$'"));
}

TEST(Validate, CountsElements) {
  Sample sample = good();
  sample.spec.names.resize(5, Text("a"));

  EXPECT_THAT(faults(sample),
              ElementsAre("spec.names FieldValueTooMany: Too many: 5: must have at most 4 items"));
}

TEST(Validate, FindsElementsWithTheSameKeys) {
  Sample sample = good();
  sample.spec.taints = {{.key = Text("k"), .effect = Text("NoExecute")},
                        {.key = Text("k"), .effect = Text("NoExecute"), .value = Text("v")}};

  EXPECT_THAT(faults(sample), ElementsAre("spec.taints[1] FieldValueDuplicate: Duplicate value: "
                                          "{\"key\":\"k\",\"effect\":\"NoExecute\"}"));
}

TEST(Validate, CountsProperties) {
  Sample sample = good();
  sample.spec.deletion.unknown = UnknownFields(json::object{{"later", 1}});
  EXPECT_THAT(faults(sample), IsEmpty());

  SampleStatus empty;
  EXPECT_EQ(validate(empty).size(), 1U) << "an empty status may only be left out";
}

}  // namespace
}  // namespace capstan::api
