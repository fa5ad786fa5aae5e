// Lists and watch events.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "api/schema/decode.h"
#include "api/schema/sample_types.h"

namespace capstan::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Page {
  std::vector<std::string> names;
  std::vector<std::string> bad;
  Result<ListMeta> meta = Failure(Error{});
};

Page read_list(const std::vector<std::string_view>& chunks) {
  Page page;
  ListDecoder<Sample> decoder(
      [&](Sample&& item) { page.names.push_back(item.metadata.name.str()); },
      [&](Quarantined&& item) {
        page.bad.push_back(item.namespace_ + "/" + item.name + ": " + item.error.message);
      });
  for (const auto chunk : chunks) {
    if (auto fed = decoder.feed(chunk); !fed) {
      page.meta = Failure(fed.error());
      return page;
    }
  }
  page.meta = decoder.finish();
  return page;
}

constexpr std::string_view kList =
    R"({"kind":"SampleList","apiVersion":"example.dev/v1",
        "metadata":{"resourceVersion":"12","continue":"next","remainingItemCount":7,"new":{"a":[1]}},
        "items":[{"metadata":{"name":"a"},"spec":{}},{"metadata":{"name":"b"}}],"later":[{"x":1}]})";

TEST(ListDecoder, HandsOutEveryItemAndTheListsOwnFields) {
  const Page page = read_list({kList});

  EXPECT_THAT(page.names, ElementsAre("a", "b"));
  ASSERT_TRUE(page.meta) << page.meta.error().message;
  EXPECT_EQ(page.meta->resource_version, "12");
  EXPECT_EQ(page.meta->continue_token, "next");
  EXPECT_EQ(page.meta->remaining_item_count, 7);
}

TEST(ListDecoder, HandsOutAnItemAsSoonAsItIsComplete) {
  std::size_t seen = 0;
  ListDecoder<Sample> decoder([&](Sample&&) { ++seen; }, [](Quarantined&&) {});

  ASSERT_TRUE(decoder.feed(R"({"items":[{"metadata":{"name":"a"}})"));

  EXPECT_EQ(seen, 1U);
}

TEST(ListDecoder, ReadsTheSameWhereverAChunkIsCut) {
  for (std::size_t cut = 0; cut <= kList.size(); ++cut) {
    const Page page = read_list({kList.substr(0, cut), kList.substr(cut)});
    ASSERT_THAT(page.names, ElementsAre("a", "b")) << "cut at " << cut;
    ASSERT_TRUE(page.meta) << "cut at " << cut;
  }
}

TEST(ListDecoder, PutsOneBadItemAsideAndGoesOn) {
  const Page page = read_list({R"({"metadata":{"resourceVersion":"1"},"items":[
    {"metadata":{"name":"a"}},
    {"spec":{"replicas":"x","deletion":{"order":[]}},"metadata":{"labels":{"name":"wrong"},"name":"late","namespace":"n"}},
    {"metadata":{"name":"early","namespace":"m","labels":7}},
    {"metadata":{"labels":7,"name":"inside"}},
    "text", null, [1],
    {"metadata":{"name":"z"}}]})"});

  EXPECT_THAT(page.names, ElementsAre("a", "z"));
  EXPECT_THAT(page.bad, ElementsAre(R"(n/late: spec.replicas: expected integer, found string "x")",
                                    "m/early: metadata.labels: expected object of strings, found integer 7",
                                    "/inside: metadata.labels: expected object of strings, found integer 7",
                                    R"(/: expected object, found string "text")",
                                    "/: expected object, found null", "/: expected object, found list"));
  EXPECT_TRUE(page.meta);
}

TEST(ListDecoder, TakesNoItemsForAnEmptyList) {
  EXPECT_TRUE(read_list({R"({"metadata":{"resourceVersion":"1"},"items":null})"}).meta);
  EXPECT_TRUE(read_list({R"({"metadata":{"resourceVersion":"1"},"items":[]})"}).meta);
}

TEST(ListDecoder, RefusesWhatIsNoListOfThisKind) {
  const auto fault = [](std::string_view text) { return read_list({text}).meta.error().message; };

  EXPECT_EQ(fault(R"({"kind":"MachineList","items":[]})"), "kind: expected SampleList, found MachineList");
  EXPECT_EQ(fault(R"({"kind":"Status","message":"no"})"), "kind: expected SampleList, found Status");
  EXPECT_EQ(fault(R"({"apiVersion":"v1"})"), "apiVersion: expected example.dev/v1, found v1");
  EXPECT_EQ(fault(R"({"items":{}})"), "items: expected list, found object");
  EXPECT_EQ(fault(R"({"items":7})"), "items: expected list, found something else");
  EXPECT_EQ(fault(R"({"metadata":{"remainingItemCount":"x"}})"),
            R"(metadata.remainingItemCount: expected integer, found string "x")");
  EXPECT_EQ(fault("[]"), "expected object, found list");
  EXPECT_THAT(fault(R"({"items":[{}])"), HasSubstr("json ends early"));
  EXPECT_THAT(fault("<html>"), HasSubstr("malformed json"));
}

TEST(ListDecoder, GivesUpOnAnItemThatDoesNotEnd) {
  ListDecoder<Sample> decoder([](Sample&&) {}, [](Quarantined&&) {});
  ASSERT_TRUE(decoder.feed(R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":")"));
  const std::string megabyte(1U << 20, 'x');

  std::size_t megabytes = 0;
  auto fed = decoder.feed(megabyte);
  for (; fed && megabytes < 200; ++megabytes) fed = decoder.feed(megabyte);

  ASSERT_FALSE(fed);
  EXPECT_EQ(megabytes, 8U);
  EXPECT_EQ(fed.error().message, "item 2 is longer than 8388608 bytes");
  EXPECT_EQ(decoder.finish().error().message, fed.error().message);
}

TEST(ListDecoder, TakesAPageOfAnySizeWhoseItemsEnd) {
  std::size_t seen = 0;
  ListDecoder<Sample> decoder([&](Sample&&) { ++seen; }, [](Quarantined&&) {});
  const std::string item = R"({"metadata":{"name":")" + std::string(1U << 20, 'x') + R"("}},)";

  ASSERT_TRUE(decoder.feed(R"({"items":[)"));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(decoder.feed(item)) << i;

  EXPECT_EQ(seen, 20U);
}

using Event = Result<WatchEvent<Sample>>;

Event read_event(std::string_view line) {
  WatchEventDecoder<Sample> decoder;
  if (auto fed = decoder.feed(line); !fed) return Failure(fed.error());
  return decoder.finish();
}

TEST(WatchEventDecoder, ReadsAnObjectEvent) {
  const Event event = read_event(R"({"type":"MODIFIED","object":{"kind":"Sample","metadata":{"name":"a"}}})");

  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchType::Modified);
  EXPECT_EQ(event->object->metadata.name, "a");
  EXPECT_FALSE(event->bad);
}

TEST(WatchEventDecoder, ReadsTheTypeAfterTheObject) {
  const Event event = read_event(R"({"object":{"metadata":{"name":"a"},"x":[1,"\n"]},"type":"DELETED"})");

  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchType::Deleted);
  EXPECT_EQ(event->object->unknown.text(), R"({"x":[1,"\n"]})");
}

TEST(WatchEventDecoder, ReadsABookmark) {
  const Event event = read_event(
      R"({"type":"BOOKMARK","object":{"kind":"Sample","metadata":{"resourceVersion":"99",
          "annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"replicas":"ignored"}}})");

  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchType::Bookmark);
  EXPECT_EQ(event->bookmark_version, "99");
  EXPECT_TRUE(event->initial_events_end);
  EXPECT_FALSE(event->object);
}

TEST(WatchEventDecoder, ReadsAnErrorInEitherOrder) {
  for (
      const std::string_view line :
      {R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}})",
       R"({"object":{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"},"type":"ERROR"})"}) {
    const Event event = read_event(line);
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->type, WatchType::Error);
    EXPECT_EQ(event->status.code, 410);
    EXPECT_EQ(event->status.message, "too old");
  }
}

TEST(WatchEventDecoder, PutsABadObjectAsideUnderItsName) {
  for (const std::string_view line :
       {R"({"type":"ADDED","object":{"metadata":{"name":"a","namespace":"n"},"spec":{"replicas":"x"}}})",
        R"({"object":{"metadata":{"name":"a","namespace":"n"},"spec":{"replicas":"x"}},"type":"ADDED"})"}) {
    const Event event = read_event(line);
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->type, WatchType::Added);
    EXPECT_FALSE(event->object);
    EXPECT_EQ(event->bad->name, "a");
    EXPECT_EQ(event->bad->namespace_, "n");
    EXPECT_EQ(event->bad->error.message, R"(spec.replicas: expected integer, found string "x")");
  }
}

TEST(WatchEventDecoder, RefusesWhatIsNoEvent) {
  EXPECT_EQ(read_event(R"({"type":"ADDED"})").error().message, "object: missing");
  EXPECT_EQ(read_event(R"({"object":{}})").error().message, "type: missing");
  EXPECT_EQ(read_event(R"({"type":"RENAMED","object":{}})").error().message,
            "type: unknown watch event RENAMED");
  EXPECT_EQ(read_event(R"({"type":"ERROR","object":7})").error().message,
            "object.expected object, found integer 7");
  EXPECT_FALSE(read_event(""));
  EXPECT_FALSE(read_event("{"));
  EXPECT_FALSE(read_event("null"));
}

TEST(WatchEventDecoder, TakesNoEventWithMoreBehindIt) {
  WatchEventDecoder<Sample> decoder;

  EXPECT_TRUE(decoder.feed(R"({"type":"ADDED","object":{}} )"));
  EXPECT_FALSE(decoder.feed("}"));
  EXPECT_FALSE(decoder.finish());
}

TEST(WatchEventDecoder, ReadsTheNextEventAfterAnyOther) {
  WatchEventDecoder<Sample> decoder;
  const std::vector<std::string_view> lines = {R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
                                               R"({"type":"ADDED","obj)",
                                               "}{",
                                               R"({"object":{"metadata":{"name":"b"}},"type":"ADDED"})",
                                               R"({"type":"ADDED","object":{"metadata":7}})",
                                               R"({"type":"ADDED","object":{"metadata":{"name":"c"}}})"};

  std::vector<std::string> seen;
  for (const auto line : lines) {
    const auto fed = decoder.feed(line);
    auto event = decoder.finish();
    seen.push_back(!fed || !event ? "error" : event->object ? event->object->metadata.name.str() : "bad");
  }

  EXPECT_THAT(seen, ElementsAre("a", "error", "error", "b", "bad", "c"));
}

TEST(WatchEventDecoder, ReadsTheSameWhereverAChunkIsCut) {
  constexpr std::string_view kLine =
      R"({"type":"ADDED","object":{"metadata":{"name":"\u00e9","generation":123}},"z":-1.5})";
  WatchEventDecoder<Sample> decoder;

  for (std::size_t cut = 0; cut <= kLine.size(); ++cut) {
    ASSERT_TRUE(decoder.feed(kLine.substr(0, cut)));
    ASSERT_TRUE(decoder.feed(kLine.substr(cut)));
    const Event event = decoder.finish();
    ASSERT_TRUE(event) << "cut at " << cut << event.error().message;
    ASSERT_EQ(event->object->metadata.generation, 123) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace capstan::api
