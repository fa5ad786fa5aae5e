#include "runtime/events.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "apiserver/api.h"
#include "kube/resources.h"
#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"

namespace capstan::runtime {
namespace {

using fakes::Baton;
using fakes::Fault;
using fakes::FaultPoint;
using testing::StartsWith;
using namespace std::literals;

constexpr SteadyTime kNow = SteadyTime(1h);

api::Event event_of(std::string_view message, std::string_view object = "m",
                    std::string_view reason = "Failed") {
  api::Event event;
  event.metadata.name = Text(std::string(object) + "." + std::string(message));
  event.metadata.namespace_ = "default"_text;
  event.involved_object.kind = "Machine"_text;
  event.involved_object.name = Text(object);
  event.reason = Text(reason);
  event.message = FreeText(message);
  event.count = 1;
  event.type = "Warning"_text;
  return event;
}

TEST(EventCorrelator, TheFirstOneIsNew) {
  EventCorrelator correlator;

  const auto what = correlator.correlate(event_of("a"), kNow);

  ASSERT_TRUE(what);
  EXPECT_TRUE(what->is_new);
  EXPECT_EQ(what->event.count, 1);
}

TEST(EventCorrelator, TheSameAgainIsCountedUpOnTheFirst) {
  EventCorrelator correlator;
  const auto first = correlator.correlate(event_of("a"), kNow);
  correlator.sent(*first);
  api::Event again = event_of("a");
  again.metadata.name = "another"_text;

  const auto what = correlator.correlate(again, kNow + 1s);

  ASSERT_TRUE(what);
  EXPECT_FALSE(what->is_new);
  EXPECT_EQ(what->event.count, 2);
  EXPECT_EQ(what->event.metadata.name, first->event.metadata.name);
}

TEST(EventCorrelator, AnotherReasonIsAnotherEvent) {
  EventCorrelator correlator;
  (void)correlator.correlate(event_of("a"), kNow);

  EXPECT_TRUE(correlator.correlate(event_of("a", "m", "Other"), kNow)->is_new);
}

TEST(EventCorrelator, ManySimilarOnesBecomeOne) {
  EventCorrelator correlator;
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(correlator.correlate(event_of(std::to_string(i)), kNow)->event.message, std::to_string(i));
  }

  const auto tenth = correlator.correlate(event_of("9"), kNow);
  correlator.sent(*tenth);
  const auto eleventh = correlator.correlate(event_of("10"), kNow);

  EXPECT_EQ(tenth->event.message, "(combined from similar events): 9"sv);
  EXPECT_TRUE(tenth->is_new);
  EXPECT_EQ(eleventh->event.message, "(combined from similar events): 10"sv);
  EXPECT_FALSE(eleventh->is_new);
}

TEST(EventCorrelator, SimilarOnesFarApartAreNotCombined) {
  EventCorrelator correlator;
  for (int i = 0; i < 9; ++i) (void)correlator.correlate(event_of(std::to_string(i)), kNow);

  EXPECT_EQ(correlator.correlate(event_of("9"), kNow + 11min)->event.message, "9"sv);
}

TEST(EventCorrelator, AnObjectThatTalksTooMuchIsCutShortAndMayTalkAgain) {
  EventCorrelator correlator;
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(correlator.correlate(event_of("a"), kNow));

  EXPECT_FALSE(correlator.correlate(event_of("a"), kNow));
  EXPECT_TRUE(correlator.correlate(event_of("a", "other"), kNow));
  EXPECT_TRUE(correlator.correlate(event_of("a"), kNow + 5min));
  EXPECT_FALSE(correlator.correlate(event_of("a"), kNow + 5min));
}

TEST(EventCorrelator, RemembersOnlySoMuch) {
  EventCorrelator correlator({.remembered = 2});
  (void)correlator.correlate(event_of("a", "m1"), kNow);
  (void)correlator.correlate(event_of("a", "m2"), kNow);
  (void)correlator.correlate(event_of("a", "m3"), kNow);

  EXPECT_TRUE(correlator.correlate(event_of("a", "m1"), kNow)->is_new);
  EXPECT_FALSE(correlator.correlate(event_of("a", "m3"), kNow)->is_new);
}

struct EventsFixture {
  Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient server;
  Fault fault = Fault::None;
  fakes::FaultyClient client;
  Events events;

  explicit EventsFixture(Baton& with, EventsOptions options = {})
      : baton(with),
        api({.clock = baton}),
        server(api, baton),
        client(server, baton, baton, {.choose = [this](const FaultPoint&) { return fault; }}),
        events({.clock = baton, .threads = baton, .client = client}, options) {}

  api::ObjectReference about() const {
    return {.kind = "Machine"_text, .namespace_ = "default"_text, .name = "m"_text, .api_version = "v1"_text};
  }
  std::vector<boost::json::object> stored() {
    std::vector<boost::json::object> all;
    for (const auto& event : api.stored_all("", "events")) all.push_back(*event);
    return all;
  }
};

void in_simulation(const std::function<void(Baton&)>& body) {
  Baton baton({.seed = 7});
  const auto report = baton.run([&] { body(baton); });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Events, AreWrittenAboutTheirObject) {
  in_simulation([](Baton& baton) {
    EventsFixture stage(baton);
    stage.events.start();
    const auto recorder = stage.events.recorder("machine-controller");

    recorder->record(stage.about(), EventType::Warning, "FailedDrainNode", "no way");
    stage.events.stop(Deadline::in(baton, 10s));

    const auto stored = stage.stored();
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_EQ(stored[0].at("involvedObject").at("name"), "m");
    EXPECT_EQ(stored[0].at("type"), "Warning");
    EXPECT_EQ(stored[0].at("reason"), "FailedDrainNode");
    EXPECT_EQ(stored[0].at("source").at("component"), "machine-controller");
    EXPECT_THAT(std::string(stored[0].at("metadata").at("name").as_string()), StartsWith("m."));
  });
}

TEST(Events, RepeatedOnesAreCountedInOneObject) {
  in_simulation([](Baton& baton) {
    EventsFixture stage(baton);
    stage.events.start();
    const auto recorder = stage.events.recorder("c");

    for (int i = 0; i < 3; ++i) recorder->record(stage.about(), EventType::Normal, "R", "same");
    stage.events.stop(Deadline::in(baton, 10s));

    ASSERT_EQ(stage.stored().size(), 1U);
    EXPECT_EQ(stage.stored()[0].at("count"), 3);
  });
}

TEST(Events, ACountedEventThatIsGoneIsWrittenAnew) {
  in_simulation([](Baton& baton) {
    EventsFixture stage(baton);
    stage.events.start();
    const auto recorder = stage.events.recorder("c");
    recorder->record(stage.about(), EventType::Normal, "R", "same");
    baton.pause(Deadline::in(baton, 1s));
    const kube::ObjectKey first{"default",
                                std::string(stage.stored()[0].at("metadata").at("name").as_string())};
    ASSERT_TRUE(stage.server.remove(kube::resources::events(), first, {}, Deadline::never()));

    recorder->record(stage.about(), EventType::Normal, "R", "same");
    stage.events.stop(Deadline::in(baton, 10s));

    ASSERT_EQ(stage.stored().size(), 1U);
    EXPECT_EQ(stage.stored()[0].at("count"), 2);
  });
}

TEST(Events, WaitForAServerThatIsAwayAndDoNotHoldUpTheirRecorder) {
  in_simulation([](Baton& baton) {
    EventsFixture stage(baton);
    stage.fault = Fault::Unavailable;
    stage.events.start();
    const auto recorder = stage.events.recorder("c");
    const SteadyTime before = baton.steady_now();
    recorder->record(stage.about(), EventType::Normal, "R", "a");
    EXPECT_EQ(baton.steady_now(), before);
    baton.pause(Deadline::in(baton, 15s));

    stage.fault = Fault::None;
    baton.pause(Deadline::in(baton, 10s));

    EXPECT_EQ(stage.stored().size(), 1U);
  });
}

TEST(Events, WhatDoesNotFitIsDropped) {
  in_simulation([](Baton& baton) {
    EventsFixture stage(baton, {.waiting = 2});
    const auto recorder = stage.events.recorder("c");
    for (int i = 0; i < 5; ++i) recorder->record(stage.about(), EventType::Normal, "R", std::to_string(i));

    stage.events.start();
    stage.events.stop(Deadline::in(baton, 10s));

    EXPECT_EQ(stage.stored().size(), 2U);
  });
}

TEST(Events, StopDoesNotWaitForAServerForEver) {
  in_simulation([](Baton& baton) {
    EventsFixture stage(baton);
    stage.fault = Fault::Unavailable;
    stage.events.start();
    stage.events.recorder("c")->record(stage.about(), EventType::Normal, "R", "a");
    const SteadyTime before = baton.steady_now();

    stage.events.stop(Deadline::in(baton, 5s));

    EXPECT_EQ(baton.steady_now() - before, 5s);
  });
}

}  // namespace
}  // namespace capstan::runtime
