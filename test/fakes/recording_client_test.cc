#include "test/fakes/recording_client.h"

#include <gmock/gmock.h>

#include "kube/resources.h"
#include "test/fakes/scripted_client.h"

namespace capstan::fakes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const kube::Resource kWidgets{.group = "example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};
const kube::ObjectKey kFirst{.namespace_ = "default", .name = "a"};
const json::value kDocument = {{"metadata", {{"name", "a"}}}};
const Deadline kNever = Deadline::never();

class NoSink final : public kube::StreamSink {
 public:
  void on_bytes(std::string_view) override {}
  void on_end(Result<void>) override {}
};

// A server that answers everything, behind the client under test.
class RecordingClientTest : public testing::Test {
 protected:
  RecordingClientTest() {
    server.on_get = [](auto&, auto&) -> ScriptedClient::Object { return kDocument; };
    server.on_list = [](auto&, auto&) -> ScriptedClient::Object { return json::object(); };
    server.on_create = [](auto&, auto&, auto& object) -> ScriptedClient::Object { return object; };
    server.on_replace = [](auto&, auto&, auto& object) -> ScriptedClient::Object { return object; };
    server.on_patch = [this](auto&, auto&, auto& body, auto&) -> ScriptedClient::Object {
      ++patches_that_arrived;
      return body;
    };
    server.on_remove = [](auto&, auto&, auto&) -> ScriptedClient::Object { return json::value(); };
    server.on_post = [](auto, auto& body) -> ScriptedClient::Object { return body; };
  }
  bool get() { return client.get(kWidgets, kFirst, kNever).has_value(); }
  Result<json::value> patch(std::string subresource = {}) {
    return client.patch(kWidgets, kFirst, kDocument, {.subresource = std::move(subresource)}, kNever);
  }

  int patches_that_arrived = 0;
  ScriptedClient server;
  RecordingClient client{server};
};

TEST_F(RecordingClientTest, DescribesEachRequestByVerbKindSubresourceAndName) {
  (void)client.get(kWidgets, kFirst, kNever);
  (void)client.list(kWidgets, {}, kNever);
  (void)client.create(kWidgets, kFirst, kDocument, {}, kNever);
  (void)client.replace(kWidgets, kFirst, kDocument, "status", {}, kNever);
  (void)patch();
  (void)patch("status");
  (void)client.remove(kWidgets, kFirst, {}, kNever);
  (void)client.evict({.namespace_ = "default", .name = "web"}, {}, kNever);
  (void)client.get_path("/version", kNever);
  (void)client.post_path("/reviews", kDocument, kNever);

  EXPECT_THAT(client.described(),
              ElementsAre("get widgets a", "list widgets", "create widgets a", "replace widgets/status a",
                          "patch widgets a", "patch widgets/status a", "delete widgets a", "evict web",
                          "get /version", "post /reviews"));
  EXPECT_EQ(client.reads(), 3);
  EXPECT_THAT(client.described_writes(),
              ElementsAre("create widgets a", "replace widgets/status a", "patch widgets a",
                          "patch widgets/status a", "delete widgets a", "evict web", "post /reviews"));
}

TEST_F(RecordingClientTest, HandsOnWhatIsAskedAndWhatIsAnswered) {
  const auto answer = patch();

  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, kDocument);
  EXPECT_EQ(patches_that_arrived, 1);
}

TEST_F(RecordingClientTest, KeepsWhatWasSent) {
  (void)patch();
  (void)client.remove(kWidgets, kFirst, {.uid = "u"}, kNever);

  const std::vector<RecordedRequest> writes = client.writes();
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].body, kDocument);
  EXPECT_EQ(writes[0].key, kFirst);
  EXPECT_EQ(writes[1].deletion.uid, "u");
}

TEST_F(RecordingClientTest, CountsByTheFirstWordsOfADescription) {
  (void)get();
  (void)patch();
  (void)patch("status");

  EXPECT_EQ(client.count("patch"), 2);
  EXPECT_EQ(client.count("patch widgets"), 1) << "the subresource belongs to the word";
  EXPECT_EQ(client.count("patch widgets/status a"), 1);
  EXPECT_EQ(client.count("patch wid"), 0) << "half a word is none";
  EXPECT_EQ(client.count("delete"), 0);
}

TEST_F(RecordingClientTest, ForgetsWhatWasTakenFromIt) {
  (void)get();
  EXPECT_THAT(client.take(), ElementsAre("get widgets a"));
  EXPECT_THAT(client.described(), IsEmpty());
  (void)get();
  client.forget();

  EXPECT_THAT(client.take(), IsEmpty());
}

TEST_F(RecordingClientTest, RefusesWhatIsNamedUntilItIsAllowedAgain) {
  client.refuse("patch widgets/status", {.code = Code::Forbidden, .message = "no"});

  EXPECT_EQ(patch("status").error().code, Code::Forbidden);
  EXPECT_EQ(patch("status").error().code, Code::Forbidden);
  EXPECT_TRUE(patch());
  EXPECT_EQ(patches_that_arrived, 1) << "what is refused is not handed on";
  client.allow();
  EXPECT_TRUE(patch("status"));
  EXPECT_EQ(client.count("patch"), 4) << "refused ones were asked, too";
}

TEST_F(RecordingClientTest, RefusesTheNextOneAlone) {
  client.refuse_next("get widgets", {.code = Code::Unavailable, .message = "no answer"});

  EXPECT_FALSE(get());
  EXPECT_TRUE(get());
}

TEST_F(RecordingClientTest, ShowsEachRequestBeforeItIsHandedOn) {
  client.before = [this](const RecordedRequest& request) -> std::optional<Error> {
    EXPECT_EQ(patches_that_arrived, 0);
    return request.is("patch") ? std::optional(Error{.code = Code::Conflict}) : std::nullopt;
  };

  EXPECT_EQ(patch().error().code, Code::Conflict);
  EXPECT_TRUE(get());
}

TEST_F(RecordingClientTest, CountsStreamsApartAndWatchesAsLongAsTheyAreHeld) {
  NoSink sink;
  auto watch = client.watch(kWidgets, {}, sink);
  auto page = client.list_stream(kWidgets, {}, sink);

  EXPECT_EQ(client.open_watches(), 1);
  watch.reset();
  EXPECT_EQ(client.open_watches(), 0);
  EXPECT_EQ(client.count("watch widgets"), 1);
  EXPECT_EQ(client.count("list-stream widgets"), 1);
  EXPECT_EQ(client.count("list"), 0);
  EXPECT_THAT(client.described(), IsEmpty());
  EXPECT_EQ(client.reads(), 0);
}

}  // namespace
}  // namespace capstan::fakes
