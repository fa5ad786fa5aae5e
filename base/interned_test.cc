#include "base/interned.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"

namespace capstan {
namespace {

using Labels = std::map<Text, Text>;

Labels two_labels() { return {{Text("app"), Text("web")}, {Text("zone"), Text("a")}}; }

TEST(Interned, EqualValuesAreStoredOnce) {
  const Interned<Labels> a(two_labels());
  const Interned<Labels> b(two_labels());

  EXPECT_EQ(a, b);
  EXPECT_EQ(&a.get(), &b.get());
  EXPECT_EQ(Interned<Labels>::interned_count(), 1U);
}

TEST(Interned, DifferentValuesDiffer) {
  const Interned<Labels> a(two_labels());
  const Interned<Labels> b(Labels{{Text("app"), Text("web")}});

  EXPECT_NE(a, b);
  EXPECT_NE(a, Interned<Labels>());
  EXPECT_NE(a.hash(), b.hash());
}

TEST(Interned, EmptyValueEqualsDefaultAndCostsNothing) {
  const Interned<Labels> empty{Labels{}};

  EXPECT_EQ(empty, Interned<Labels>());
  EXPECT_TRUE(empty->empty());
  EXPECT_EQ(Interned<Labels>::interned_count(), 0U);
}

TEST(Interned, ForgetsTheValueWithTheLastReference) {
  {
    Interned<Labels> a(two_labels());
    const Interned<Labels> b = a;
    a = Interned<Labels>();
    EXPECT_EQ(b->at(Text("zone")), "a");
  }

  EXPECT_EQ(Interned<Labels>::interned_count(), 0U);
}

TEST(Interned, OrdersByValue) {
  using Names = std::vector<Text>;
  const Interned<Names> later(Names{Text("b")});
  const Interned<Names> earlier(Names{Text("a"), Text("z")});

  EXPECT_LT(earlier, later);
  EXPECT_LT(Interned<Names>(), earlier);
  EXPECT_FALSE(later < earlier);
}

TEST(Interned, SurvivesThreadsThatMakeAndDropTheSameValue) {
  constexpr int kThreads = 4;
  std::vector<int> wrong(kThreads, 0);

  {
    std::vector<std::jthread> threads;
    for (int id = 0; id < kThreads; ++id) {
      threads.emplace_back([&wrong, id] {
        for (int round = 0; round < 5'000; ++round) {
          const Interned<Labels> a(two_labels());
          if (a->size() != 2 || a != Interned<Labels>(two_labels())) ++wrong[static_cast<std::size_t>(id)];
        }
      });
    }
  }

  EXPECT_THAT(wrong, testing::Each(0));
  EXPECT_EQ(Interned<Labels>::interned_count(), 0U);
}

}  // namespace
}  // namespace capstan
