#include "api/conditions/message.h"

#include <gtest/gtest.h>

#include <vector>

namespace capstan::api::conditions {
namespace {

struct Layout {
  const char* message;
  const char* laid_out;
};

class NestedMessage : public ::testing::TestWithParam<Layout> {};

TEST_P(NestedMessage, IsLaidOutAsUpstreamDoes) { EXPECT_EQ(nested(GetParam().message), GetParam().laid_out); }

INSTANTIATE_TEST_SUITE_P(Layouts, NestedMessage,
                         ::testing::Values(Layout{"one line", " one line"},                             //
                                           Layout{"", " "},                                             //
                                           Layout{"* a bullet", "\n  * a bullet"},                      //
                                           Layout{"* a\n* b", "\n  * a\n  * b"},                        //
                                           Layout{"* a\n  * deeper", "\n  * a\n    * deeper"},          //
                                           Layout{"first\nsecond", "\n  * first\n  * second"},          //
                                           Layout{"head:\n* a\n* b", "\n  * head:\n    * a\n    * b"},  //
                                           Layout{"head:\n  * a", "\n  * head:\n      * a"},            //
                                           Layout{"no*bullet", " no*bullet"}));

TEST(NameList, StopsAtTheLimitAndCountsTheRest) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};

  EXPECT_EQ(name_list(names, 5), "a, b, c, d, e");
  EXPECT_EQ(name_list(names, 3), "a, b, c, ... (2 more)");
  EXPECT_EQ(name_list({}, 3), "");
}

}  // namespace
}  // namespace capstan::api::conditions
