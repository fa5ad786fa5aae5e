#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"

namespace capstan::apiserver {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWidgets = "test.io/v1/ns:default/widgets";

std::string widget(std::string_view name, std::string_view spec) {
  return R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":")" + std::string(name) +
         R"("},"spec":)" + std::string(spec) + "}";
}

TEST(Create, StampsWhatOnlyTheServerKnows) {
  ApiFixture server;
  with_widgets(server);

  const auto created = server.call("POST", kWidgets, widget("a", R"({"size":1})"));

  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(at(created, "metadata.generation"), "1");
  EXPECT_EQ(at(created, "metadata.creationTimestamp"), "\"2026-01-01T00:00:00Z\"");
  EXPECT_EQ(at(created, "metadata.namespace"), "\"default\"");
  EXPECT_EQ(at(created, "metadata.uid").size(), 38U);
}

TEST(Create, FillsInDefaultsAndDropsUnknownFieldsWithAWarning) {
  ApiFixture server;
  with_widgets(server);

  const auto created = server.call("POST", kWidgets, widget("a", R"({"size":1,"bogus":1})"));

  EXPECT_EQ(at(created, "spec"), R"({"size":1,"mode":"Fast","replicas":1})");
  EXPECT_THAT(created.warnings, testing::ElementsAre(R"(unknown field "spec.bogus")"));
}

TEST(Create, RefusesUnknownFieldsWhenAskedTo) {
  ApiFixture server;
  with_widgets(server);
  auto strict = server.request("POST", kWidgets, widget("a", R"({"size":1,"bogus":1})"));
  strict.query.field_validation = FieldValidation::Strict;

  const auto refused = server.api.call(strict);

  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(
      at(refused, "message"),
      R"("Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \"spec.bogus\"")");
}

TEST(Create, NamesEveryFieldThatIsWrong) {
  ApiFixture server;
  with_widgets(server);

  const auto refused = server.call("POST", kWidgets, widget("a", R"({"size":0,"mode":"X"})"));

  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(at(refused, "reason"), "\"Invalid\"");
  EXPECT_THAT(
      at(refused, "message"),
      HasSubstr("spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"));
  EXPECT_THAT(at(refused, "details.causes"), HasSubstr("FieldValueNotSupported"));
}

TEST(Create, RefusesANameThatIsTaken) {
  ApiFixture server;
  with_widgets(server);
  server.call("POST", kWidgets, widget("a", R"({"size":1})"));

  const auto refused = server.call("POST", kWidgets, widget("a", R"({"size":1})"));

  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(at(refused, "message"), R"("widgets.test.io \"a\" already exists")");
}

TEST(Create, GeneratesNames) {
  ApiFixture server;
  with_widgets(server);
  const auto body =
      R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"generateName":"w-"},"spec":{"size":1}})";

  const auto first = server.call("POST", kWidgets, body);
  const auto second = server.call("POST", kWidgets, body);

  EXPECT_THAT(at(first, "metadata.name"), testing::MatchesRegex("\"w-[a-z0-9]{5}\""));
  EXPECT_NE(at(first, "metadata.name"), at(second, "metadata.name"));
}

TEST(Create, RefusesBadNamesAndMissingOnes) {
  ApiFixture server;
  with_widgets(server);

  EXPECT_EQ(server.call("POST", kWidgets, widget("A_b", R"({"size":1})")).status, 422);
  const auto nameless =
      server.call("POST", kWidgets, R"({"apiVersion":"test.io/v1","kind":"Widget","spec":{"size":1}})");
  EXPECT_THAT(at(nameless, "message"), HasSubstr("name or generateName is required"));
}

TEST(Create, NeedsTheNamespaceToBeThere) {
  ApiFixture server;
  with_widgets(server);

  const auto refused = server.call("POST", "test.io/v1/ns:nowhere/widgets", widget("a", R"({"size":1})"));

  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(at(refused, "message"), R"("namespaces \"nowhere\" not found")");
}

TEST(Create, KeepsTheNamespaceOfThePath) {
  ApiFixture server;
  with_widgets(server);

  const auto refused = server.call(
      "POST", kWidgets,
      R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a","namespace":"other"},"spec":{"size":1}})");

  EXPECT_EQ(refused.status, 400);
}

TEST(Create, IgnoresTheStatusOfKindsThatHaveAnEndpointForIt) {
  ApiFixture server;
  with_widgets(server);

  const auto created = server.call(
      "POST", kWidgets,
      R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1},"status":{"ready":true}})");

  EXPECT_EQ(at(created, "status"), "");
}

TEST(Create, DryRunLeavesNothingBehind) {
  ApiFixture server;
  with_widgets(server);
  auto dry = server.request("POST", kWidgets, widget("a", R"({"size":1})"));
  dry.query.dry_run = true;

  EXPECT_EQ(server.api.call(dry).status, 201);
  EXPECT_EQ(server.call("GET", "test.io/v1/ns:default/widgets/a").status, 404);
}

TEST(Create, ReadsBuiltInKindsAsGoWould) {
  ApiFixture server;

  const auto fine = server.call("POST", "v1/ns:default/configmaps",
                                R"({"metadata":{"name":"a","labels":{}},"data":{"k":"v"}})");
  const auto wrong =
      server.call("POST", "v1/ns:default/configmaps", R"({"metadata":{"name":"b"},"data":{"k":1}})");

  EXPECT_EQ(fine.status, 201);
  EXPECT_EQ(at(fine, "metadata.labels"), "");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(
      at(wrong, "message"),
      R"("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string")");
}

TEST(Create, GivesPodsWhatTheServerGivesThem) {
  ApiFixture server;

  const auto pod =
      server.call("POST", "v1/ns:default/pods",
                  R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i:1"}]}})");

  EXPECT_EQ(pod.status, 201);
  EXPECT_EQ(at(pod, "status"), R"({"phase":"Pending","qosClass":"BestEffort"})");
  EXPECT_EQ(at(pod, "spec.terminationGracePeriodSeconds"), "30");
  EXPECT_THAT(at(pod, "spec.containers"), HasSubstr(R"("imagePullPolicy":"IfNotPresent")"));
}

TEST(Create, EncodesThePlainTextOfSecrets) {
  ApiFixture server;

  const auto secret =
      server.call("POST", "v1/ns:default/secrets", R"({"metadata":{"name":"s"},"stringData":{"a":"b"}})");

  EXPECT_EQ(at(secret, "data"), R"({"a":"Yg=="})");
  EXPECT_EQ(at(secret, "type"), "\"Opaque\"");
}

}  // namespace
}  // namespace capstan::apiserver
