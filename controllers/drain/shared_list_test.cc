#include "controllers/drain/shared_list.h"

#include <gmock/gmock.h>

#include <functional>

#include "test/fakes/baton.h"

namespace capstan::controllers::drain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

using Nodes = std::set<std::string>;
using Numbers = SharedList<int>;
constexpr auto kListTakes = 900ms;

// A server whose lists take a while, and Machines that ask it, each in a thread of its own. What is on a
// Node is the number of the list that says so.
class Asked {
 public:
  explicit Asked(fakes::Baton& with) : baton(with), list(with, with) {}

  void ask(const std::string& node, Nanoseconds patience = 1min) {
    threads_.push_back(baton.spawn(node, [this, node, patience](const std::stop_token& stop) {
      answers[node] = list.on(
          node, [this](const Nodes& nodes, const Deadline& deadline) { return answer(nodes, deadline); },
          Deadline::in(baton, patience, stop));
    }));
  }
  void rest(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
  void end() {
    for (auto& thread : threads_) thread->join();
    threads_.clear();
  }

  fakes::Baton& baton;
  Numbers list;
  std::vector<Nodes> lists = {};  // which Nodes each was about
  std::map<std::string, Result<std::vector<int>>> answers = {};
  std::function<Result<void>()> refusal = [] { return Result<void>(); };

 private:
  Result<Numbers::ByNode> answer(const Nodes& nodes, const Deadline& deadline) {
    const int number = static_cast<int>(lists.size()) + 1;
    lists.push_back(nodes);
    baton.pause(deadline.no_later_than(baton.steady_now() + kListTakes));
    if (deadline.passed(baton.steady_now())) return fail(Code::Timeout, "no answer");
    if (const auto refused = refusal(); !refused) return fail(refused.error());
    Numbers::ByNode found;
    for (const std::string& node : nodes) found[node] = std::vector{number};
    return found;
  }

  std::vector<std::unique_ptr<Thread>> threads_ = {};
};

void asked(const std::function<void(Asked&)>& body) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    fakes::Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      Asked stage(baton);
      body(stage);
      stage.end();
    });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
  }
}

TEST(SharedList, ANodeThatGoesAloneWaitsForNothing) {
  asked([](Asked& stage) {
    const SteadyTime before = stage.baton.steady_now();
    stage.ask("a");
    stage.end();

    EXPECT_EQ(stage.baton.steady_now() - before, kListTakes);
    EXPECT_THAT(*stage.answers.at("a"), ElementsAre(1));
  });
}

TEST(SharedList, AListThatBeganBeforeANodeAskedDoesNotCountForIt) {
  asked([](Asked& stage) {
    stage.ask("a");
    stage.rest(500ms);
    stage.ask("b");
    stage.end();

    EXPECT_THAT(*stage.answers.at("a"), ElementsAre(1));
    EXPECT_THAT(*stage.answers.at("b"), ElementsAre(2));
  });
}

TEST(SharedList, ThoseWhoAskWhileAListIsUnderWayShareTheNextOne) {
  asked([](Asked& stage) {
    stage.ask("a");
    stage.rest(100ms);
    for (const std::string node : {"b", "c", "d"}) stage.ask(node);
    stage.end();

    EXPECT_THAT(stage.lists, ElementsAre(Nodes{"a"}, Nodes{"b", "c", "d"}));
  });
}

TEST(SharedList, NodesThatGoTogetherAreGathered) {
  asked([](Asked& stage) {
    stage.ask("a");
    stage.end();
    for (const std::string node : {"b", "c", "d"}) {
      stage.ask(node);
      stage.rest(5ms);
    }
    stage.end();

    EXPECT_THAT(stage.lists, ElementsAre(Nodes{"a"}, Nodes{"b", "c", "d"}));
  });
}

TEST(SharedList, TheServersRefusalIsTheAnswerOfAll) {
  asked([](Asked& stage) {
    stage.refusal = [] { return Result<void>(fail(Code::Unavailable, "no etcd")); };
    stage.ask("a");
    stage.rest(100ms);
    stage.ask("b");
    stage.ask("c");
    stage.end();

    EXPECT_THAT(stage.lists, SizeIs(2));
    for (const auto& [node, answer] : stage.answers)
      EXPECT_EQ(answer.error().code, Code::Unavailable) << node;
  });
}

TEST(SharedList, OneWhoseTimeIsOverLeavesTheListToTheOthers) {
  asked([](Asked& stage) {
    stage.ask("a", 500ms);
    stage.rest(1us);
    stage.ask("b");
    stage.end();

    EXPECT_EQ(stage.answers.at("a").error().code, Code::Timeout);
    EXPECT_THAT(*stage.answers.at("b"), ElementsAre(2));
  });
}

TEST(SharedList, OneWhoAsksForOthersAndRunsOutOfTimeIsReplaced) {
  asked([](Asked& stage) {
    stage.ask("a");
    stage.end();
    stage.ask("b", 500ms);
    stage.ask("c", 1min);
    stage.end();

    EXPECT_EQ(stage.answers.at("b").error().code, Code::Timeout);
    EXPECT_TRUE(stage.answers.at("c"));
  });
}

TEST(SharedList, OneThatWaitsGivesUpAtItsDeadline) {
  asked([](Asked& stage) {
    stage.ask("a");
    stage.rest(100ms);
    const SteadyTime before = stage.baton.steady_now();
    stage.ask("b", 200ms);
    stage.rest(300ms);

    EXPECT_EQ(stage.answers.at("b").error().code, Code::Timeout);
    EXPECT_LT(stage.baton.steady_now() - before, 1s);
  });
}

TEST(SharedList, ANodeThatTheAnswerDoesNotNameHasNothing) {
  fakes::Baton baton({.seed = 1});
  const auto report = baton.run([&] {
    Numbers list(baton, baton);

    const auto found =
        list.on("a", [](const Nodes&, const Deadline&) { return Numbers::ByNode(); }, Deadline::never());

    EXPECT_THAT(*found, IsEmpty());
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

}  // namespace
}  // namespace capstan::controllers::drain
