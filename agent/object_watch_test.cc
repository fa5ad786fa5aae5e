#include "agent/object_watch.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "kube/resources.h"
#include "kube/stub_client.h"

namespace capstan::agent {
namespace {

// Hands out the sink of a watch.
struct OneWatch final : kube::StubClient {
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions& options,
                                      kube::StreamSink& to) override {
    asked = options;
    sink = &to;
    return nullptr;
  }
  kube::WatchOptions asked = {};
  kube::StreamSink* sink = nullptr;
};

struct ObjectWatched : ::testing::Test {
  ObjectWatched() { watch.listen(client, kube::resources::nodes(), {.name = "m1"}, "7"); }
  std::string taken() {
    const auto object = watch.take();
    return object ? boost::json::serialize(*object) : "nothing";
  }

  Signal changed;
  OneWatch client;
  ObjectWatch watch{changed};
};

TEST_F(ObjectWatched, AsksForOneObjectFromTheVersionThatIsKnown) {
  EXPECT_EQ(client.asked.field_selector, "metadata.name=m1");
  EXPECT_EQ(client.asked.resource_version, "7");
  EXPECT_TRUE(watch.listens());
  EXPECT_EQ(taken(), "nothing");
}

TEST_F(ObjectWatched, KeepsTheLastThatItWasToldHoweverItsBytesAreCut) {
  const std::string first = R"({"type":"MODIFIED","object":{"a":1}})"
                            "\n";
  const std::string second = R"({"type":"MODIFIED","object":{"a":2}})"
                             "\n";
  for (const char byte : first + second) client.sink->on_bytes(std::string_view(&byte, 1));

  EXPECT_EQ(changed.count(), 2U);
  EXPECT_EQ(taken(), R"({"a":2})");
  EXPECT_EQ(taken(), "nothing");
  EXPECT_TRUE(watch.listens());
}

TEST_F(ObjectWatched, AfterADeletionOrAnErrorTheObjectIsToBeRead) {
  for (const std::string_view line :
       {R"({"type":"DELETED","object":{}})", R"({"type":"ERROR","object":{"code":410}})", "no JSON", "[]",
        R"({"type":"MODIFIED"})"}) {
    ObjectWatch other(changed);
    other.listen(client, kube::resources::nodes(), {.name = "m1"}, "7");
    const auto told = changed.count();

    client.sink->on_bytes(std::string(line) + "\n");

    EXPECT_FALSE(other.listens()) << line;
    EXPECT_FALSE(other.take()) << line;
    EXPECT_EQ(changed.count(), told + 1) << line;
  }
}

TEST_F(ObjectWatched, AWatchThatEndsDoesNotWake) {
  client.sink->on_end({});
  EXPECT_FALSE(watch.listens());
  EXPECT_EQ(changed.count(), 0U);
}

}  // namespace
}  // namespace capstan::agent
