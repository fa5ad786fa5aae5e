#include "net/line_framer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capstan::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Lines {
  std::vector<std::string> all = {};
  void operator()(std::string_view line) { all.emplace_back(line); }
};

TEST(LineFramer, GivesTheSameLinesHoweverTheBytesAreCut) {
  const std::string bytes = "first\nsecond line\r\n\nlast\n";

  for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
    LineFramer framer;
    Lines lines;
    for (std::size_t at = 0; at < bytes.size(); at += cut) {
      ASSERT_TRUE(framer.feed(std::string_view(bytes).substr(at, cut), lines));
    }
    EXPECT_THAT(lines.all, ElementsAre("first", "second line", "last")) << "cut every " << cut;
  }
}

TEST(LineFramer, GivesAnIndentedDocumentAsOneLineHoweverTheBytesAreCut) {
  const std::string one = "{\n \"type\": \"ADDED\",\n \"object\": {\n  \"a\": \"}\"\n }\n}";
  const std::string bytes = one + one + "\n{}\n" + one + "plain\n";

  for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
    LineFramer framer;
    Lines lines;
    for (std::size_t at = 0; at < bytes.size(); at += cut) {
      ASSERT_TRUE(framer.feed(std::string_view(bytes).substr(at, cut), lines));
    }
    EXPECT_THAT(lines.all, ElementsAre(one, one, "{}", one, "plain")) << "cut every " << cut;
  }
}

TEST(LineFramer, RefusesAnIndentedDocumentOverTheLimit) {
  LineFramer framer(8);
  Lines lines;

  const auto fed = framer.feed("{\n \"a\": 1\n}", lines);

  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "line 1 is longer than 8 bytes");
}

TEST(LineFramer, HandsOutALineWithinOneChunkWithoutACopy) {
  const std::string chunk = "inside\n";
  LineFramer framer;
  const char* seen = nullptr;

  ASSERT_TRUE(framer.feed(chunk, [&](std::string_view line) { seen = line.data(); }));

  EXPECT_EQ(seen, chunk.data());
}

TEST(LineFramer, KeepsWhatHasNotEnded) {
  LineFramer framer;
  Lines lines;

  ASSERT_TRUE(framer.feed("half a li", lines));

  EXPECT_THAT(lines.all, IsEmpty());
  EXPECT_EQ(framer.unfinished(), "half a li");
}

TEST(LineFramer, AcceptsALineOfExactlyTheLimit) {
  LineFramer framer(4);
  Lines lines;

  ASSERT_TRUE(framer.feed("ab", lines));
  ASSERT_TRUE(framer.feed("cd\n", lines));

  EXPECT_THAT(lines.all, ElementsAre("abcd"));
}

TEST(LineFramer, RefusesALineOverTheLimitAndSaysWhich) {
  LineFramer framer(4);
  Lines lines;

  const auto fed = framer.feed("ok\nabcde", lines);

  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "line 2 is longer than 4 bytes");
  EXPECT_THAT(lines.all, ElementsAre("ok"));
  EXPECT_FALSE(framer.feed("\nmore\n", lines));
  EXPECT_THAT(lines.all, ElementsAre("ok"));
}

TEST(LineFramer, HoldsNoMoreThanTheLimitOfAnEndlessLine) {
  LineFramer framer(64U << 10);
  Lines lines;
  const std::string chunk(16U << 10, 'x');

  for (int i = 0; i < 1000; ++i) {
    const auto fed = framer.feed(chunk, lines);
    ASSERT_LE(framer.unfinished().size(), 64U << 10);
    ASSERT_EQ(fed.has_value(), i < 4);
  }
}

}  // namespace
}  // namespace capstan::net
