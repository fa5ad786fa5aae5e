#include "base/guarded.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace capstan {
namespace {

TEST(Guarded, HandsOutItsValueAndTheAnswerOfTheLambda) {
  Guarded<std::vector<int>> numbers(std::vector<int>{1, 2});

  const std::size_t size = numbers.with([](auto& list) {
    list.push_back(3);
    return list.size();
  });

  EXPECT_EQ(size, 3U);
}

TEST(Guarded, ConstAccessCannotChangeTheValue) {
  const Guarded<int> number(4);

  number.with([](auto& value) { static_assert(std::is_const_v<std::remove_reference_t<decltype(value)>>); });

  EXPECT_EQ(number.with([](const int& value) { return value; }), 4);
}

TEST(Guarded, HoldsWhatCannotBeCopied) {
  Guarded<std::unique_ptr<int>> pointer(std::make_unique<int>(5));

  const auto taken = pointer.with([](auto& owned) { return std::move(owned); });

  EXPECT_EQ(*taken, 5);
}

TEST(Guarded, ThreadsDoNotLoseEachOthersChanges) {
  Guarded<int> count(0);

  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 10'000; ++round) count.with([](int& value) { ++value; });
      });
    }
  }

  EXPECT_EQ(count.with([](int value) { return value; }), 40'000);
}

}  // namespace
}  // namespace capstan
