#include "apiserver/present/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/document/document.h"
#include "base/time.h"

namespace capstan::apiserver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const WallTime kNow = Time::parse("2026-01-01T12:00:00Z")->wall();

ObjectPtr object(std::string_view text) {
  return std::make_shared<const json::object>(json::parse(text).get_object());
}

ResourceType widgets(std::vector<Column> columns) {
  ServedVersion version{.name = "v1",
                        .storage = true,
                        .schema = std::make_shared<const Schema>(),
                        .columns = std::move(columns)};
  return {.group = "test.io",
          .plural = "widgets",
          .kind = "Widget",
          .custom = true,
          .versions = {std::move(version)}};
}

ResourceType builtin(std::string group, std::string plural) {
  ServedVersion version{.name = "v1", .storage = true, .schema = std::make_shared<const Schema>()};
  return {.group = std::move(group), .plural = std::move(plural), .versions = {std::move(version)}};
}

std::string cells(const ResourceType& type, std::string_view document) {
  const auto made = table(type, "v1", {object(document)}, nullptr, false, kNow);
  return json::serialize(made.at("rows").as_array().at(0).as_object().at("cells"));
}

// One cell of a custom column with this type and path.
std::string cell(std::string type, std::string path, std::string_view spec) {
  const auto kind = widgets({{.name = "X", .type = std::move(type), .json_path = std::move(path)}});
  const auto all = json::parse(cells(kind, R"({"metadata":{"name":"w"},"spec":)" + std::string(spec) + "}"));
  return json::serialize(all.as_array().at(1));
}

TEST(Table, IsShapedLikeTheServers) {
  const auto type = widgets(
      {{.name = "Mode", .type = "string", .description = "how", .priority = 1, .json_path = ".spec.mode"}});
  const json::object list{{"resourceVersion", "7"}};

  const auto made =
      table(type, "v1", {object(R"({"metadata":{"name":"w","uid":"u"},"spec":{"mode":"Fast"}})")}, &list,
            false, kNow);

  EXPECT_EQ(
      json::serialize(made),
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[)"
      R"({"name":"Name","type":"string","format":"name","description":"the name, unique in its namespace for this kind","priority":0},)"
      R"({"name":"Mode","type":"string","format":"","description":"how","priority":1}],"rows":[{"cells":["w","Fast"],)"
      R"("object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","uid":"u"}}}]})");
}

TEST(Table, OfOneObjectHasItsVersion) {
  const auto made = table(widgets({}), "v1", {object(R"({"metadata":{"name":"w","resourceVersion":"9"}})")},
                          nullptr, false, kNow);

  EXPECT_EQ(text_at(made, {"metadata", "resourceVersion"}), "9");
}

TEST(Table, CarriesTheWholeObjectOrNoneWhenAsked) {
  const auto type = widgets({});
  const std::vector objects{object(R"({"metadata":{"name":"w"},"spec":{"a":1}})")};

  const auto full = table(type, "v1", objects, nullptr, true, kNow);
  const auto none = table(type, "v1", objects, nullptr, RowObject::None, kNow);

  EXPECT_EQ(json::serialize(full.at("rows").as_array()[0].as_object().at("object")),
            R"({"metadata":{"name":"w"},"spec":{"a":1}})");
  EXPECT_TRUE(none.at("rows").as_array()[0].as_object().at("object").is_null());
}

TEST(Table, OfCustomKindsWithoutColumnsShowsTheAge) {
  EXPECT_EQ(cells(widgets({}), R"({"metadata":{"name":"w","creationTimestamp":"2026-01-01T11:55:00Z"}})"),
            R"(["w","5m"])");
}

TEST(Table, OfNothingHasColumnsAndNoRows) {
  const json::object list{{"resourceVersion", "7"}};

  const auto made = table(widgets({}), "v1", {}, &list, false, kNow);

  EXPECT_EQ(made.at("columnDefinitions").as_array().size(), 2U);
  EXPECT_TRUE(made.at("rows").as_array().empty());
}

TEST(TableCell, IsNullWhereThereIsNoValue) { EXPECT_EQ(cell("string", ".spec.none", "{}"), "null"); }

TEST(TableCell, KeepsIntegersAndCutsFractions) {
  EXPECT_EQ(cell("integer", ".spec.i", R"({"i":7})"), "7");
  EXPECT_EQ(cell("integer", ".spec.i", R"({"i":7.5})"), "7");
  EXPECT_EQ(cell("integer", ".spec.i", R"({"i":"7"})"), "null");
}

TEST(TableCell, KeepsNumbersAndBooleansOfTheirType) {
  EXPECT_EQ(cell("number", ".spec.n", R"({"n":2})"), "2");
  EXPECT_EQ(cell("number", ".spec.n", R"({"n":"x"})"), "null");
  EXPECT_EQ(cell("boolean", ".spec.b", R"({"b":true})"), "true");
  EXPECT_EQ(cell("boolean", ".spec.b", R"({"b":"yes"})"), "null");
}

TEST(TableCell, PrintsAnythingAsText) {
  EXPECT_EQ(cell("string", ".spec.x", R"({"x":7})"), R"("7")");
  EXPECT_EQ(cell("string", ".spec.x", R"({"x":7.5})"), R"("7.5")");
  EXPECT_EQ(cell("string", ".spec.x", R"({"x":true})"), R"("true")");
  EXPECT_EQ(cell("string", ".spec.x", R"({"x":[]})"), R"("[]")");
  EXPECT_EQ(cell("string", ".spec.x", R"({"x":null})"), R"("<no value>")");
  EXPECT_EQ(cell("string", ".spec.x", R"({"x":""})"), R"("")");
}

TEST(TableCell, ShowsTheFirstOfSeveralValues) {
  EXPECT_EQ(cell("string", ".spec.l[*].n", R"({"l":[{"n":"a"},{"n":"b"}]})"), R"("a")");
}

TEST(TableCell, CountsDatesFromNow) {
  EXPECT_EQ(cell("date", ".spec.d", R"({"d":"2026-01-01T10:00:00Z"})"), R"("120m")");
  EXPECT_EQ(cell("date", ".spec.d", R"({"d":"2027-01-01T10:00:00Z"})"), R"("<invalid>")");
  EXPECT_EQ(cell("date", ".spec.d", R"({"d":"never"})"), R"("<invalid>")");
  EXPECT_EQ(cell("date", ".spec.d", R"({"d":5})"), "null");
}

TEST(Age, GrowsCoarserWithTime) {
  EXPECT_EQ(age(seconds(119)), "119s");
  EXPECT_EQ(age(minutes(2)), "2m");
  EXPECT_EQ(age(minutes(2) + seconds(5)), "2m5s");
  EXPECT_EQ(age(minutes(179)), "179m");
  EXPECT_EQ(age(hours(3) + minutes(1)), "3h1m");
  EXPECT_EQ(age(hours(47)), "47h");
  EXPECT_EQ(age(hours(49)), "2d1h");
  EXPECT_EQ(age(hours(24 * 8)), "8d");
  EXPECT_EQ(age(hours(24 * 740)), "2y10d");
  EXPECT_EQ(age(hours(24 * 365 * 9)), "9y");
}

TEST(Age, OfTheFutureIsInvalidButForAMomentOfClockSkew) {
  EXPECT_EQ(age(seconds(-1)), "0s");
  EXPECT_EQ(age(seconds(-2)), "<invalid>");
}

TEST(BuiltinTable, CountsTheDataOfConfigMaps) {
  EXPECT_EQ(
      cells(
          builtin("", "configmaps"),
          R"({"metadata":{"name":"a","creationTimestamp":"2026-01-01T11:59:30Z"},"data":{"a":"1","b":"2"},"binaryData":{"c":"eA=="}})"),
      R"(["a",3,"30s"])");
}

TEST(BuiltinTable, SaysWhetherNodesAreReadyAndMayBeScheduled) {
  constexpr std::string_view kNode =
      R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":"","node-role.kubernetes.io/infra":""}},"spec":{"unschedulable":true},)"
      R"("status":{"conditions":[{"type":"Ready","status":"False"}],"nodeInfo":{"kubeletVersion":"v1.36.3"},"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}})";

  EXPECT_EQ(
      cells(builtin("", "nodes"), kNode),
      R"(["n","NotReady,SchedulingDisabled","infra,worker","<unknown>","v1.36.3","10.0.0.1","<none>","<unknown>","<unknown>","<unknown>"])");
}

TEST(BuiltinTable, SaysWhyPodsWait) {
  constexpr std::string_view kPod =
      R"({"metadata":{"name":"p"},"spec":{"containers":[{},{}],"nodeName":"n"},"status":{"phase":"Pending","containerStatuses":[)"
      R"({"ready":true,"restartCount":2,"state":{"running":{}}},{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})";

  EXPECT_EQ(cells(builtin("", "pods"), kPod),
            R"(["p","1/2","CrashLoopBackOff","2","<unknown>","<none>","n","<none>","<none>"])");
}

TEST(BuiltinTable, ShowsPodsAsTerminating) {
  const auto shown = cells(
      builtin("", "pods"),
      R"({"metadata":{"name":"p","deletionTimestamp":"2026-01-01T11:59:30Z"},"status":{"phase":"Running"}})");

  EXPECT_THAT(shown, ::testing::StartsWith(R"(["p","0/0","Terminating","0")"));
}

TEST(BuiltinTable, SaysHowFarInitContainersGot) {
  constexpr std::string_view kPod =
      R"({"metadata":{"name":"p"},"spec":{"initContainers":[{},{}],"containers":[{}]},"status":{"phase":"Pending","initContainerStatuses":[)"
      R"({"state":{"terminated":{"exitCode":0}}},{"restartCount":3,"state":{"running":{}}}]}})";

  EXPECT_THAT(cells(builtin("", "pods"), kPod), ::testing::StartsWith(R"(["p","0/1","Init:1/2","3")"));
}

TEST(BuiltinTable, SaysWhenAPodRestartedLast) {
  constexpr std::string_view kPod =
      R"({"metadata":{"name":"p"},"status":{"phase":"Running","containerStatuses":[{"restartCount":2,)"
      R"("lastState":{"terminated":{"finishedAt":"2026-01-01T11:50:00Z"}}}]}})";

  EXPECT_THAT(cells(builtin("", "pods"), kPod), ::testing::HasSubstr(R"-("2 (10m ago)")-"));
}

TEST(BuiltinTable, TakesWhatASeriesOfEventsSays) {
  constexpr std::string_view kEvent =
      R"({"metadata":{"name":"e"},"message":" text\n","eventTime":"2026-01-01T11:00:00.000000Z",)"
      R"("series":{"count":5,"lastObservedTime":"2026-01-01T11:50:00.000000Z"}})";

  EXPECT_EQ(cells(builtin("", "events"), kEvent), R"(["10m","","","/","","","text","60m",5,"e"])");
}

TEST(BuiltinTable, ShowsWhereAServiceIsReached) {
  const auto shown = [](std::string_view spec) {
    return cells(builtin("", "services"), R"({"metadata":{"name":"s"},"spec":)" + std::string(spec) + "}");
  };

  EXPECT_THAT(shown(R"({"type":"LoadBalancer","ports":[{"port":80,"nodePort":30000}]})"),
              ::testing::HasSubstr(R"("<pending>","80:30000/TCP")"));
  EXPECT_THAT(shown(R"({"type":"ExternalName","externalName":"a.b"})"),
              ::testing::HasSubstr(R"("a.b","<none>")"));
}

TEST(BuiltinTable, HidesTheNamesOfEventsUnlessAskedForMore) {
  const json::object list{{"resourceVersion", "7"}};

  const auto columns =
      table(builtin("", "events"), "v1", {}, &list, false, kNow).at("columnDefinitions").as_array();

  EXPECT_EQ(columns.back().as_object().at("name"), "Name");
  EXPECT_EQ(columns.back().as_object().at("priority"), 1);
}

TEST(BuiltinTable, TellsWhatEventsAreAbout) {
  EXPECT_EQ(
      cells(
          builtin("", "events"),
          R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Machine","name":"m"},"type":"Normal","reason":"R","message":"text","lastTimestamp":"2026-01-01T11:59:50Z","source":{"component":"c","host":"h"},"count":4})"),
      R"(["10s","Normal","R","machine/m","","c, h","text","<unknown>",4,"e"])");
}

TEST(BuiltinTable, ComparesReplicasOfDeployments) {
  EXPECT_EQ(
      cells(
          builtin("apps", "deployments"),
          R"({"metadata":{"name":"d"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["x"]}]},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"readyReplicas":2,"updatedReplicas":1,"availableReplicas":2}})"),
      R"-(["d","2/3",1,2,"<unknown>","c","i","a=b,k in (x)"])-");
}

TEST(BuiltinTable, ShowsBudgetsWithAndWithoutLimits) {
  EXPECT_EQ(
      cells(builtin("policy", "poddisruptionbudgets"),
            R"({"metadata":{"name":"b"},"spec":{"maxUnavailable":"50%"},"status":{"disruptionsAllowed":1}})"),
      R"(["b","N/A","50%",1,"<unknown>"])");
}

TEST(BuiltinTable, ShowsOtherKindsWithTheTimeTheyWereMade) {
  EXPECT_EQ(cells(builtin("apiextensions.k8s.io", "customresourcedefinitions"),
                  R"({"metadata":{"name":"x","creationTimestamp":"2026-01-01T11:59:30Z"}})"),
            R"(["x","2026-01-01T11:59:30Z"])");
}

}  // namespace
}  // namespace capstan::apiserver
