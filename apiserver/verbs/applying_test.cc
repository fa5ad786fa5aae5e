#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"

namespace capstan::apiserver {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kWidget = "test.io/v1/ns:default/widgets/a";

std::string intent(std::string_view spec, std::string_view labels = "{}") {
  return R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a","labels":)" +
         std::string(labels) + R"(},"spec":)" + std::string(spec) + "}";
}

struct Widgets : ApiFixture {
  explicit Widgets(DefectSet defects = {}) : ApiFixture(std::move(defects)) { with_widgets(*this); }
  Response applied(std::string_view manager, std::string_view spec, bool force = false) {
    return apply(kWidget, manager, intent(spec), force);
  }
};

TEST(Apply, CreatesWhatIsNotThere) {
  Widgets server;

  const auto created = server.apply(
      kWidget, "m1", intent(R"({"size":1,"parts":[{"name":"x"}],"tags":["t"]})", R"({"k":"v"})"));

  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(
      at(created, "metadata.managedFields"),
      R"([{"manager":"m1","operation":"Apply","apiVersion":"test.io/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{"f:metadata":{"f:labels":{"f:k":{}}},"f:spec":{"f:parts":{"k:{\"name\":\"x\"}":{".":{},"f:name":{}}},)"
      R"("f:size":{},"f:tags":{"v:\"t\"":{}}}}}])");
}

TEST(Apply, OfTheSameIntentKeepsTheVersion) {
  Widgets server;
  const auto created = server.applied("m1", R"({"size":1})");
  server.clock.advance(std::chrono::hours(1));

  const auto again = server.applied("m1", R"({"size":1})");

  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(*again.object, *created.object);
}

TEST(Apply, ConflictsWithTheOwnerOfAField) {
  Widgets server;
  server.applied("m1", R"({"size":1})");

  const auto refused = server.applied("m2", R"({"size":2})");

  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(at(refused, "message"), R"("Apply failed with 1 conflict: conflict with \"m1\": .spec.size")");
  EXPECT_EQ(at(refused, "details.causes"),
            R"([{"reason":"FieldManagerConflict","message":"conflict with \"m1\"","field":".spec.size"}])");
  EXPECT_EQ(at(server.call("GET", kWidget), "spec.size"), "1");
}

TEST(Apply, ListsAllConflicts) {
  Widgets server;
  server.applied("m1", R"({"size":1,"parts":[{"name":"x","count":1}],"steps":["q"]})");

  const auto refused = server.applied("m2", R"({"size":2,"parts":[{"name":"x","count":2}],"steps":["r"]})");

  EXPECT_EQ(
      at(refused, "message"),
      R"("Apply failed with 3 conflicts: conflicts with \"m1\":\n- .spec.size\n- .spec.steps\n- .spec.parts[name=\"x\"].count")");
}

TEST(Apply, SharesAFieldBothAgreeOn) {
  Widgets server;
  server.applied("m1", R"({"size":1})");

  const auto shared = server.applied("m2", R"({"size":1})");
  server.applied("m1", R"({"size":1,"mode":"Slow"})");
  const auto alone = server.applied("m2", R"({"mode":"Slow"})", true);

  EXPECT_EQ(shared.status, 200);
  EXPECT_EQ(at(alone, "spec.size"), "1");
}

TEST(Apply, ByForceTakesTheField) {
  Widgets server;
  server.applied("m1", R"({"size":1,"mode":"Slow"})");

  const auto taken = server.applied("m2", R"({"size":2})", true);

  EXPECT_EQ(at(taken, "spec.size"), "2");
  EXPECT_EQ(server.applied("m1", R"({"size":1,"mode":"Slow"})").status, 409);
}

TEST(Apply, RemovesWhatTheManagerNoLongerWants) {
  Widgets server;
  server.apply(kWidget, "m1",
               intent(R"({"size":1,"name":"abc","parts":[{"name":"x"},{"name":"y"}],"tags":["s","t"]})",
                      R"({"k":"v","l":"w"})"));

  const auto less = server.apply(kWidget, "m1",
                                 intent(R"({"size":1,"parts":[{"name":"y"}],"tags":["t"]})", R"({"l":"w"})"));

  EXPECT_EQ(at(less, "metadata.labels"), R"({"l":"w"})");
  EXPECT_EQ(at(less, "spec.name"), "");
  EXPECT_EQ(at(less, "spec.parts"), R"([{"name":"y","value":"dv"}])");
  EXPECT_EQ(at(less, "spec.tags"), R"(["t"])");
}

TEST(Apply, LeavesOthersFieldsAlone) {
  Widgets server;
  server.applied("m1", R"({"size":1,"parts":[{"name":"x"}],"tags":["s"]})");

  const auto both = server.applied("m2", R"({"parts":[{"name":"y","count":2}],"tags":["t"]})");
  const auto left = server.applied("m1", R"({"size":1})");

  EXPECT_EQ(at(both, "spec.parts"), R"([{"name":"x","value":"dv"},{"name":"y","count":2,"value":"dv"}])");
  EXPECT_EQ(at(left, "spec.parts"), R"([{"name":"y","count":2,"value":"dv"}])");
  EXPECT_EQ(at(left, "spec.tags"), R"(["t"])");
}

TEST(Apply, TreatsAtomicThingsAsOne) {
  Widgets server;
  server.applied("m1", R"({"size":1,"steps":["a","b"],"pair":{"a":"1"}})");

  EXPECT_EQ(server.applied("m2", R"({"size":1,"steps":["c"]})").status, 409);
  EXPECT_EQ(server.applied("m2", R"({"size":1,"pair":{"b":"2"}})").status, 409);
  EXPECT_EQ(at(server.applied("m1", R"({"size":1,"steps":["c"],"pair":{"b":"2"}})"), "spec.pair"),
            R"({"b":"2"})");
}

TEST(Apply, KeepsTheOrderTheApplierWants) {
  Widgets server;
  server.applied("m1", R"({"size":1,"parts":[{"name":"a"},{"name":"b"}]})");

  const auto reordered =
      server.applied("m1", R"({"size":1,"parts":[{"name":"b"},{"name":"n"},{"name":"a"}]})");

  EXPECT_EQ(at(reordered, "spec.parts"),
            R"([{"name":"b","value":"dv"},{"name":"n","value":"dv"},{"name":"a","value":"dv"}])");
}

TEST(Apply, YieldsToUpdatesAndFindsThemAgain) {
  Widgets server;
  server.applied("m1", R"({"size":1})");
  auto patch = server.request("PATCH", kWidget, R"({"spec":{"size":4}})");
  patch.user_agent = "foo/1.2";

  const auto patched = server.api.call(patch);
  const auto refused = server.applied("m1", R"({"size":1})");

  EXPECT_THAT(at(patched, "metadata.managedFields"), Not(HasSubstr("\"m1\"")));
  EXPECT_EQ(at(refused, "message"),
            R"("Apply failed with 1 conflict: conflict with \"foo\" using test.io/v1: .spec.size")");
}

TEST(Apply, OwnsTheStatusThroughItsEndpointOnly) {
  Widgets server;
  server.applied("m1", R"({"size":1})");
  const auto body =
      R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":9},"status":{"ready":true}})";

  const auto main = server.apply(
      kWidget, "m1",
      R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1},"status":{"ready":true}})");
  const auto status = server.apply("test.io/v1/ns:default/widgets/a/status", "m1", body);

  EXPECT_EQ(at(main, "status"), "");
  EXPECT_EQ(at(status, "status.ready"), "true");
  EXPECT_EQ(at(status, "spec.size"), "1");
  EXPECT_THAT(at(status, "metadata.managedFields"),
              HasSubstr(R"("fieldsV1":{"f:status":{"f:ready":{}}},"subresource":"status")"));
}

TEST(Apply, RefusesWhatNoSchemaDeclares) {
  Widgets server;

  const auto unknown = server.applied("m1", R"({"size":1,"bogus":1})");
  const auto keyless = server.applied("m1", R"({"size":1,"parts":[{"value":"x"}]})");
  const auto twice = server.applied("m1", R"({"size":1,"parts":[{"name":"x"},{"name":"x"}]})");

  EXPECT_EQ(unknown.status, 500);
  EXPECT_EQ(
      at(unknown, "message"),
      R"("failed to create typed patch object (/a; test.io/v1, Kind=Widget): .spec.bogus: field not declared in schema")");
  EXPECT_THAT(at(keyless, "message"), HasSubstr("omits all key fields [\\\"name\\\"]"));
  EXPECT_THAT(at(twice, "message"), HasSubstr(R"(duplicate entries for key [name=\"x\"])"));
}

TEST(Apply, NeedsAManager) {
  Widgets server;

  const auto refused = server.applied("", R"({"size":1})");

  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(at(refused, "message"), HasSubstr("fieldManager: Required value: is required for apply patch"));
}

TEST(Apply, CanForgetWhoOwnsWhat) {
  Widgets server;
  server.applied("m1", R"({"size":1})");

  const auto reset = server.call("PATCH", kWidget, R"({"metadata":{"managedFields":[{}]}})");
  const auto refused = server.applied("m2", R"({"size":2})");

  EXPECT_EQ(at(reset, "metadata.managedFields"), "");
  EXPECT_EQ(
      at(refused, "message"),
      R"("Apply failed with 1 conflict: conflict with \"before-first-apply\" using test.io/v1: .spec.size")");
}

TEST(Apply, KnowsTheKeysOfBuiltInKinds) {
  ApiFixture server;
  constexpr std::string_view kPath = "apps/v1/ns:default/deployments/d";
  const auto deployment = [](std::string_view ports) {
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":)" +
           std::string(ports) + "}]}}}}";
  };

  const auto first = server.apply(kPath, "m1", deployment(R"([{"containerPort":80}])"));
  const auto second = server.apply(kPath, "m2", deployment(R"([{"containerPort":81}])"));

  EXPECT_EQ(first.status, 201) << first.text();
  EXPECT_THAT(at(first, "metadata.managedFields"),
              HasSubstr(R"(k:{\"containerPort\":80,\"protocol\":\"TCP\"})"));
  EXPECT_EQ(second.status, 200) << second.text();
  EXPECT_THAT(at(second, "spec.template.spec.containers"),
              testing::AllOf(HasSubstr(":80"), HasSubstr(":81")));
}

TEST(Ownership, OfUpdatesIsKeptPerManager) {
  Widgets server;
  auto create = server.request("POST", "test.io/v1/ns:default/widgets", intent(R"({"size":1})"));
  create.user_agent = "creator/1";
  server.api.call(create);
  auto patch = server.request("PATCH", kWidget, R"({"spec":{"size":2}})");
  patch.query.field_manager = "editor";

  const auto patched = server.api.call(patch);

  EXPECT_EQ(
      at(patched, "metadata.managedFields"),
      R"([{"manager":"creator","operation":"Update","apiVersion":"test.io/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{"f:spec":{".":{},"f:mode":{},"f:replicas":{}}}},)"
      R"({"manager":"editor","operation":"Update","apiVersion":"test.io/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{"f:spec":{"f:size":{}}}}])");
}

TEST(Ownership, OfNewBuiltInObjectsStartsFromTheEmptyStruct) {
  ApiFixture server;

  const auto pod = server.call(
      "POST", "v1/ns:default/pods",
      R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");

  EXPECT_THAT(
      at(pod, "metadata.managedFields"),
      HasSubstr(
          R"("fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{})"));
}

TEST(Ownership, OfManyUpdatersIsGathered) {
  Widgets server;
  server.applied("m1", R"({"size":1})");
  Response last;
  for (int i = 0; i < 14; ++i) {
    auto patch = server.request("PATCH", kWidget,
                                R"({"metadata":{"annotations":{"k)" + std::to_string(i) + R"(":"v"}}})");
    patch.query.field_manager = "u" + std::to_string(i);
    last = server.api.call(patch);
    server.clock.advance(std::chrono::seconds(1));
  }

  const auto owners = json::parse(at(last, "metadata.managedFields"));

  EXPECT_EQ(owners.as_array().size(), 11U);
  EXPECT_THAT(json::serialize(owners), HasSubstr("ancient-changes"));
}

}  // namespace
}  // namespace capstan::apiserver
