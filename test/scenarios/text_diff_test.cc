#include "test/scenarios/text_diff.h"

#include <gtest/gtest.h>

namespace capstan::scenarios {
namespace {

TEST(TextDiff, ShowsWhatLeftAndWhatCame) {
  EXPECT_EQ(text_diff("a\nb\nc\n", "a\nx\nc\n"), "  a\n- b\n+ x\n  c\n");
}

TEST(TextDiff, LeavesOutWhatIsFarFromAnyChange) {
  EXPECT_EQ(text_diff("x\n1\n2\n3\n4\n5\n", "y\n1\n2\n3\n4\n5\n"), "- x\n+ y\n  1\n  2\n  3\n  ...\n");
}

TEST(TextDiff, SaysNothingAboutEqualTexts) { EXPECT_EQ(text_diff("a\n", "a\n"), ""); }

}  // namespace
}  // namespace capstan::scenarios
