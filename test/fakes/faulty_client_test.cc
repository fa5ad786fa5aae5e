#include "test/fakes/faulty_client.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "apiserver/api.h"
#include "kube/resources.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"

namespace capstan::fakes {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

const kube::Resource& kNodes = kube::resources::nodes();
const kube::ObjectKey kNode{.namespace_ = "", .name = "a"};
const json::value kObject = {{"metadata", {{"name", "a"}}}};

// A client whose next call of that kind is hit by one fault.
struct FaultyClientFixture {
  Baton& baton;
  apiserver::Api api;
  MemoryClient server;
  std::pair<Call, Fault> next = {Call::Read, Fault::None};
  int effects = 0;
  FaultyClient client;

  explicit FaultyClientFixture(Baton& with)
      : baton(with),
        api({.clock = baton}),
        server(api, baton),
        client(server, baton, baton,
               {.choose =
                    [this](const FaultPoint& point) {
                      return point.call == next.first ? std::exchange(next.second, Fault::None) : Fault::None;
                    },
                .crash = [this] { baton.crash("manager"); },
                .spawn_outside =
                    [this](Threads::Body body) { return baton.spawn_process("network", std::move(body)); },
                .on_effect = [this](const FaultPoint&) { ++effects; }}) {}

  Result<json::value> create() { return client.create(kNodes, kNode, kObject, {}, Deadline::never()); }
  bool exists() { return server.get(kNodes, kNode, Deadline::never()).has_value(); }
};

void in_simulation(const std::function<void(FaultyClientFixture&)>& body) {
  Baton baton({.seed = 3});
  const auto report = baton.run([&] {
    FaultyClientFixture stage(baton);
    body(stage);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

class Body final : public kube::StreamSink {
 public:
  std::string text;
  std::optional<Result<void>> end;
  void on_bytes(std::string_view bytes) override { text += bytes; }
  void on_end(Result<void> outcome) override { end = std::move(outcome); }
};

TEST(FaultyClient, WithoutAFaultItIsTheClientItself) {
  in_simulation([](FaultyClientFixture& stage) {
    EXPECT_TRUE(stage.create());

    EXPECT_TRUE(stage.exists());
    EXPECT_EQ(stage.effects, 1);
    EXPECT_EQ(stage.client.calls(Call::Create), 1U);
    EXPECT_EQ(stage.client.fired(Fault::None), 1U);
  });
}

TEST(FaultyClient, ARefusalHasNoEffect) {
  for (const auto& [fault, code] :
       {std::pair(Fault::Unavailable, Code::Unavailable), std::pair(Fault::RateLimited, Code::RateLimited),
        std::pair(Fault::Conflict, Code::Conflict)}) {
    in_simulation([&](FaultyClientFixture& stage) {
      stage.next = {Call::Create, fault};

      const auto created = stage.create();

      EXPECT_EQ(created.error().code, code);
      EXPECT_FALSE(created.error().outcome_unknown);
      EXPECT_FALSE(stage.exists());
      EXPECT_EQ(stage.client.fired(fault), 1U);
    });
  }
}

TEST(FaultyClient, ATimeoutLeavesOpenWhatHappened) {
  for (const auto& [fault, happened] :
       {std::pair(Fault::Timeout, false), std::pair(Fault::LostReply, true)}) {
    in_simulation([&](FaultyClientFixture& stage) {
      stage.next = {Call::Create, fault};

      const auto created = stage.create();

      EXPECT_TRUE(created.error().outcome_unknown);
      EXPECT_EQ(stage.exists(), happened);
    });
  }
}

TEST(FaultyClient, ALateEffectComesAfterTheCallerGaveUp) {
  in_simulation([](FaultyClientFixture& stage) {
    stage.next = {Call::Create, Fault::Late};

    EXPECT_TRUE(stage.create().error().outcome_unknown);

    EXPECT_FALSE(stage.exists());
    stage.baton.pause(Deadline::in(stage.baton, 3s));
    EXPECT_TRUE(stage.exists());
    EXPECT_EQ(stage.effects, 1);
  });
}

TEST(FaultyClient, ACrashComesBeforeOrAfterTheEffect) {
  for (const auto& [fault, happened] :
       {std::pair(Fault::CrashBefore, false), std::pair(Fault::CrashAfter, true)}) {
    in_simulation([&](FaultyClientFixture& stage) {
      stage.next = {Call::Create, fault};
      const auto manager = stage.baton.spawn_process("manager", [&](const std::stop_token&) {
        (void)stage.create();
        ADD_FAILURE() << "survived";
      });

      manager->join();

      EXPECT_EQ(stage.exists(), happened);
    });
  }
}

TEST(FaultyClient, ASlowAnswerIsAnAnswer) {
  in_simulation([](FaultyClientFixture& stage) {
    stage.next = {Call::Create, Fault::Slow};
    const SteadyTime before = stage.baton.steady_now();

    EXPECT_TRUE(stage.create());

    EXPECT_EQ(stage.baton.steady_now() - before, 2s);
  });
}

TEST(FaultyClient, ACutWatchEndsInTheMiddleOfALine) {
  in_simulation([](FaultyClientFixture& stage) {
    Body body;
    const auto stream = stage.client.watch(kNodes, {}, body);
    stage.next = {Call::Piece, Fault::Cut};

    EXPECT_TRUE(stage.create());
    stage.baton.pause(Deadline::in(stage.baton, 1s));

    EXPECT_THAT(body.text, testing::Not(testing::EndsWith("\n")));
    ASSERT_TRUE(body.end);
    EXPECT_FALSE(body.end->has_value());
  });
}

TEST(FaultyClient, AnExpiredWatchSaysSo) {
  in_simulation([](FaultyClientFixture& stage) {
    Body body;
    const auto stream = stage.client.watch(kNodes, {}, body);
    stage.next = {Call::Piece, Fault::Expired};

    EXPECT_TRUE(stage.create());
    stage.baton.pause(Deadline::in(stage.baton, 1s));

    EXPECT_EQ(json::parse(body.text).at("object").at("code"), 410);
    ASSERT_TRUE(body.end);
  });
}

TEST(FaultyClient, AStaleWatchTellsLate) {
  in_simulation([](FaultyClientFixture& stage) {
    Body body;
    const auto stream = stage.client.watch(kNodes, {}, body);
    stage.next = {Call::Piece, Fault::Stale};

    EXPECT_TRUE(stage.create());
    stage.baton.pause(Deadline::in(stage.baton, 1s));
    EXPECT_EQ(body.text, "");
    stage.baton.pause(Deadline::in(stage.baton, 2s));

    EXPECT_NE(body.text, "");
  });
}

TEST(FaultyClient, AFaultThatCannotHitACallDoesNot) {
  in_simulation([](FaultyClientFixture& stage) {
    stage.next = {Call::Read, Fault::LostReply};

    EXPECT_EQ(stage.client.get(kNodes, kNode, Deadline::never()).error().code, Code::NotFound);

    EXPECT_EQ(stage.client.fired(Fault::LostReply), 0U);
  });
}

}  // namespace
}  // namespace capstan::fakes
