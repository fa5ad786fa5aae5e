#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"

namespace capstan::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kMaps = "v1/ns:default/configmaps";

struct Maps : ApiFixture {
  explicit Maps(std::size_t history = 100) : ApiFixture({}, history) {}
  void add(std::string_view name, std::string_view labels = "{}") {
    call("POST", kMaps,
         R"({"metadata":{"name":")" + std::string(name) + R"(","labels":)" + std::string(labels) + "}}");
  }
  Response list(const std::function<void(Query&)>& set = [](Query&) {}) {
    auto asked = request("GET", kMaps);
    set(asked.query);
    return api.call(asked);
  }
  std::unique_ptr<Watch> watch(const std::function<void(Query&)>& set = [](Query&) {}) {
    auto asked = request("GET", kMaps);
    asked.verb = Verb::Watch;
    set(asked.query);
    auto opened = api.watch(asked);
    return opened ? std::move(*opened) : nullptr;
  }
  std::vector<std::string> seen(Watch& watch) {
    std::vector<std::string> all;
    for (const auto& event : watch.take(clock.steady_now())) {
      const auto* name = event.object->at("metadata").get_object().if_contains("name");
      all.push_back(std::string(to_string(event.type)) + " " +
                    (name == nullptr ? "" : std::string(name->as_string())));
    }
    return all;
  }
  std::string version() {
    return std::string(list().object->at("metadata").at("resourceVersion").as_string());
  }
};

std::vector<std::string> names(const Response& response) {
  std::vector<std::string> all;
  for (const auto& item : response.items) all.emplace_back(item->at("metadata").at("name").as_string());
  return all;
}

TEST(List, SelectsByLabelsAndFields) {
  Maps server;
  server.add("a", R"({"x":"1"})");
  server.add("b", R"({"x":"2"})");

  EXPECT_THAT(names(server.list([](Query& query) { query.label_selector = "x=1"; })), ElementsAre("a"));
  EXPECT_THAT(names(server.list([](Query& query) { query.field_selector = "metadata.name=b"; })),
              ElementsAre("b"));
  EXPECT_EQ(server.list([](Query& query) { query.label_selector = "x in"; }).status, 400);
  EXPECT_EQ(server.list([](Query& query) { query.field_selector = "data.x=1"; }).status, 400);
}

TEST(List, PagesThroughOneMoment) {
  Maps server;
  for (const auto* name : {"a", "b", "c"}) server.add(name);

  const auto first = server.list([](Query& query) { query.limit = 2; });
  const auto token = std::string(first.object->at("metadata").at("continue").as_string());
  server.call("DELETE", "v1/ns:default/configmaps/c");
  server.add("d");
  const auto second = server.list([&](Query& query) { query.limit = 2, query.continue_token = token; });

  EXPECT_THAT(names(first), ElementsAre("a", "b"));
  EXPECT_EQ(at(first, "metadata.remainingItemCount"), "1");
  EXPECT_THAT(names(second), ElementsAre("c"));
  EXPECT_EQ(at(second, "metadata.resourceVersion"), at(first, "metadata.resourceVersion"));
  EXPECT_EQ(at(second, "metadata.continue"), "");
}

TEST(List, CountsNoRemainderUnderASelector) {
  Maps server;
  for (const auto* name : {"a", "b"}) server.add(name);

  const auto page = server.list([](Query& query) { query.limit = 1, query.label_selector = "!x"; });

  EXPECT_NE(at(page, "metadata.continue"), "");
  EXPECT_EQ(at(page, "metadata.remainingItemCount"), "");
}

TEST(List, SaysWhenAContinueTokenIsTooOld) {
  Maps server;
  for (const auto* name : {"a", "b"}) server.add(name);
  const auto first = server.list([](Query& query) { query.limit = 1; });
  const auto token = std::string(first.object->at("metadata").at("continue").as_string());

  server.api.expire_watches();
  const auto refused = server.list([&](Query& query) { query.continue_token = token; });
  const auto remainder = std::string(refused.object->at("metadata").at("continue").as_string());
  const auto rest = server.list([&](Query& query) { query.continue_token = remainder; });

  EXPECT_EQ(refused.status, 410);
  EXPECT_EQ(at(refused, "reason"), "\"Expired\"");
  EXPECT_THAT(names(rest), ElementsAre("b"));
}

TEST(List, RefusesNonsense) {
  Maps server;

  EXPECT_EQ(server.list([](Query& query) { query.continue_token = "abc"; }).status, 400);
  EXPECT_EQ(server.list([](Query& query) { query.resource_version = "abc"; }).status, 400);
  EXPECT_EQ(server.list([](Query& query) { query.resource_version_match = "Exact"; }).status, 422);
  const auto future = server.list([](Query& query) { query.resource_version = "999999"; });
  EXPECT_EQ(future.status, 504);
  EXPECT_THAT(at(future, "message"), HasSubstr("Too large resource version: 999999"));
}

TEST(List, ShowsTheVersionAskedForByName) {
  Maps server;
  server.add("a");
  const auto then = server.version();
  server.add("b");

  const auto past = server.list(
      [&](Query& query) { query.resource_version = then, query.resource_version_match = "Exact"; });

  EXPECT_THAT(names(past), ElementsAre("a"));
}

TEST(List, OfBuiltInKindsDoesNotRepeatTheKind) {
  Maps server;
  server.add("a");

  EXPECT_THAT(server.list().text(), testing::Not(HasSubstr(R"("kind":"ConfigMap",)")));
}

TEST(Watch, StartsWithEverythingUnlessToldFromWhere) {
  Maps server;
  server.add("a");
  const auto then = server.version();
  server.add("b");

  const auto all = server.watch();
  const auto later = server.watch([&](Query& query) { query.resource_version = then; });

  EXPECT_THAT(server.seen(*all), ElementsAre("ADDED a", "ADDED b"));
  EXPECT_THAT(server.seen(*later), ElementsAre("ADDED b"));
}

TEST(Watch, TellsOfChangesInTheirOrder) {
  Maps server;
  const auto watch = server.watch();
  int calls = 0;
  watch->on_ready([&] { ++calls; });
  server.add("a");
  server.call("PATCH", "v1/ns:default/configmaps/a", R"({"data":{"k":"v"}})");
  server.call("DELETE", "v1/ns:default/configmaps/a");

  EXPECT_THAT(server.seen(*watch), ElementsAre("ADDED a", "MODIFIED a", "DELETED a"));
  EXPECT_GE(calls, 3);
  EXPECT_THAT(server.seen(*watch), ElementsAre());
}

TEST(Watch, WithASelectorSeesObjectsComeAndGo) {
  Maps server;
  server.add("a");
  const auto watch = server.watch([](Query& query) { query.label_selector = "x=1"; });

  server.call("PATCH", "v1/ns:default/configmaps/a", R"({"metadata":{"labels":{"x":"1"}}})");
  server.call("PATCH", "v1/ns:default/configmaps/a", R"({"data":{"k":"v"}})");
  server.call("PATCH", "v1/ns:default/configmaps/a", R"({"metadata":{"labels":{"x":"2"}}})");
  server.call("DELETE", "v1/ns:default/configmaps/a");

  EXPECT_THAT(server.seen(*watch), ElementsAre("ADDED a", "MODIFIED a", "DELETED a"));
}

TEST(Watch, AnnouncesTheEndOfTheInitialEvents) {
  Maps server;
  server.add("a");
  const auto watch = server.watch([](Query& query) {
    query.send_initial_events = true, query.allow_watch_bookmarks = true,
    query.resource_version_match = "NotOlderThan";
  });

  const auto events = watch->take(server.clock.steady_now());

  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].type, EventType::Bookmark);
  EXPECT_THAT(events[1].line(), HasSubstr(R"("annotations":{"k8s.io/initial-events-end":"true"})"));
}

TEST(Watch, SendsBookmarksAndEndsInTime) {
  Maps server;
  const auto watch = server.watch([](Query& query) {
    query.send_initial_events = false, query.resource_version_match = "NotOlderThan";
    query.allow_watch_bookmarks = true, query.timeout_seconds = 90;
  });
  server.seen(*watch);

  server.clock.advance(std::chrono::seconds(60));
  EXPECT_THAT(server.seen(*watch), ElementsAre("BOOKMARK "));
  server.clock.advance(std::chrono::seconds(28));
  EXPECT_THAT(server.seen(*watch), ElementsAre("BOOKMARK "));
  EXPECT_FALSE(watch->ended());
  server.clock.advance(std::chrono::seconds(2));
  EXPECT_THAT(server.seen(*watch), ElementsAre());
  EXPECT_TRUE(watch->ended());
}

TEST(Watch, FromTooFarBackEndsWithGone) {
  Maps server(2);
  for (const auto* name : {"a", "b", "c", "d"}) server.add(name);
  const auto watch = server.watch([](Query& query) { query.resource_version = "2"; });

  const auto events = watch->take(server.clock.steady_now());

  ASSERT_EQ(events.size(), 1U);
  EXPECT_THAT(events[0].line(),
              testing::AllOf(HasSubstr("\"ERROR\""), HasSubstr("\"code\":410"), HasSubstr("\"Expired\"")));
  EXPECT_TRUE(watch->ended());
}

TEST(Watch, NeedsOptionsThatFitTogether) {
  Maps server;

  EXPECT_EQ(server.watch([](Query& query) { query.send_initial_events = true; }), nullptr);
  EXPECT_EQ(server.watch([](Query& query) { query.resource_version = "abc"; }), nullptr);
}

TEST(Get, OfTheFutureWaitsForNobody) {
  Maps server;
  server.add("a");
  auto asked = server.request("GET", "v1/ns:default/configmaps/a");
  asked.query.resource_version = "999999";

  EXPECT_EQ(server.api.call(asked).status, 504);
  EXPECT_EQ(server.call("GET", "v1/ns:default/configmaps/nope").status, 404);
}

}  // namespace
}  // namespace capstan::apiserver
