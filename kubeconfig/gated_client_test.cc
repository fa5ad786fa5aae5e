#include "kubeconfig/gated_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "kube/resources.h"
#include "kube/stub_client.h"
#include "test/fakes/baton.h"

namespace capstan::kubeconfig {
namespace {

using fakes::Baton;
using namespace std::literals;
namespace json = boost::json;

// Answers after a while, and counts the requests inside.
class Slow final : public kube::StubClient {
 public:
  Slow(Threads& threads, const Clock& clock) : threads_(threads), clock_(clock) {}
  Result<json::value> get_path(std::string_view path, const Deadline& deadline) override {
    begun.emplace_back(path);
    most_inside = std::max(most_inside, ++inside);
    const Deadline until = deadline.no_later_than(clock_.steady_now() + takes);
    const Woken woken = threads_.pause(until);
    --inside;
    if (woken == Woken::Stopped)
      return fail({.code = Code::Cancelled, .message = "stopped", .outcome_unknown = true});
    if (clock_.steady_now() >= deadline.at) return fail(Code::Timeout, "no answer in time");
    return answer;
  }
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override {
    ++watches;
    return nullptr;
  }

  Nanoseconds takes = 1s;
  Result<json::value> answer = json::value("ok");
  std::vector<std::string> begun;
  int inside = 0;
  int most_inside = 0;
  int watches = 0;

 private:
  Threads& threads_;
  const Clock& clock_;
};

struct Bench {
  explicit Bench(Baton& all) : baton(all), slow(all, all), gate(slow, all, all) {}
  Result<json::value> ask(Nanoseconds patience = 1min, std::stop_token stop = {}) {
    return gate.get_path("/x", Deadline::in(baton, patience, std::move(stop)));
  }
  // Asks at the same time, so often; the answers when all are there.
  std::vector<Result<json::value>> ask_at_once(int count) {
    std::vector<Result<json::value>> answers(static_cast<std::size_t>(count));
    std::vector<std::unique_ptr<Thread>> threads;
    for (auto& answer : answers)
      threads.push_back(baton.spawn("worker", [&](const std::stop_token&) { answer = ask(); }));
    for (auto& thread : threads) thread->join();
    return answers;
  }

  Baton& baton;
  Slow slow;
  GatedClient gate;
};

void in_simulation(const std::function<void(Bench&)>& body) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    Bench bench(baton);
    body(bench);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

class Ended final : public kube::StreamSink {
 public:
  void on_bytes(std::string_view) override {}
  void on_end(Result<void> outcome) override { ended.push_back(std::move(outcome)); }
  std::vector<Result<void>> ended;
};

TEST(GatedClient, LetsFourRequestsInAndTheOthersWaitTheirTurn) {
  in_simulation([](Bench& bench) {
    const auto answers = bench.ask_at_once(8);

    for (const auto& answer : answers) EXPECT_TRUE(answer) << answer.error().describe();
    EXPECT_EQ(bench.slow.most_inside, 4);
  });
}

TEST(GatedClient, WhoCameFirstGoesFirst) {
  in_simulation([](Bench& bench) {
    const std::vector<std::string> paths = {"/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"};
    std::vector<std::unique_ptr<Thread>> workers;
    for (const auto& path : paths) {
      workers.push_back(bench.baton.spawn("worker", [&](const std::stop_token&) {
        EXPECT_TRUE(bench.gate.get_path(path, Deadline::in(bench.baton, 1min)));
      }));
      bench.baton.pause(Deadline::in(bench.baton, 10ms));
    }
    for (auto& worker : workers) worker->join();

    EXPECT_EQ(bench.slow.begun, paths);
  });
}

// A worker that waits for a sick cluster is missing elsewhere.
TEST(GatedClient, SendsAwayWhoWouldWaitTooLong) {
  in_simulation([](Bench& bench) {
    bench.slow.takes = 9s;
    const SteadyTime begin = bench.baton.steady_now();

    const auto answers = bench.ask_at_once(5);

    const auto refused = std::ranges::find_if(answers, [](const auto& answer) { return !answer; });
    ASSERT_NE(refused, answers.end());
    EXPECT_EQ(refused->error().code, Code::RateLimited);
    EXPECT_EQ(refused->error().reason, kCrowdedOut);
    EXPECT_EQ(refused->error().retry_after, 1s);
    EXPECT_EQ(bench.baton.steady_now() - begin, 9s);
    EXPECT_EQ(std::ranges::count_if(answers, [](const auto& answer) { return answer.has_value(); }), 4);
  });
}

TEST(GatedClient, GivesARequestTenSecondsAndNoMore) {
  in_simulation([](Bench& bench) {
    bench.slow.takes = 1h;
    const SteadyTime begin = bench.baton.steady_now();

    EXPECT_EQ(bench.ask(1min).error().code, Code::Timeout);

    EXPECT_EQ(bench.baton.steady_now() - begin, 10s);
  });
}

TEST(GatedClient, KeepsTheDeadlineOfItsCaller) {
  in_simulation([](Bench& bench) {
    bench.slow.takes = 1h;
    const SteadyTime begin = bench.baton.steady_now();

    EXPECT_EQ(bench.ask(3s).error().code, Code::Timeout);

    EXPECT_EQ(bench.baton.steady_now() - begin, 3s);
  });
}

TEST(GatedClient, ShutItAnswersAtOnceWithTheReason) {
  in_simulation([](Bench& bench) {
    bench.gate.shut("five probes failed");
    const SteadyTime begin = bench.baton.steady_now();

    EXPECT_EQ(bench.ask().error(), (Error{.code = Code::NotConnected, .message = "five probes failed"}));

    EXPECT_EQ(bench.baton.steady_now(), begin);
    EXPECT_EQ(bench.slow.most_inside, 0);
  });
}

TEST(GatedClient, ShuttingBringsBackThoseInsideAndSaysTheEffectIsUnknown) {
  in_simulation([](Bench& bench) {
    bench.slow.takes = 9s;
    Result<json::value> answer;
    auto worker = bench.baton.spawn("worker", [&](const std::stop_token&) { answer = bench.ask(); });
    bench.baton.pause(Deadline::in(bench.baton, 1s));
    const SteadyTime begin = bench.baton.steady_now();

    bench.gate.shut("lost");
    worker->join();

    EXPECT_EQ(bench.baton.steady_now(), begin);
    EXPECT_EQ(answer.error(),
              (Error{.code = Code::NotConnected, .message = "lost", .outcome_unknown = true}));
  });
}

TEST(GatedClient, RefusingLetsThoseInsideFinishAndSendsAwayThoseThatWait) {
  in_simulation([](Bench& bench) {
    bench.slow.takes = 3s;
    std::vector<Result<json::value>> answers;
    auto five = bench.baton.spawn("five", [&](const std::stop_token&) { answers = bench.ask_at_once(5); });
    bench.baton.pause(Deadline::in(bench.baton, 1s));

    bench.gate.refuse("one probe failed");
    five->join();

    EXPECT_EQ(std::ranges::count_if(answers, [](const auto& answer) { return answer.has_value(); }), 4);
    EXPECT_EQ(
        std::ranges::count_if(
            answers, [](const auto& answer) { return !answer && answer.error().code == Code::NotConnected; }),
        1);
  });
}

TEST(GatedClient, OpensAgain) {
  in_simulation([](Bench& bench) {
    bench.gate.shut("lost");
    bench.gate.open();

    EXPECT_TRUE(bench.ask());
  });
}

TEST(GatedClient, WhoIsStoppedIsCancelledAndNotToldOfAnyConnection) {
  in_simulation([](Bench& bench) {
    bench.slow.takes = 9s;
    std::stop_source stop;
    Result<json::value> answer;
    auto worker = bench.baton.spawn(
        "worker", [&](const std::stop_token&) { answer = bench.ask(1min, stop.get_token()); });
    bench.baton.pause(Deadline::in(bench.baton, 1s));

    stop.request_stop();
    worker->join();

    EXPECT_EQ(answer.error().code, Code::Cancelled);
  });
}

TEST(GatedClient, NotesWhenTheServerAnsweredAndThatItRefusedCredentials) {
  in_simulation([](Bench& bench) {
    EXPECT_EQ(bench.gate.last_answer(), std::nullopt);
    ASSERT_TRUE(bench.ask());
    const auto first = bench.gate.last_answer();
    EXPECT_EQ(first, bench.baton.steady_now());
    bench.slow.answer = fail({.code = Code::Unauthorized, .reason = "Unauthorized"});

    EXPECT_FALSE(bench.ask());

    EXPECT_EQ(bench.gate.last_answer(), first);
    EXPECT_TRUE(bench.gate.take_unauthorized());
    EXPECT_FALSE(bench.gate.take_unauthorized());
  });
}

TEST(GatedClient, AShutGateOpensNoStreams) {
  in_simulation([](Bench& bench) {
    Ended sink;
    (void)bench.gate.watch(kube::resources::nodes(), {}, sink);
    EXPECT_EQ(bench.slow.watches, 1);

    bench.gate.shut("lost");
    const auto stream = bench.gate.watch(kube::resources::nodes(), {}, sink);

    EXPECT_NE(stream, nullptr);
    EXPECT_EQ(bench.slow.watches, 1);
    ASSERT_EQ(sink.ended.size(), 1U);
    EXPECT_EQ(sink.ended[0].error().code, Code::NotConnected);
  });
}

}  // namespace
}  // namespace capstan::kubeconfig
