#include "test/fakes/scripted_client.h"

#include <gmock/gmock.h>

#include "kube/resources.h"
#include "test/fakes/baton.h"

namespace capstan::fakes {
namespace {

const kube::Resource& kNodes = kube::resources::nodes();
const kube::ObjectKey kNode{.namespace_ = "", .name = "a"};

class KeptText final : public kube::StreamSink {
 public:
  void on_bytes(std::string_view bytes) override { text += bytes; }
  void on_end(Result<void> outcome) override { end = std::move(outcome); }

  std::string text = {};
  std::optional<Result<void>> end = {};
};

TEST(ScriptedClient, AnswersWhatItsScriptSays) {
  ScriptedClient client;
  client.on_get = [](auto&, auto& key) -> ScriptedClient::Object { return boost::json::value(key.name); };

  EXPECT_EQ(client.get(kNodes, kNode, Deadline::never()).value(), boost::json::value("a"));
}

TEST(ScriptedClient, IsUnavailableWhereThereIsNoScript) {
  ScriptedClient client;
  KeptText sink;

  EXPECT_EQ(client.get(kNodes, kNode, Deadline::never()).error().code, Code::Unavailable);
  EXPECT_EQ(client.remove(kNodes, kNode, {}, Deadline::never()).error().code, Code::Unavailable);
  EXPECT_EQ(client.evict(kNode, {}, Deadline::never()).error().code, Code::Unavailable);
  const auto watch = client.watch(kNodes, {}, sink);
  ASSERT_TRUE(sink.end);
  EXPECT_EQ(sink.end->error().code, Code::Unavailable);
}

TEST(ScriptedClient, LetsTheTestServeEachStream) {
  Baton baton({.seed = 1});
  const auto report = baton.run([&] {
    ScriptedClient client(baton, baton);
    KeptText sink;
    auto watch = client.watch(kNodes, {.resource_version = "7"}, sink);
    EXPECT_EQ(client.untaken(), 1U);

    const auto server = client.next();
    server->send("one");
    server->end();

    EXPECT_TRUE(server->asked().watch);
    EXPECT_EQ(server->asked().watched.resource_version, "7");
    EXPECT_EQ(sink.text, "one");
    EXPECT_TRUE(sink.end && sink.end->has_value());
    EXPECT_EQ(client.untaken(), 0U);
    EXPECT_FALSE(server->hung_up());
    watch.reset();
    EXPECT_TRUE(server->hung_up());
    server->send("two");
    EXPECT_EQ(sink.text, "one") << "its reader has hung up";
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

}  // namespace
}  // namespace capstan::fakes
