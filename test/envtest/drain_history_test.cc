#include "test/envtest/drain_history.h"

#include <gtest/gtest.h>

namespace capstan::envtest {
namespace {

PodEvent healthy(std::string name) { return {.name = std::move(name), .app = "x", .ready = true}; }
PodEvent deletion_begun(std::string name) {
  return {.name = std::move(name), .app = "x", .ready = true, .deleting = true};
}

TEST(PodHistory, NoticesTheMomentWhenTooFewAreHealthy) {
  const auto history = history_of({healthy("a"), healthy("b"), healthy("c"), deletion_begun("a"),
                                   deletion_begun("b"), healthy("d"), healthy("e")},
                                  {{"x", 3}})
                           .at("x");

  EXPECT_EQ(history.most, 3U);
  EXPECT_EQ(history.fewest, 1U);
  EXPECT_EQ(history.fewest_at, "b");
  EXPECT_EQ(history.left, 2U);
}

TEST(PodHistory, BeginsWhenAllAreHealthyForTheFirstTime) {
  const auto history = history_of({healthy("a"), healthy("b"), healthy("c")}, {{"x", 3}}).at("x");

  EXPECT_EQ(history.fewest, 3U);
  EXPECT_EQ(history.left, 0U);
}

TEST(PodHistory, CanBeTakenAsItWasBeforeAChange) {
  auto first = healthy("a");
  auto last = deletion_begun("a");
  first.version = 3;
  last.version = 9;

  EXPECT_EQ(history_of(events_before({first, last}, 9), {{"x", 1}}).at("x").left, 0U);
  EXPECT_EQ(history_of(events_before({first, last}, 10), {{"x", 1}}).at("x").left, 1U);
}

TEST(PodHistory, CountsAPodThatIsNotReadyAnyMoreAsMissing) {
  const auto history =
      history_of({healthy("a"), healthy("b"), {.name = "b", .app = "x", .ready = false}}, {{"x", 2}}).at("x");

  EXPECT_EQ(history.fewest, 1U);
}

}  // namespace
}  // namespace capstan::envtest
