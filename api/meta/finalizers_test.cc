#include "api/meta/finalizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::api {
namespace {

using testing::ElementsAre;

const Finalizers kOfOthers(std::vector<Text>{Text("example.com/b"), Text("example.com/a")});

TEST(WithFinalizer, OursComesBehindThoseOfOthers) {
  EXPECT_THAT(*with_finalizer(kOfOthers, "ours"),
              ElementsAre(Text("example.com/b"), Text("example.com/a"), Text("ours")));
  EXPECT_THAT(*with_finalizer({}, "ours"), ElementsAre(Text("ours")));
}

TEST(WithFinalizer, IsNotPutOnTwice) { EXPECT_EQ(with_finalizer(kOfOthers, "example.com/b"), kOfOthers); }

}  // namespace
}  // namespace capstan::api
