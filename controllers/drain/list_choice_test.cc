#include "controllers/drain/list_choice.h"

#include <gtest/gtest.h>

namespace capstan::controllers::drain {
namespace {

TEST(ListChoice, OneNodeIsAskedForAlone) {
  EXPECT_FALSE(asks_for_all({.nodes = 1, .items = 0}));
  EXPECT_FALSE(asks_for_all({.nodes = 1, .items = 100'000}));
}

TEST(ListChoice, ManyNodesOfASmallClusterAreAskedForAtOnce) {
  EXPECT_TRUE(asks_for_all({.nodes = 2, .items = 0}));
  EXPECT_TRUE(asks_for_all({.nodes = 20, .items = 6'000}));
}

TEST(ListChoice, AFewNodesOfABigClusterAreAskedForOneByOne) {
  EXPECT_FALSE(asks_for_all({.nodes = 2, .items = 500}));
  EXPECT_FALSE(asks_for_all({.nodes = 20, .items = 10'000}));
}

TEST(ListChoice, OnlyNodesThatGoTogetherWaitForEachOther) {
  EXPECT_EQ(gathering_time(false), Nanoseconds::zero());
  EXPECT_LE(gathering_time(true), std::chrono::milliseconds(200));
  EXPECT_GT(gathering_time(true), Nanoseconds::zero());
}

}  // namespace
}  // namespace capstan::controllers::drain
