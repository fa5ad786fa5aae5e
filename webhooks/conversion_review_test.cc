#include "webhooks/conversion_review.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>

namespace capstan::webhooks {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

Result<std::string> api_version_of(std::string_view group, std::string_view) {
  return fmt::format("{}/v1beta2", group);
}

json::object machine(std::string_view name, std::string_view version = "v1beta1") {
  return {{"apiVersion", fmt::format("cluster.x-k8s.io/{}", version)},
          {"kind", "Machine"},
          {"metadata", {{"name", json::string(name)}, {"namespace", "here"}}},
          {"spec", {{"clusterName", "c"}, {"nodeDrainTimeout", "5s"}}}};
}

std::string review(json::array objects, std::string_view wanted) {
  return json::serialize(json::object{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "ConversionReview"},
      {"request",
       {{"uid", "u-1"}, {"desiredAPIVersion", json::string(wanted)}, {"objects", std::move(objects)}}}});
}

json::value answered(const std::string& body) {
  const auto answer = answer_conversion(body, api_version_of);
  EXPECT_TRUE(answer) << answer.error().message;
  return answer ? json::parse(*answer) : json::value();
}

std::string message_of(const json::value& answer) {
  return std::string(answer.at("response").at("result").at("message").as_string());
}

TEST(ConversionReview, AnswersItsUidAndTheObjectsInTheirOrder) {
  const json::value answer =
      answered(review({machine("a"), machine("b"), machine("c")}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_EQ(answer.at("apiVersion"), "apiextensions.k8s.io/v1");
  EXPECT_EQ(answer.at("kind"), "ConversionReview");
  EXPECT_EQ(answer.at("response").at("uid"), "u-1");
  EXPECT_EQ(answer.at("response").at("result"), json::parse(R"({"status":"Success"})"));
  const json::array& made = answer.at("response").at("convertedObjects").as_array();
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[0].at("metadata").at("name"), "a");
  EXPECT_EQ(made[2].at("metadata").at("name"), "c");
  EXPECT_EQ(made[1].at("apiVersion"), "cluster.x-k8s.io/v1beta2");
  EXPECT_EQ(made[1].at("spec").at("deletion").at("nodeDrainTimeoutSeconds"), 5);
}

TEST(ConversionReview, ConvertsTowardsTheOlderVersionToo) {
  json::object stored = machine("a", "v1beta2");
  stored["spec"] = json::parse(R"({"infrastructureRef":{"apiGroup":"i.x","kind":"IM","name":"n"}})");

  const json::value answer = answered(review({stored}, "cluster.x-k8s.io/v1beta1"));

  const json::value& made = answer.at("response").at("convertedObjects").at(0);
  EXPECT_EQ(made.at("spec").at("infrastructureRef"),
            json::parse(R"({"apiVersion":"i.x/v1beta2","kind":"IM","name":"n","namespace":"here"})"));
}

TEST(ConversionReview, OneBadObjectFailsAllAndIsNamed) {
  json::object bad = machine("b");
  bad["spec"] = json::parse(R"({"version":7})");

  const json::value answer = answered(review({machine("a"), bad}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_EQ(answer.at("response").at("uid"), "u-1");
  EXPECT_EQ(answer.at("response").at("result").at("status"), "Failure");
  EXPECT_FALSE(answer.at("response").as_object().contains("convertedObjects"));
  EXPECT_THAT(message_of(answer),
              AllOf(HasSubstr("Machine here/b"), HasSubstr("spec.version: wants a string")));
}

TEST(ConversionReview, LeavesMetadataAsItIs) {
  json::object old = machine("a");
  old["metadata"] =
      json::parse(R"({"name":"a","namespace":"here","uid":"5","labels":{"l":""},"annotations":{"n":"<&>"},
      "ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta1","kind":"Cluster","name":"c","uid":"6"}],
      "managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}],"finalizers":["f"],"generation":3})");

  const json::value answer = answered(review({old}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_EQ(answer.at("response").at("convertedObjects").at(0).at("metadata"), old["metadata"]);
}

TEST(ConversionReview, PassesAnObjectThroughThatIsWantedAsItIs) {
  const json::value answer = answered(review({machine("a")}, "cluster.x-k8s.io/v1beta1"));

  EXPECT_EQ(answer.at("response").at("convertedObjects").at(0), json::value(machine("a")));
}

TEST(ConversionReview, AnswersForEveryKindOfUpstreamsPackage) {
  constexpr std::array kKinds = {
      std::array{"cluster.x-k8s.io", "v1beta1", "Cluster"},
      std::array{"cluster.x-k8s.io", "v1beta1", "ClusterClass"},
      std::array{"cluster.x-k8s.io", "v1beta1", "Machine"},
      std::array{"cluster.x-k8s.io", "v1beta1", "MachineDeployment"},
      std::array{"cluster.x-k8s.io", "v1beta1", "MachineDrainRule"},
      std::array{"cluster.x-k8s.io", "v1beta1", "MachineHealthCheck"},
      std::array{"cluster.x-k8s.io", "v1beta1", "MachinePool"},
      std::array{"cluster.x-k8s.io", "v1beta1", "MachineSet"},
      std::array{"ipam.cluster.x-k8s.io", "v1alpha1", "IPAddress"},
      std::array{"ipam.cluster.x-k8s.io", "v1beta1", "IPAddressClaim"},
      std::array{"addons.cluster.x-k8s.io", "v1beta1", "ClusterResourceSet"},
      std::array{"addons.cluster.x-k8s.io", "v1beta1", "ClusterResourceSetBinding"},
      std::array{"runtime.cluster.x-k8s.io", "v1alpha1", "ExtensionConfig"},
  };
  for (const auto& [group, older, kind] : kKinds) {
    const json::object stored{{"apiVersion", fmt::format("{}/v1beta2", group)},
                              {"kind", kind},
                              {"metadata", {{"name", "a"}, {"finalizers", json::array{"f"}}}}};
    const std::string wanted = fmt::format("{}/{}", group, older);

    const json::value answer = answered(review({stored}, wanted));

    ASSERT_EQ(answer.at("response").at("result").at("status"), "Success") << kind;
    const json::value& made = answer.at("response").at("convertedObjects").at(0);
    EXPECT_EQ(made.at("apiVersion"), json::value(wanted)) << kind;
    EXPECT_EQ(made.at("metadata").at("finalizers"), json::parse(R"(["f"])")) << kind;
  }
}

TEST(ConversionReview, AClusterClassOnlyChangesItsVersion) {
  json::object stored{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                      {"kind", "ClusterClass"},
                      {"metadata", {{"name", "a"}}},
                      {"spec", {{"infrastructure", {{"templateRef", {{"name", "n"}}}}}}}};

  const json::value answer = answered(review({stored}, "cluster.x-k8s.io/v1beta1"));

  stored["apiVersion"] = "cluster.x-k8s.io/v1beta1";
  EXPECT_EQ(answer.at("response").at("convertedObjects").at(0), json::value(stored));
}

TEST(ConversionReview, ConvertsBetweenTwoOlderVersions) {
  const json::object alpha{
      {"apiVersion", "ipam.cluster.x-k8s.io/v1alpha1"},
      {"kind", "IPAddressClaim"},
      {"metadata", {{"name", "a"}, {"labels", {{"cluster.x-k8s.io/cluster-name", "c"}}}}},
      {"spec", {{"poolRef", {{"kind", "Pool"}, {"name", "p"}}}}}};

  const json::value answer = answered(review({alpha}, "ipam.cluster.x-k8s.io/v1beta1"));

  EXPECT_EQ(answer.at("response").at("convertedObjects").at(0).at("spec").at("clusterName"), "c");
}

TEST(ConversionReview, RefusesMetadataThatIsNoObject) {
  json::object odd = machine("a");
  odd["metadata"] = 7;

  const json::value answer = answered(review({odd}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_THAT(message_of(answer), HasSubstr("metadata: wants an object"));
}

TEST(ConversionReview, RefusesAVersionItDoesNotKnow) {
  const json::value answer = answered(review({machine("a", "v1alpha3")}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_EQ(answer.at("response").at("result").at("status"), "Failure");
}

TEST(ConversionReview, RefusesAKindItDoesNotKnow) {
  json::object other = machine("a");
  other["kind"] = "Widget";

  const json::value answer = answered(review({other}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_THAT(message_of(answer), HasSubstr("Widget here/a"));
}

TEST(ConversionReview, RefusesAnotherGroup) {
  const json::value answer = answered(review({machine("a")}, "example.com/v1beta2"));

  EXPECT_EQ(answer.at("response").at("result").at("status"), "Failure");
}

TEST(ConversionReview, AnswersAnEmptyListOfObjects) {
  const json::value answer = answered(review({}, "cluster.x-k8s.io/v1beta2"));

  EXPECT_EQ(answer.at("response").at("result").at("status"), "Success");
}

TEST(ConversionReview, OtherBytesAreNoReview) {
  for (const char* body :
       {"", "{", "[]", "7", R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})",
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","request":{}})",
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}})",
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"objects":7}})"}) {
    EXPECT_FALSE(answer_conversion(body, api_version_of)) << body;
  }
}

TEST(ConversionReview, AnObjectNestedTooDeepIsNoReview) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');

  const auto answer = answer_conversion(review({}, deep), api_version_of);
  const auto nested = answer_conversion(
      fmt::format(
          R"({{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{{"uid":{}}}}})",
          deep),
      api_version_of);

  EXPECT_TRUE(answer);  // as a string it is harmless
  EXPECT_FALSE(nested);
}

}  // namespace
}  // namespace capstan::webhooks
