#include "kube/watcher.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "kube/test_kinds.h"
#include "test/fakes/baton.h"
#include "test/fakes/scripted_client.h"

namespace capstan::kube {
namespace {

using fakes::ScriptedClient;
using fakes::ScriptedStream;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Resource kWidgets{"example.com", "v1", "widgets", "Widget", true};

std::string widget(std::string_view name, int version, std::string_view size = "1") {
  return fmt::format(
      R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"namespace":"ns","name":"{}",)"
      R"("resourceVersion":"{}"}},"spec":{{"size":{}}}}})",
      name, version, size);
}
std::string page(int version, const std::vector<std::string>& items, std::string_view continue_token = "") {
  return fmt::format(R"({{"apiVersion":"example.com/v1","items":[{}],"kind":"WidgetList",)"
                     R"("metadata":{{"continue":"{}","resourceVersion":"{}"}}}})",
                     fmt::join(items, ","), continue_token, version);
}
std::string event(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}
std::string bookmark(int version) {
  return event(
      "BOOKMARK",
      fmt::format(
          R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"resourceVersion":"{}"}}}})",
          version));
}
std::string gone() {
  return event("ERROR",
               R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,)"
               R"("message":"too old resource version"})");
}

// Writes down its calls, one line each.
class Diary final : public WatchHandler<Widget> {
 public:
  void on_init_start() override { note("start"); }
  void on_item(Widget&& widget) override { note(fmt::format("item {}", text(widget))); }
  void on_init_done(const InitDone& done) override {
    note(fmt::format("done {}{}{}", done.version, done.rewound ? " rewound" : "",
                     done.nameless > 0 ? fmt::format(" nameless {}", done.nameless) : ""));
  }
  void on_apply(Widget&& widget) override { note(fmt::format("apply {}", text(widget))); }
  void on_delete(Widget&& widget) override { note(fmt::format("delete {}", text(widget))); }
  void on_quarantine(const Quarantine& quarantine) override {
    note(fmt::format("quarantine {}{}", quarantine.key.describe(), quarantine.deleted ? " deleted" : ""));
    reasons_.with([&](auto& reasons) { reasons.push_back(quarantine.error.message); });
  }
  void on_version(std::string_view version) override { note(fmt::format("version {}", version)); }
  void on_trouble(const Error& error) override { note(fmt::format("trouble {}", to_string(error.code))); }

  std::vector<std::string> lines() const {
    return lines_.with([](const auto& lines) { return lines; });
  }
  std::vector<std::string> reasons() const {
    return reasons_.with([](const auto& reasons) { return reasons; });
  }

 private:
  static std::string text(const Widget& widget) {
    return fmt::format("{} {}", widget.metadata.name.view(), widget.spec.size);
  }
  void note(std::string line) {
    lines_.with([&](auto& lines) { lines.push_back(std::move(line)); });
  }
  Guarded<std::vector<std::string>> lines_;
  Guarded<std::vector<std::string>> reasons_;
};

// A watcher in virtual time whose server is the test.
struct WatcherFixture {
  fakes::Baton& baton;
  ScriptedClient client{baton, baton};
  Diary diary = {};
  WatchLoop loop{baton, baton};
  Watcher<Widget> watcher{loop, client, {.resource = kWidgets, .label_selector = "a=b"}, diary};

  // The other threads go on as far as they can.
  void pass(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
  void settle() { pass(std::chrono::milliseconds(1)); }
  SteadyTime now() const { return baton.steady_now(); }

  std::shared_ptr<ScriptedStream> synced(int version = 10) {
    const auto list = client.next();
    list->send(page(version, {}));
    list->end();
    return client.next();
  }
};

// The same story under several orders of events.
void tell(const std::function<void(WatcherFixture&)>& story) {
  constexpr std::uint64_t kSeeds = 12;
  for (std::uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    fakes::Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      WatcherFixture world{baton};
      world.watcher.start();
      story(world);
    });
    EXPECT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

TEST(Watcher, ListsInPagesThenWatchesFromTheListsVersion) {
  tell([](WatcherFixture& world) {
    const auto first = world.client.next();
    first->send(page(10, {widget("a", 3), widget("b", 4)}, "more"));
    first->end();
    const auto second = world.client.next();
    second->send(page(10, {widget("c", 5)}));
    second->end();
    const auto watch = world.client.next();
    watch->send(event("ADDED", widget("d", 11)) + event("DELETED", widget("a", 12)));

    EXPECT_EQ(first->asked().list.limit, 500);
    EXPECT_EQ(first->asked().list.resource_version, "") << "the first list must be consistent";
    EXPECT_EQ(first->asked().list.label_selector, "a=b");
    EXPECT_EQ(second->asked().list.continue_token, "more");
    EXPECT_EQ(watch->asked().watched.resource_version, "10");
    EXPECT_EQ(watch->asked().watched.label_selector, "a=b");
    EXPECT_TRUE(watch->asked().watched.bookmarks);
    EXPECT_GE(watch->asked().watched.timeout_seconds, 300);
    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "item a 1", "item b 1", "item c 1", "done 10",
                                                 "apply d 1", "delete a 1"));
  });
}

TEST(Watcher, BytesMayBeCutAnywhere) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();
    for (const char byte : page(10, {widget("a", 3)})) list->send({&byte, 1});
    list->end();
    const auto watch = world.client.next();

    for (const char byte : event("MODIFIED", widget("a", 11, "7"))) watch->send({&byte, 1});

    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "item a 1", "done 10", "apply a 7"));
  });
}

// As upstream's in-memory provider writes its events.
TEST(Watcher, AnEventMayBeIndentedOverManyLines) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    const auto indented = [](std::string event) {  // without an end of line behind it
      event.pop_back();
      return "{\n " + event.substr(1, event.size() - 2) + "\n}";
    };

    watch->send(indented(event("MODIFIED", widget("a", 11, "7"))));
    watch->send(indented(event("DELETED", widget("b", 12))));

    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "done 10", "apply a 7", "delete b 1"));
  });
}

TEST(Watcher, ABookmarkIsTheVersionToResumeFrom) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    watch->send(bookmark(40));
    world.pass(minutes(5));

    watch->end();
    const auto again = world.client.next();

    EXPECT_EQ(again->asked().watched.resource_version, "40");
    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "done 10", "version 40"));
  });
}

TEST(Watcher, ACutWatchResumesAfterABackoffWithoutAList) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    watch->send(event("ADDED", widget("a", 11)));
    world.pass(minutes(1));

    watch->end(fail(Code::Unavailable, "connection reset"));
    const auto again = world.client.next();

    EXPECT_TRUE(again->asked().watch);
    EXPECT_EQ(again->asked().watched.resource_version, "11");
    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "done 10", "apply a 1", "trouble Unavailable"));
  });
}

TEST(Watcher, GoneInsideTheStreamListsAnew) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    world.pass(minutes(1));

    watch->send(gone() + event("ADDED", widget("late", 99)));
    const auto list = world.client.next();
    list->send(page(50, {widget("b", 44)}));
    list->end();
    const auto again = world.client.next();

    EXPECT_TRUE(watch->hung_up());
    EXPECT_FALSE(list->asked().watch);
    EXPECT_EQ(again->asked().watched.resource_version, "50");
    EXPECT_THAT(world.diary.lines(),
                ElementsAre("start", "done 10", "trouble Gone", "start", "item b 1", "done 50"));
  });
}

TEST(Watcher, GoneAsAnswerListsAnew) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();

    watch->end(fail(Code::Gone, "too old"));
    const auto list = world.client.next();

    EXPECT_FALSE(list->asked().watch);
  });
}

TEST(Watcher, ASilentStreamIsHungUpAndResumed) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    watch->send(event("ADDED", widget("a", 11)));
    const seconds silence(watch->asked().watched.timeout_seconds + 5);

    world.pass(silence - seconds(1));
    const bool too_early = watch->hung_up();
    const auto again = world.client.next();

    EXPECT_FALSE(too_early);
    EXPECT_TRUE(watch->hung_up());
    EXPECT_EQ(again->asked().watched.resource_version, "11");
    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "done 10", "apply a 1", "trouble Timeout"));
  });
}

TEST(Watcher, BytesKeepAStreamAlive) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    const seconds silence(watch->asked().watched.timeout_seconds + 5);

    for (int i = 0; i < 3; ++i) {
      world.pass(silence - seconds(1));
      watch->send(bookmark(20 + i));
    }
    world.settle();

    EXPECT_FALSE(watch->hung_up());
  });
}

TEST(Watcher, ASilentListIsHungUpAndRepeated) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();
    list->send(R"({"kind":"Widg)");

    const auto again = world.client.next();

    EXPECT_TRUE(list->hung_up());
    EXPECT_FALSE(again->asked().watch);
  });
}

TEST(Watcher, ARefusedListWaitsAsLongAsTheServerSays) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();
    const SteadyTime refused = world.now();

    list->end(fail(Error{.code = Code::RateLimited, .message = "slow down", .retry_after = seconds(20)}));
    const auto again = world.client.next();

    EXPECT_FALSE(again->asked().watch);
    EXPECT_EQ(world.now() - refused, seconds(20));
  });
}

TEST(Watcher, AServerThatIsAwayIsAskedLessAndLessOften) {
  tell([](WatcherFixture& world) {
    const SteadyTime start = world.now();

    int attempts = 0;
    while (world.now() - start < minutes(10)) {
      world.client.next()->end(fail(Code::Unavailable, "connection refused"));
      ++attempts;
    }

    EXPECT_LE(attempts, 30);
    EXPECT_GE(attempts, 10);
  });
}

TEST(Watcher, AnUnreadableObjectIsQuarantinedAndTheStreamGoesOn) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();

    watch->send(event("MODIFIED", widget("a", 11, R"("big")")) + event("DELETED", widget("b", 12, "true")) +
                "this is no json\n" + event("ADDED", widget("c", 13)));

    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "done 10", "quarantine ns/a",
                                                 "quarantine ns/b deleted", "quarantine ", "apply c 1"));
    EXPECT_THAT(world.diary.reasons().at(0), HasSubstr("size"));
    EXPECT_FALSE(watch->hung_up());
  });
}

TEST(Watcher, AnUnreadableItemDoesNotSpoilItsPage) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();

    list->send(page(10, {widget("a", 3), widget("b", 4, "[]"), R"({"metadata":7})", widget("c", 5)}));
    list->end();
    world.client.next();

    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "item a 1", "quarantine ns/b", "quarantine ",
                                                 "item c 1", "done 10 nameless 1"));
  });
}

TEST(Watcher, AListOfAnotherKindIsRefusedAndAskedForAgain) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();

    list->send(R"({"apiVersion":"v1","kind":"SecretList","metadata":{"resourceVersion":"10"},"items":[]})");
    list->end();
    const auto again = world.client.next();

    EXPECT_FALSE(again->asked().watch);
    EXPECT_THAT(world.diary.lines(), ElementsAre("trouble Invalid"));
  });
}

TEST(Watcher, AListWithoutVersionIsRefused) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();

    list->send(R"({"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{},"items":[]})");
    list->end();
    world.client.next();

    EXPECT_THAT(world.diary.lines(), ElementsAre("trouble Invalid"));
  });
}

TEST(Watcher, ATruncatedPageIsListedAnew) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();
    const std::string whole = page(10, {widget("a", 3), widget("b", 4)});

    list->send(whole.substr(0, whole.size() - 40));
    list->end();
    const auto again = world.client.next();
    again->send(page(11, {widget("b", 4)}));
    again->end();
    world.client.next();

    EXPECT_EQ(world.diary.lines().at(0), "start");
    EXPECT_THAT(world.diary.lines(), ::testing::IsSupersetOf({"start", "done 11"}));
    EXPECT_EQ(world.diary.lines().back(), "done 11");
    const std::vector<std::string> lines = world.diary.lines();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "start"), 2)
        << "a side map must not keep what a cut list brought";
  });
}

TEST(Watcher, AnEndlessLineIsCutOffAndListedAnew) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();
    const std::string megabyte(1U << 20, 'x');

    for (int i = 0; i < 9; ++i) watch->send(megabyte);
    const auto again = world.client.next();

    EXPECT_TRUE(watch->hung_up());
    EXPECT_FALSE(again->asked().watch);
  });
}

TEST(Watcher, AnEndlessItemIsCutOffAndListedAnew) {
  tell([](WatcherFixture& world) {
    const auto list = world.client.next();
    const std::string megabyte(1U << 20, 'x');

    list->send(R"({"apiVersion":"example.com/v1","kind":"WidgetList","items":[{"metadata":{"name":")");
    for (int i = 0; i < 9; ++i) list->send(megabyte);
    const auto again = world.client.next();

    EXPECT_TRUE(list->hung_up());
    EXPECT_FALSE(again->asked().watch);
    EXPECT_EQ(world.watcher.progress().trouble->message, "item 1 is longer than 8388608 bytes");
  });
}

TEST(Watcher, ReportsItsProgress) {
  tell([](WatcherFixture& world) {
    const bool before = world.watcher.progress().synced;
    const auto watch = world.synced();
    world.pass(seconds(7));
    watch->send(event("ADDED", widget("a", 11)));

    const WatchProgress progress = world.watcher.progress();

    EXPECT_FALSE(before);
    EXPECT_TRUE(progress.synced);
    EXPECT_EQ(progress.version, "11");
    EXPECT_EQ(progress.last_bytes, world.now());
    EXPECT_EQ(progress.lists, 1U);
    EXPECT_EQ(progress.watches, 1U);
    EXPECT_FALSE(progress.trouble);
  });
}

TEST(Watcher, TellsNobodyAnythingAfterItStopped) {
  tell([](WatcherFixture& world) {
    const auto watch = world.synced();

    world.watcher.stop();
    watch->send(event("ADDED", widget("a", 11)));
    watch->end();

    EXPECT_TRUE(watch->hung_up());
    EXPECT_THAT(world.diary.lines(), ElementsAre("start", "done 10"));
  });
}

TEST(Watcher, GoesDownWithItsProcess) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    fakes::Baton baton({.seed = seed});

    const auto report = baton.run([&] {
      ScriptedClient client(baton, baton);
      const auto manager = baton.spawn_process("manager", [&](std::stop_token) {
        Diary diary;
        WatchLoop loop(baton, baton);
        Watcher<Widget> watcher(loop, client, {.resource = kWidgets}, diary);
        watcher.start();
        baton.pause(Deadline::in(baton, seconds(seed % 3)));
      });
      for (std::uint64_t i = 0; i < seed % 5; ++i) baton.switch_point("test");
      baton.crash("manager");
      manager->join();
    });

    EXPECT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

class CountingThreads final : public Threads {
 public:
  explicit CountingThreads(Threads& real) : real_(real) {}
  std::unique_ptr<Thread> spawn(std::string name, Body body) override {
    ++spawned;
    return real_.spawn(std::move(name), std::move(body));
  }
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override {
    return real_.wait(signal, seen, deadline);
  }
  void switch_point(std::string_view seam) override { real_.switch_point(seam); }

  int spawned = 0;

 private:
  Threads& real_;
};

TEST(WatchLoop, OneThreadServesManyWatchers) {
  constexpr std::size_t kMany = 500;
  fakes::Baton baton({.seed = 1});
  int threads = 0;
  std::vector<std::unique_ptr<Diary>> diaries;

  const auto report = baton.run([&] {
    CountingThreads counting(baton);
    ScriptedClient client(baton, baton);
    WatchLoop loop(counting, baton);
    std::vector<std::unique_ptr<Watcher<Widget>>> watchers;
    for (std::size_t i = 0; i < kMany; ++i) {
      diaries.push_back(std::make_unique<Diary>());
      watchers.push_back(std::make_unique<Watcher<Widget>>(loop, client, WatchTarget{.resource = kWidgets},
                                                           *diaries.back(), i));
      watchers.back()->start();
    }
    baton.pause(Deadline::in(baton, seconds(1)));
    for (std::size_t i = 0; i < kMany; ++i) {
      const auto list = client.next();
      list->send(page(10, {widget("a", 3)}));
      list->end();
    }
    baton.pause(Deadline::in(baton, seconds(1)));
    EXPECT_EQ(client.untaken(), kMany);
    threads = counting.spawned;
  });

  EXPECT_TRUE(report.finished()) << report.why;
  EXPECT_EQ(threads, 1);
  for (const auto& diary : diaries) EXPECT_THAT(diary->lines(), ElementsAre("start", "item a 1", "done 10"));
}

}  // namespace
}  // namespace capstan::kube
