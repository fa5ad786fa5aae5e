#include "api/schema/list.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

namespace capstan::api {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(List, TakesEightBytesWhileEmpty) {
  EXPECT_EQ(sizeof(List<std::string>), 8U);
  EXPECT_EQ(List<std::string>().capacity(), 0U);
}

TEST(List, BehavesLikeAVectorUnderAnyChanges) {
  std::mt19937 random(3);
  List<std::string> list;
  std::vector<std::string> model;

  for (int step = 0; step < 5000; ++step) {
    const std::string word(1 + random() % 40, static_cast<char>('a' + random() % 26));
    const auto index = static_cast<std::ptrdiff_t>(model.empty() ? 0 : random() % model.size());
    switch (random() % 10) {
      case 0:
      case 1:
      case 2: list.push_back(word), model.push_back(word); break;
      case 3: list.insert(list.begin() + index, word), model.insert(model.begin() + index, word); break;
      case 4:
        if (!model.empty()) list.erase(list.begin() + index), model.erase(model.begin() + index);
        break;
      case 5: list.shrink_to_fit(); break;
      case 6:
        if (!model.empty()) list.push_back(list[0]), model.push_back(std::string(model[0]));
        break;
      case 7: list = List<std::string>(list); break;
      case 8:
        if (random() % 20 == 0) list.clear(), model.clear();
        break;
      default: {
        const auto same = [&](const std::string& each) { return each.front() == word.front(); };
        EXPECT_EQ(erase_if(list, same), std::erase_if(model, same));
      }
    }
    ASSERT_THAT(list, ElementsAreArray(model)) << "step " << step;
  }
}

TEST(List, FitsExactlyWhenAskedTo) {
  List<int> list{1, 2, 3};
  EXPECT_EQ(list.capacity(), 3U);
  list.push_back(4);
  list.shrink_to_fit();
  EXPECT_EQ(list.capacity(), 4U);
  list.resize(2);
  EXPECT_THAT(list, ElementsAre(1, 2));
  list.resize(3, 9);
  EXPECT_THAT(list, ElementsAre(1, 2, 9));
  list.erase(list.begin(), list.end());
  list.shrink_to_fit();
  EXPECT_EQ(list.capacity(), 0U);
}

TEST(List, ComesFromAVectorAndComparesByContent) {
  const std::vector<std::string> words{"a", "b"};

  EXPECT_EQ(List<std::string>(words), (List<std::string>{"a", "b"}));
  EXPECT_NE(List<std::string>(words), (List<std::string>{"a"}));
}

TEST(List, KeepsTheAlignmentOfItsElements) {
  struct alignas(32) Wide {
    int number = 0;
  };
  List<Wide> list;
  for (int i = 0; i < 9; ++i) {
    list.push_back({i});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&list.back()) % 32, 0U);
  }
}

}  // namespace
}  // namespace capstan::api
