#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"

namespace capstan::apiserver {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWidget = "test.io/v1/ns:default/widgets/a";

struct AWidget : ApiFixture {
  explicit AWidget(DefectSet defects = {}) : ApiFixture(std::move(defects)) {
    with_widgets(*this);
    call(
        "POST", "test.io/v1/ns:default/widgets",
        R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"steps":["x"]}})");
  }
  Response merge(std::string_view path, std::string_view patch) { return call("PATCH", path, patch); }
  json::object live() { return *call("GET", kWidget).object; }
  Response put(const json::object& object, std::string_view path = kWidget) {
    return call("PUT", path, json::serialize(object));
  }
};

TEST(Update, MovesTheGenerationOnlyForTheSpec) {
  AWidget server;

  EXPECT_EQ(at(server.merge(kWidget, R"({"metadata":{"labels":{"x":"y"}}})"), "metadata.generation"), "1");
  EXPECT_EQ(at(server.merge("test.io/v1/ns:default/widgets/a/status", R"({"status":{"ready":true}})"),
               "metadata.generation"),
            "1");
  EXPECT_EQ(at(server.merge(kWidget, R"({"spec":{"size":2}})"), "metadata.generation"), "2");
}

TEST(Update, ThatChangesNothingKeepsTheVersion) {
  AWidget server;
  const auto before = at(server.call("GET", kWidget), "metadata.resourceVersion");
  server.clock.advance(std::chrono::hours(1));

  const auto patched = server.merge(kWidget, R"({"spec":{"size":1}})");
  const auto put = server.put(server.live());

  EXPECT_EQ(at(patched, "metadata.resourceVersion"), before);
  EXPECT_EQ(at(put, "metadata.resourceVersion"), before);
}

TEST(Update, OfAStaleObjectConflicts) {
  AWidget server;
  auto stale = server.live();
  server.merge(kWidget, R"({"spec":{"size":2}})");
  stale["spec"].get_object()["size"] = 3;

  const auto refused = server.put(stale);

  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(
      at(refused, "message"),
      R"("Operation cannot be fulfilled on widgets.test.io \"a\": the object has been modified; please apply your changes to the latest version and try again")");
  EXPECT_EQ(at(server.call("GET", kWidget), "spec.size"), "2");
}

TEST(Update, OfACustomObjectNeedsAVersion) {
  AWidget server;
  auto object = server.live();
  object["metadata"].get_object().erase("resourceVersion");

  EXPECT_EQ(server.put(object).status, 422);
}

TEST(Update, OfAConfigMapNeedsNone) {
  ApiFixture server;
  server.call("POST", "v1/ns:default/configmaps", R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(server.call("PUT", "v1/ns:default/configmaps/a", R"({"metadata":{"name":"a"},"data":{"k":"v"}})")
                .status,
            200);
}

TEST(Update, OfWhatIsNotThereIsNotFoundExceptForLeases) {
  AWidget server;
  auto object = server.live();
  object["metadata"].get_object()["name"] = "b";

  EXPECT_EQ(server.put(object, "test.io/v1/ns:default/widgets/b").status, 404);
  EXPECT_EQ(
      server
          .call("PUT", "coordination.k8s.io/v1/ns:default/leases/l", R"({"metadata":{"name":"l"},"spec":{}})")
          .status,
      201);
}

TEST(Update, KeepsNameAndUid) {
  AWidget server;
  auto renamed = server.live();
  renamed["metadata"].get_object()["name"] = "b";
  auto reborn = server.live();
  reborn["metadata"].get_object()["uid"] = "somebody-else";

  EXPECT_EQ(server.put(renamed).status, 400);
  EXPECT_EQ(server.put(reborn).status, 409);
  EXPECT_EQ(server.merge(kWidget, R"({"metadata":{"uid":"x"}})").status, 422);
}

TEST(Update, NeverMovesTimeOrGenerationByHand) {
  AWidget server;
  auto object = server.live();
  auto& metadata = object["metadata"].get_object();
  metadata["creationTimestamp"] = "2000-01-01T00:00:00Z";
  metadata["generation"] = 77;

  const auto written = server.put(object);

  EXPECT_EQ(at(written, "metadata.creationTimestamp"), "\"2026-01-01T00:00:00Z\"");
  EXPECT_EQ(at(written, "metadata.generation"), "1");
}

TEST(StatusUpdate, ChangesNothingButTheStatus) {
  AWidget server;
  auto object = server.live();
  object["status"] = json::object{{"ready", true}};
  object["spec"].get_object()["size"] = 9;
  object["metadata"].get_object()["labels"] = json::object{{"x", "y"}};

  const auto written = server.put(object, "test.io/v1/ns:default/widgets/a/status");

  EXPECT_EQ(at(written, "status.ready"), "true");
  EXPECT_EQ(at(written, "spec.size"), "1");
  EXPECT_EQ(at(written, "metadata.labels"), "");
}

TEST(StatusUpdate, IsTheOnlyWayToTheStatus) {
  AWidget server;

  const auto written = server.merge(kWidget, R"({"spec":{"size":2},"status":{"ready":true}})");

  EXPECT_EQ(at(written, "spec.size"), "2");
  EXPECT_EQ(at(written, "status"), "");
}

TEST(StatusUpdate, MayLabelNodes) {
  ApiFixture server;
  server.call("POST", "v1/nodes", R"({"metadata":{"name":"n"}})");

  const auto written = server.call(
      "PATCH", "v1/nodes/n/status",
      R"({"metadata":{"annotations":{"a":"b"}},"spec":{"providerID":"x"},"status":{"phase":"Running"}})");

  EXPECT_EQ(at(written, "metadata.annotations"), R"({"a":"b"})");
  EXPECT_EQ(at(written, "spec.providerID"), "");
  EXPECT_EQ(at(written, "status.phase"), "\"Running\"");
}

TEST(MergePatch, ReplacesListsAndRemovesWithNull) {
  AWidget server;

  const auto written = server.merge(kWidget, R"({"spec":{"steps":["y"],"mode":null}})");

  EXPECT_EQ(at(written, "spec.steps"), R"(["y"])");
  EXPECT_EQ(at(written, "spec.mode"), "\"Fast\"");
}

TEST(MergePatch, WithAVersionIsAPrecondition) {
  AWidget server;

  EXPECT_EQ(server.merge(kWidget, R"({"metadata":{"resourceVersion":"1"},"spec":{"size":2}})").status, 409);
}

TEST(JsonPatch, AppliesAllOrNothing) {
  AWidget server;
  auto patch = server.request(
      "PATCH", kWidget,
      R"([{"op":"replace","path":"/spec/size","value":5},{"op":"test","path":"/spec/mode","value":"Slow"}])");
  patch.patch_type = kube::PatchType::Json;
  auto good = server.request("PATCH", kWidget, R"([{"op":"replace","path":"/spec/size","value":5}])");
  good.patch_type = kube::PatchType::Json;

  const auto refused = server.api.call(patch);

  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(at(refused, "message"), "\"the server rejected our request due to an error in our request\"");
  EXPECT_EQ(at(server.call("GET", kWidget), "spec.size"), "1");
  EXPECT_EQ(at(server.api.call(good), "spec.size"), "5");
}

TEST(StrategicPatch, MergesListsOfBuiltInKindsByKey) {
  ApiFixture server;
  server.call("POST", "v1/ns:default/pods",
              R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  auto patch = server.request("PATCH", "v1/ns:default/pods/p/status",
                              R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  patch.patch_type = kube::PatchType::Strategic;
  auto second = server.request("PATCH", "v1/ns:default/pods/p/status",
                               R"({"status":{"conditions":[{"type":"Other","status":"False"}]}})");
  second.patch_type = kube::PatchType::Strategic;

  server.api.call(patch);
  const auto written = server.api.call(second);

  EXPECT_THAT(at(written, "status.conditions"), testing::AllOf(HasSubstr("Ready"), HasSubstr("Other")));
}

TEST(StrategicPatch, IsNotForCustomKinds) {
  AWidget server;
  auto patch = server.request("PATCH", kWidget, R"({"spec":{"size":2}})");
  patch.patch_type = kube::PatchType::Strategic;

  EXPECT_EQ(server.api.call(patch).status, 415);
}

TEST(Scale, ReadsAndWritesThePathsOfTheKind) {
  AWidget server;
  constexpr std::string_view kScale = "test.io/v1/ns:default/widgets/a/scale";

  EXPECT_EQ(at(server.call("GET", kScale), "spec"), R"({"replicas":1})");
  EXPECT_EQ(at(server.merge(kScale, R"({"spec":{"replicas":4}})"), "spec.replicas"), "4");
  EXPECT_EQ(at(server.call("GET", kWidget), "spec.replicas"), "4");
  EXPECT_EQ(at(server.call("GET", kWidget), "metadata.generation"), "2");
}

TEST(Scale, RefusesFewerThanNone) {
  AWidget server;

  const auto refused = server.merge("test.io/v1/ns:default/widgets/a/scale", R"({"spec":{"replicas":-1}})");

  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(at(refused, "message"),
              HasSubstr(".spec.replicas: Invalid value: -1: should be a non-negative integer"));
}

}  // namespace
}  // namespace capstan::apiserver
