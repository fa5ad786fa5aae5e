#include "test/fakes/memory_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/guarded.h"
#include "kube/resources.h"
#include "test/fakes/baton.h"

namespace capstan::fakes {
namespace {

namespace json = boost::json;

const kube::Resource kToys{.group = "test.capstan.dev", .version = "v1", .plural = "toys", .kind = "Toy"};

json::value toy_crd() {
  return json::parse(R"({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "toys.test.capstan.dev"},
    "spec": {"group": "test.capstan.dev", "scope": "Namespaced",
      "names": {"plural": "toys", "singular": "toy", "kind": "Toy", "listKind": "ToyList"},
      "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
          "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
          "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}}]}})");
}

json::value a_toy(std::string_view name, int size) {
  return json::object{{"apiVersion", "test.capstan.dev/v1"},
                      {"kind", "Toy"},
                      {"metadata", json::object{{"name", name}}},
                      {"spec", json::object{{"size", size}}}};
}

class Lines final : public kube::StreamSink {
 public:
  void on_bytes(std::string_view bytes) override {
    lines_.with([&](auto& lines) { lines.emplace_back(bytes); });
    changed.notify();
  }
  void on_end(Result<void>) override {
    ended = true;
    changed.notify();
  }
  std::vector<std::string> lines() const {
    return lines_.with([](const auto& lines) { return lines; });
  }
  Signal changed;
  std::atomic<bool> ended = false;

 private:
  Guarded<std::vector<std::string>> lines_;
};

std::string now(MemoryClient& client) {
  const auto listed = client.list(kToys, {}, Deadline::never());
  return std::string(listed->at("metadata").at("resourceVersion").as_string());
}

// A server with the Toy kind and a client to it, inside a simulation.
void in_simulation(const std::function<void(MemoryClient&, Baton&, apiserver::Api&)>& body) {
  Baton baton({.seed = 3});
  const auto report = baton.run([&] {
    apiserver::Api api({.clock = baton});
    MemoryClient client(api, baton);
    ASSERT_TRUE(
        client.create(kube::resources::custom_resource_definitions(), {}, toy_crd(), {}, Deadline::never()));
    body(client, baton, api);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(MemoryClient, ReadsBackWhatItCreated) {
  in_simulation([](MemoryClient& client, Baton&, apiserver::Api&) {
    const auto created = client.create(kToys, {"default", "a"}, a_toy("a", 3), {}, Deadline::never());

    ASSERT_TRUE(created) << created.error().describe();
    auto read = client.get(kToys, {"default", "a"}, Deadline::never());
    EXPECT_EQ(read->at("metadata").as_object().erase("managedFields"), 1U) << "answers of writes have none";
    EXPECT_EQ(*read, *created);
    EXPECT_EQ(read->at("metadata").at("generation"), 1);
  });
}

TEST(MemoryClient, AnswersTheProbeOfALivingServer) {
  in_simulation([](MemoryClient& client, Baton&, apiserver::Api&) {
    EXPECT_TRUE(client.get_path("/", Deadline::never())->as_object().contains("paths"));
    EXPECT_EQ(client.get_path("/nonsense", Deadline::never()).error().code, Code::NotFound);
  });
}

TEST(MemoryClient, RefusesAsTheServerDoes) {
  in_simulation([](MemoryClient& client, Baton&, apiserver::Api&) {
    ASSERT_TRUE(client.create(kToys, {"default", "a"}, a_toy("a", 3), {}, Deadline::never()));

    EXPECT_EQ(client.create(kToys, {"default", "a"}, a_toy("a", 3), {}, Deadline::never()).error().code,
              Code::AlreadyExists);
    EXPECT_EQ(client.get(kToys, {"default", "b"}, Deadline::never()).error().code, Code::NotFound);
  });
}

TEST(MemoryClient, WatchDeliversOneLinePerChange) {
  in_simulation([](MemoryClient& client, Baton& baton, apiserver::Api&) {
    Lines lines;
    const auto stream =
        client.watch(kToys, {.namespace_ = "default", .resource_version = now(client)}, lines);
    ASSERT_TRUE(client.create(kToys, {"default", "a"}, a_toy("a", 3), {}, Deadline::never()));
    ASSERT_TRUE(
        client.patch(kToys, {"default", "a"}, json::parse(R"({"spec":{"size":4}})"), {}, Deadline::never()));
    ASSERT_TRUE(client.remove(kToys, {"default", "a"}, {}, Deadline::never()));

    baton.wait_until(lines.changed, Deadline::never(), [&] { return lines.lines().size() >= 3; });

    using testing::StartsWith;
    EXPECT_THAT(lines.lines(),
                testing::ElementsAre(StartsWith(R"({"type":"ADDED")"), StartsWith(R"({"type":"MODIFIED")"),
                                     StartsWith(R"({"type":"DELETED")")));
  });
}

TEST(MemoryClient, WatchOfExpiredHistoryEndsWithGone) {
  in_simulation([](MemoryClient& client, Baton& baton, apiserver::Api& api) {
    Lines lines;
    const auto stream =
        client.watch(kToys, {.namespace_ = "default", .resource_version = now(client)}, lines);
    baton.pause(Deadline::in(baton, std::chrono::seconds(1)));

    api.expire_watches();
    baton.wait_until(lines.changed, Deadline::never(), [&] { return lines.ended.load(); });

    ASSERT_EQ(lines.lines().size(), 1U);
    EXPECT_THAT(lines.lines().front(), testing::HasSubstr(R"("code":410)"));
  });
}

TEST(MemoryClient, WatchEndsAtItsTimeoutAfterABookmark) {
  in_simulation([](MemoryClient& client, Baton& baton, apiserver::Api&) {
    Lines lines;
    const auto stream = client.watch(
        kToys, {.namespace_ = "default", .resource_version = now(client), .timeout_seconds = 30}, lines);

    baton.wait_until(lines.changed, Deadline::never(), [&] { return lines.ended.load(); });

    EXPECT_THAT(lines.lines(), testing::ElementsAre(testing::StartsWith(R"({"type":"BOOKMARK")")));
  });
}

TEST(MemoryClient, ListStreamDeliversTheWholeListAndEnds) {
  in_simulation([](MemoryClient& client, Baton& baton, apiserver::Api&) {
    ASSERT_TRUE(client.create(kToys, {"default", "a"}, a_toy("a", 3), {}, Deadline::never()));
    Lines lines;

    const auto stream = client.list_stream(kToys, {}, lines);
    baton.wait_until(lines.changed, Deadline::never(), [&] { return lines.ended.load(); });

    std::string text;
    for (const auto& line : lines.lines()) text += line;
    EXPECT_EQ(json::parse(text).at("items").as_array().size(), 1U);
  });
}

TEST(MemoryClient, NobodyIsCalledAfterTheStreamIsGone) {
  in_simulation([](MemoryClient& client, Baton& baton, apiserver::Api&) {
    Lines lines;
    auto stream = client.watch(kToys, {.namespace_ = "default", .resource_version = now(client)}, lines);
    baton.pause(Deadline::in(baton, std::chrono::seconds(1)));

    stream.reset();
    ASSERT_TRUE(client.create(kToys, {"default", "a"}, a_toy("a", 3), {}, Deadline::never()));
    baton.pause(Deadline::in(baton, std::chrono::seconds(1)));

    EXPECT_THAT(lines.lines(), testing::IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::fakes
