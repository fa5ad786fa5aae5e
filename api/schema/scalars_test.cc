// Uid, ResourceVersion and TextMap.
#include "api/schema/scalars.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "api/schema/text_map.h"

namespace capstan::api {
namespace {

TEST(Uid, ComesBackAsItWas) {
  for (const std::string_view text :
       {"0f9a7a3c-9d5e-4c7e-8a48-0a2f4d9e6b11", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "00000000-0000-0000-0000-000000000000", "0F9A7A3C-9D5E-4C7E-8A48-0A2F4D9E6B11", "no uuid at all", "",
        "0f9a7a3c-9d5e-4c7e-8a48-0a2f4d9e6b1", "0f9a7a3c9d5e4c7e8a480a2f4d9e6b11",
        "0f9a7a3c9d5e1c7e8a480a2f4d9e6b11", "0f9a7a3c-9d5e-fc7e-8a48-0a2f4d9e6b11",
        "0F9a7a3c9d5e4c7e8a480a2f4d9e6b11", "ffffffffffff4fffffffffffffffffff",
        "0f9a7a3c9d5efc7e8a480a2f4d9e6b11", "0f9a7a3c+9d5e-4c7e-8a48-0a2f4d9e6b11",
        "0f9a7a3c-9d5e-4c7e-8a48-0a2f4d9e6b1g"}) {
    EXPECT_EQ(Uid(text).str(), text);
    EXPECT_EQ(Uid(text).empty(), text.empty());
  }
  EXPECT_EQ(sizeof(Uid), 16U);
}

TEST(Uid, IsAValue) {
  const Uid usual("0f9a7a3c-9d5e-4c7e-8a48-0a2f4d9e6b11");
  const Uid odd("odd");
  Uid copy = usual;
  EXPECT_EQ(copy, usual);
  copy = odd;
  EXPECT_EQ(copy, odd);
  EXPECT_NE(copy, usual);
  EXPECT_EQ(copy.hash(), odd.hash());
  Uid moved = std::move(copy);
  EXPECT_EQ(moved, odd);
  moved = Uid();
  EXPECT_TRUE(moved.empty());
  EXPECT_LT(usual, odd);
  EXPECT_NE(usual, Uid("0f9a7a3c9d5e4c7e8a480a2f4d9e6b11")) << "another spelling is another UID";
}

TEST(ResourceVersion, IsADecimalNumberOrNothing) {
  EXPECT_EQ(ResourceVersion::parse("4711")->str(), "4711");
  EXPECT_TRUE(ResourceVersion::parse("")->empty());
  EXPECT_LT(*ResourceVersion::parse("9"), *ResourceVersion::parse("10"));
  for (const std::string_view text : {"abc", "1 ", "-1", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(ResourceVersion::parse(text)) << text;
  }
}

TEST(TextMap, BehavesLikeAMapUnderAnyChanges) {
  std::mt19937 random(7);
  TextMap map;
  std::map<std::string, std::string> model;

  for (int step = 0; step < 2000; ++step) {
    const std::string key(1, static_cast<char>('a' + random() % 8));
    const std::string value(1, static_cast<char>('0' + random() % 10));
    if (random() % 3 == 0) {
      map.erase(key);
      model.erase(key);
    } else {
      map.set(key, value);
      model[key] = value;
    }
    ASSERT_EQ(map.size(), model.size());
    ASSERT_EQ(map.contains(key), model.contains(key));
    auto expected = model.begin();
    for (const auto& [have, held] : map) {
      ASSERT_EQ(have, std::string_view(expected->first));
      ASSERT_EQ(held, std::string_view((expected++)->second));
    }
  }
}

TEST(TextMap, LetsTheLaterOfTwoEqualKeysWin) {
  EXPECT_EQ((TextMap{{"b", "1"}, {"a", "1"}, {"b", "2"}}), (TextMap{{"a", "1"}, {"b", "2"}}));
}

TEST(TextMap, KeepsOldHoldersUndisturbed) {
  TextMap map{{"a", "1"}};
  const TextMap before = map;

  map.set("a", "2");

  EXPECT_EQ(before.value_or_empty("a"), "1");
  EXPECT_EQ(before.find("b"), nullptr);
}

}  // namespace
}  // namespace capstan::api
