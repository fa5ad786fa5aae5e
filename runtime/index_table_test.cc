#include "runtime/index_table.h"

#include <gmock/gmock.h>

#include <array>

namespace capstan::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<std::int64_t, 3> kSlots = {};  // what stands at an even address
const void* slot(std::size_t number) { return &kSlots.at(number); }

TEST(SlotList, HoldsNoneOneOrManyInTheOrderGiven) {
  SlotList list;
  EXPECT_THAT(list.slots(), IsEmpty());

  list.insert(0, slot(1));
  EXPECT_THAT(list.slots(), ElementsAre(slot(1)));

  list.insert(0, slot(0));
  list.insert(2, slot(2));
  EXPECT_THAT(list.slots(), ElementsAre(slot(0), slot(1), slot(2)));
}

TEST(SlotList, ShrinksBackToOneAndToNone) {
  SlotList list;
  for (const std::size_t number : {0U, 1U, 2U}) list.insert(number, slot(number));

  list.erase(1);
  EXPECT_THAT(list.slots(), ElementsAre(slot(0), slot(2)));
  list.erase(0);
  EXPECT_THAT(list.slots(), ElementsAre(slot(2)));
  list.erase(0);

  EXPECT_TRUE(list.empty());
}

TEST(SlotList, MovesWithWhatItHolds) {
  SlotList list;
  for (const std::size_t number : {0U, 1U}) list.insert(number, slot(number));

  SlotList other = std::move(list);

  EXPECT_THAT(other.slots(), ElementsAre(slot(0), slot(1)));
}

TEST(IndexTable, TellsAWholeFromAPartAndScopesFromEachOther) {
  IndexTable table;
  table.at({"a/one"_text, "node"_text}).insert(0, slot(0));
  table.at({"a/two"_text, "node"_text}).insert(0, slot(1));
  table.at("a/one"_text).insert(0, slot(2));

  EXPECT_THAT(table.find({"a/one", "node"}), ElementsAre(slot(0)));
  EXPECT_THAT(table.find({"a/two", "node"}), ElementsAre(slot(1)));
  EXPECT_THAT(table.find("a/one"), ElementsAre(slot(2)));
  EXPECT_THAT(table.find({"node", "a/one"}), IsEmpty());
}

// What a Machine pays for being found by its Node and by its providerID.
TEST(IndexTable, TakesEightBytesForTheSlotOfAValueOfItsOwn) {
  EXPECT_EQ(sizeof(SlotList), 8U);
  EXPECT_EQ(sizeof(IndexValue), 16U);
}

TEST(IndexTable, AsksWithoutInterning) {
  const IndexTable table;
  const auto before = Text::interned_count();

  EXPECT_THAT(table.find({"a scope nobody spelt yet", "nor this name"}), IsEmpty());

  EXPECT_EQ(Text::interned_count(), before);
}

}  // namespace
}  // namespace capstan::runtime
