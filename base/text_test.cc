#include "base/text.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/text_fmt.h"

namespace capstan {
namespace {

constexpr Text kReady = "Ready"_text;

TEST(Text, KeepsItsBytes) {
  const std::string long_bytes(5000, 'x');

  EXPECT_EQ(Text("machine-1").view(), "machine-1");
  EXPECT_EQ(Text(long_bytes).view(), long_bytes);
  EXPECT_EQ(Text(std::string_view("a\0b", 3)).view(), std::string_view("a\0b", 3));
}

TEST(Text, EqualTextsShareOneAllocation) {
  const Text a("shared-by-both");
  const Text b(std::string("shared-by-") + "both");

  EXPECT_EQ(a, b);
  EXPECT_EQ(a.view().data(), b.view().data());
}

TEST(Text, DifferentTextsAreNotEqual) {
  EXPECT_NE(Text("a"), Text("b"));
  EXPECT_NE(Text("a"), Text());
  EXPECT_NE(Text("a"), "ab");
}

TEST(Text, ForgetsTheBytesWithTheLastReference) {
  const std::size_t before = Text::interned_count();

  {
    const Text first("seen nowhere else");
    const Text copy = first;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
    EXPECT_EQ(Text::interned_count(), before + 1);
  }

  EXPECT_EQ(Text::interned_count(), before);
}

TEST(Text, EmptyNeedsNoMemory) {
  const std::size_t before = Text::interned_count();

  const Text text("");

  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text, Text());
  EXPECT_EQ(text.view(), "");
  EXPECT_EQ(text, ""_text);
  EXPECT_EQ(text.hash(), std::hash<Text>{}(""));
  EXPECT_EQ(Text::interned_count(), before);
}

TEST(Text, LiteralEqualsAndHashesLikeTheSameBytesMadeAtRunTime) {
  const Text made(std::string("Rea") + "dy");

  EXPECT_EQ(kReady, made);
  EXPECT_EQ(std::hash<Text>{}(kReady), std::hash<Text>{}(made));
  EXPECT_EQ(kReady <=> made, std::strong_ordering::equal);
}

TEST(Text, LiteralIsNeverCounted) {
  const std::size_t before = Text::interned_count();

  const std::vector<Text> many(1000, kReady);

  EXPECT_EQ(many.back(), "Ready");
  EXPECT_EQ(Text::interned_count(), before);
}

TEST(Text, OrdersByBytesNotByAddress) {
  std::set<Text> names;
  for (const char* name : {"pear", "apple", "fig", "\xc3\xa4pfel"}) names.emplace(name);

  EXPECT_THAT(names, testing::ElementsAre("apple", "fig", "pear", "\xc3\xa4pfel"));
}

TEST(Text, HashDoesNotChangeBetweenRuns) {
  EXPECT_EQ(Text("machine-1").hash(), 758741196U);
  EXPECT_EQ(Text("a much longer name than eight bytes").hash(), 3162510588U);
}

TEST(Text, MovedFromIsEmpty) {
  Text from("a name");

  const Text to = std::move(from);

  EXPECT_EQ(to, "a name");
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): what a moved-from text is, is the promise
}

TEST(Text, AssignmentToItselfKeepsTheText) {
  Text text("still here");
  const Text& same = text;

  text = same;

  EXPECT_EQ(text, "still here");
}

TEST(Text, IsFoundInMapsByStringView) {
  const std::map<Text, int, std::less<>> numbers = {{Text("one"), 1}, {Text("two"), 2}};
  const std::unordered_set<Text, std::hash<Text>, std::equal_to<>> names = {Text("one")};

  EXPECT_EQ(numbers.find(std::string_view("two"))->second, 2);
  EXPECT_TRUE(names.contains(std::string_view("one")));
  EXPECT_FALSE(names.contains(std::string_view("two")));
}

TEST(Text, IsPrintedByFmt) { EXPECT_EQ(fmt::format("{}/{:>6}", Text("ns"), FreeText("name")), "ns/  name"); }

// The race that matters: one thread drops the last reference while another asks for the same bytes.
TEST(Text, SurvivesThreadsThatMakeAndDropTheSameTexts) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  const std::size_t before = Text::interned_count();
  std::vector<int> wrong(kThreads, 0);

  {
    std::vector<std::jthread> threads;
    for (int id = 0; id < kThreads; ++id) {
      threads.emplace_back([&wrong, id] {
        for (int round = 0; round < kRounds; ++round) {
          const std::string bytes = "contended-" + std::to_string(round % 3);
          const Text a(bytes);
          const Text b(bytes);
          if (a.view() != bytes || a.view().data() != b.view().data()) ++wrong[static_cast<std::size_t>(id)];
        }
      });
    }
  }

  EXPECT_THAT(wrong, testing::Each(0));
  EXPECT_EQ(Text::interned_count(), before);
}

TEST(FreeText, KeepsItsBytesAndIsSharedByCopiesOnly) {
  const FreeText first("* Node is not ready");
  const FreeText copy = first;  // NOLINT(performance-unnecessary-copy-initialization)
  const FreeText again("* Node is not ready");

  EXPECT_EQ(copy.view().data(), first.view().data());
  EXPECT_NE(again.view().data(), first.view().data());
  EXPECT_EQ(again, first);
  EXPECT_NE(again, FreeText("other"));
}

TEST(FreeText, IsNotInterned) {
  const std::size_t before = Text::interned_count();

  const FreeText message("waiting for 3 pods");

  EXPECT_EQ(message, "waiting for 3 pods");
  EXPECT_EQ(Text::interned_count(), before);
}

TEST(FreeText, EmptyEqualsDefault) { EXPECT_EQ(FreeText(""), FreeText()); }

}  // namespace
}  // namespace capstan
