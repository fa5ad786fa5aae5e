#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "apiserver/api_fixture.h"
#include "base/threads.h"

namespace capstan::apiserver {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDefinitions = "apiextensions.k8s.io/v1/customresourcedefinitions";

std::string definition(std::string_view versions, std::string_view more = "") {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gears.test.io"},
    "spec":{"group":"test.io","scope":"Cluster","names":{"plural":"gears","kind":"Gear"},"versions":[)" +
         std::string(versions) + "]" + std::string(more) + "}}";
}
constexpr std::string_view kV1 =
    R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
       "properties":{"teeth":{"type":"integer"}}}}}}})";
constexpr std::string_view kOldV1beta1 =
    R"({"name":"v1beta1","served":true,"storage":false,"deprecated":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":
       {"type":"object","properties":{"count":{"type":"integer"}}}}}}})";

// Turns spec.teeth into spec.count and back, as a webhook would.
class GearConverter final : public Converter {
 public:
  std::expected<std::vector<ObjectPtr>, Response> convert(const ResourceType&, const std::string& api_version,
                                                          const std::vector<ObjectPtr>& objects) override {
    ++calls;
    std::vector<ObjectPtr> converted;
    const bool old = api_version == "test.io/v1beta1";
    for (const auto& object : objects) {
      auto copy = *object;
      copy["apiVersion"] = api_version;
      auto& spec = copy["spec"].get_object();
      const auto value =
          spec.contains(old ? "teeth" : "count") ? spec[old ? "teeth" : "count"] : json::value(0);
      spec = {{old ? "count" : "teeth", value}};
      converted.push_back(std::make_shared<const json::object>(std::move(copy)));
    }
    return converted;
  }
  int calls = 0;
};

TEST(Definition, IsServedAtOnceAndSaysSo) {
  ApiFixture server;

  server.call("POST", kDefinitions, definition(kV1));
  const auto stored = server.call("GET", std::string(kDefinitions) + "/gears.test.io");

  EXPECT_THAT(at(stored, "status.conditions"),
              testing::AllOf(HasSubstr(R"("type":"NamesAccepted","status":"True")"),
                             HasSubstr(R"("type":"Established","status":"True")")));
  EXPECT_EQ(at(stored, "status.storedVersions"), R"(["v1"])");
  EXPECT_EQ(at(stored, "spec.names.listKind"), "\"GearList\"");
  EXPECT_EQ(server.call("GET", "test.io/v1/gears").status, 200);
}

TEST(Definition, MustMakeSense) {
  ApiFixture server;

  const auto unnamed = server.call(
      "POST", kDefinitions,
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"x"},
      "spec":{"group":"test.io","scope":"Cluster","names":{"plural":"gears","kind":"Gear"},"versions":[]}})");

  EXPECT_EQ(unnamed.status, 422);
  EXPECT_THAT(at(unnamed, "message"), HasSubstr("must be spec.names.plural+\\\".\\\"+spec.group"));
  EXPECT_THAT(at(unnamed, "message"), HasSubstr("spec.versions"));
}

TEST(Definition, CantTakeAKindThatAnotherHas) {
  ApiFixture server;
  server.call("POST", kDefinitions, definition(kV1));

  server.call(
      "POST", kDefinitions,
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"geers.test.io"},
      "spec":{"group":"test.io","scope":"Cluster","names":{"plural":"geers","kind":"Gear"},"versions":[)" +
          std::string(kV1) + "]}}");

  const auto stored = server.call("GET", std::string(kDefinitions) + "/geers.test.io");
  EXPECT_THAT(at(stored, "status.conditions"), HasSubstr(R"("type":"NamesAccepted","status":"False")"));
  EXPECT_EQ(server.call("GET", "test.io/v1/geers").status, 404);
}

TEST(Definition, OfAnotherSchemaServesTheNewOne) {
  ApiFixture server;
  server.call("POST", kDefinitions, definition(kV1));
  server.call("POST", "test.io/v1/gears",
              R"({"apiVersion":"test.io/v1","kind":"Gear","metadata":{"name":"a"},"spec":{}})");

  server.call(
      "PATCH", std::string(kDefinitions) + "/gears.test.io",
      R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":
              {"spec":{"type":"object","properties":{"teeth":{"type":"integer","default":12}}}}}}}]}})");

  EXPECT_EQ(at(server.call("GET", "test.io/v1/gears/a"), "spec.teeth"), "12");
}

TEST(Definition, ThatIsSweptWhileItIsBeingDeletedIsServedNoMore) {
  ApiFixture server;
  SystemThreads threads;
  const std::string path = std::string(kDefinitions) + "/gears.test.io";
  constexpr int kRounds = 300;
  int served_for_ever = 0;
  for (int i = 0; i < kRounds; ++i) {
    server.call("POST", kDefinitions, definition(kV1));
    const auto sweeper = threads.spawn("sweeper", [&](const std::stop_token& stop) {
      while (!stop.stop_requested()) server.api.run_controllers();
    });
    server.call("DELETE", path);
    while (server.call("GET", path).status != 404) std::this_thread::yield();
    sweeper->request_stop();
    sweeper->join();
    served_for_ever += server.call("GET", "test.io/v1/gears").status == 404 ? 0 : 1;
  }

  EXPECT_EQ(served_for_ever, 0) << "of " << kRounds;
}

TEST(Versions, WithoutAWebhookDifferInNameOnly) {
  ApiFixture server;
  server.call("POST", kDefinitions, definition(std::string(kV1) + "," + std::string(kOldV1beta1)));
  server.call("POST", "test.io/v1/gears",
              R"({"apiVersion":"test.io/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"teeth":3}})");

  const auto old = server.call("GET", "test.io/v1beta1/gears/a");

  EXPECT_EQ(at(old, "apiVersion"), "\"test.io/v1beta1\"");
  EXPECT_THAT(old.warnings, testing::ElementsAre("test.io/v1beta1 Gear is deprecated; use test.io/v1 Gear"));
}

TEST(Versions, AreConvertedByTheWebhook) {
  fakes::FakeClock clock;
  GearConverter converter;
  Api api({.clock = clock, .converter = &converter});
  const ApiFixture words;
  const auto call = [&](const auto&... arguments) { return api.call(words.request(arguments...)); };
  call("POST", kDefinitions,
       definition(std::string(kV1) + "," + std::string(kOldV1beta1),
                  R"(,"conversion":{"strategy":"Webhook","webhook":{
         "clientConfig":{"url":"https://x.y"},"conversionReviewVersions":["v1"]}})"));

  const auto created =
      call("POST", "test.io/v1beta1/gears",
           R"({"apiVersion":"test.io/v1beta1","kind":"Gear","metadata":{"name":"a"},"spec":{"count":7}})");
  const auto fresh = call("GET", "test.io/v1/gears/a");
  call("POST", "test.io/v1/gears",
       R"({"apiVersion":"test.io/v1","kind":"Gear","metadata":{"name":"b"},"spec":{"teeth":8}})");
  converter.calls = 0;
  const auto listed = call("GET", "test.io/v1beta1/gears");

  EXPECT_EQ(at(created, "spec"), R"({"count":7})");
  EXPECT_EQ(at(fresh, "spec"), R"({"teeth":7})");
  ASSERT_EQ(listed.items.size(), 2U);
  EXPECT_EQ(json::serialize(listed.items[1]->at("spec")), R"({"count":8})");
  EXPECT_EQ(converter.calls, 1);
}

}  // namespace
}  // namespace capstan::apiserver
