#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"

namespace capstan::apiserver {
namespace {

using testing::HasSubstr;

constexpr std::string_view kMaps = "v1/ns:default/configmaps";
constexpr std::string_view kMap = "v1/ns:default/configmaps/a";

TEST(Delete, AnswersWithAStatusThatNamesTheObject) {
  ApiFixture server;
  const auto created = server.call("POST", kMaps, R"({"metadata":{"name":"a"}})");

  const auto deleted = server.call("DELETE", kMap);

  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(at(deleted, "status"), "\"Success\"");
  EXPECT_EQ(at(deleted, "details.uid"), at(created, "metadata.uid"));
  EXPECT_EQ(server.call("GET", kMap).status, 404);
}

TEST(Delete, WaitsForFinalizers) {
  ApiFixture server;
  server.call("POST", kMaps, R"({"metadata":{"name":"a","finalizers":["x.y/z"]}})");

  const auto marked = server.call("DELETE", kMap);
  const auto again = server.call("DELETE", kMap);
  const auto released = server.call("PATCH", kMap, R"({"metadata":{"finalizers":null}})");

  EXPECT_EQ(at(marked, "metadata.deletionTimestamp"), "\"2026-01-01T00:00:00Z\"");
  EXPECT_EQ(at(marked, "metadata.deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(*again.object, *marked.object);
  EXPECT_EQ(released.status, 200);
  EXPECT_EQ(server.call("GET", kMap).status, 404);
}

TEST(Delete, TakesNoNewFinalizersOnceBegun) {
  ApiFixture server;
  server.call("POST", kMaps, R"({"metadata":{"name":"a","finalizers":["x.y/z"]}})");
  server.call("DELETE", kMap);

  const auto refused = server.call("PATCH", kMap, R"({"metadata":{"finalizers":["x.y/z","d.e/f"]}})");

  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(at(refused, "message"),
              HasSubstr("no new finalizers can be added if the object is being deleted"));
}

TEST(Delete, MovesTheGenerationOfWhatIsOnlyMarked) {
  ApiFixture server;
  with_widgets(server);
  server.call(
      "POST", "test.io/v1/ns:default/widgets",
      R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a","finalizers":["x.y/z"]},"spec":{"size":1}})");

  EXPECT_EQ(at(server.call("DELETE", "test.io/v1/ns:default/widgets/a"), "metadata.generation"), "2");
}

TEST(Delete, HoldsToItsPreconditions) {
  ApiFixture server;
  const auto created = server.call("POST", kMaps, R"({"metadata":{"name":"a"}})");

  const auto other = server.call("DELETE", kMap, R"({"preconditions":{"uid":"x"}})");
  const auto stale = server.call("DELETE", kMap, R"({"preconditions":{"resourceVersion":"1"}})");
  const auto right =
      server.call("DELETE", kMap, R"({"preconditions":{"uid":)" + at(created, "metadata.uid") + "}}");

  EXPECT_EQ(other.status, 409);
  EXPECT_THAT(at(other, "message"),
              HasSubstr("the UID in the precondition (x) does not match the UID in record"));
  EXPECT_EQ(stale.status, 409);
  EXPECT_EQ(right.status, 200);
}

TEST(Delete, RefusesPoliciesItDoesNotKnow) {
  ApiFixture server;
  server.call("POST", kMaps, R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(server.call("DELETE", kMap, R"({"propagationPolicy":"Foo"})").status, 422);
}

TEST(Delete, DryRunDeletesNothing) {
  ApiFixture server;
  server.call("POST", kMaps, R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(server.call("DELETE", kMap, R"({"dryRun":["All"]})").status, 200);
  EXPECT_EQ(server.call("GET", kMap).status, 200);
}

TEST(Delete, LetsARunningPodEndInPeace) {
  ApiFixture server;
  server.call("POST", "v1/ns:default/pods",
              R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");

  const auto marked = server.call("DELETE", "v1/ns:default/pods/p");
  const auto longer = server.call("DELETE", "v1/ns:default/pods/p", R"({"gracePeriodSeconds":60})");

  EXPECT_EQ(at(marked, "metadata.deletionTimestamp"), "\"2026-01-01T00:00:30Z\"");
  EXPECT_EQ(at(longer, "metadata.deletionTimestamp"), "\"2026-01-01T00:00:30Z\"");
  EXPECT_EQ(server.call("DELETE", "v1/ns:default/pods/p", R"({"gracePeriodSeconds":0})").status, 200);
  EXPECT_EQ(server.call("GET", "v1/ns:default/pods/p").status, 404);
}

TEST(Delete, OfAPodOnNoNodeIsImmediate) {
  ApiFixture server;
  server.call("POST", "v1/ns:default/pods",
              R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");

  const auto deleted = server.call("DELETE", "v1/ns:default/pods/p");

  EXPECT_EQ(at(deleted, "kind"), "\"Pod\"");
  EXPECT_EQ(server.call("GET", "v1/ns:default/pods/p").status, 404);
}

TEST(DeleteCollection, TakesWhatTheSelectorMeans) {
  ApiFixture server;
  server.call("POST", kMaps, R"({"metadata":{"name":"a","labels":{"x":"1"}}})");
  server.call("POST", kMaps, R"({"metadata":{"name":"b"}})");
  auto request = server.request("DELETE", kMaps);
  request.query.label_selector = "x=1";

  const auto deleted = server.api.call(request);

  EXPECT_EQ(deleted.items.size(), 1U);
  EXPECT_EQ(server.call("GET", kMap).status, 404);
  EXPECT_EQ(server.call("GET", "v1/ns:default/configmaps/b").status, 200);
}

TEST(Delete, KeepsTheNamespacesEveryoneNeeds) {
  ApiFixture server;

  EXPECT_EQ(server.call("DELETE", "v1/namespaces/default").status, 403);
}

}  // namespace
}  // namespace capstan::apiserver
