#include "apiserver/store/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

json::object thing(int value) { return {{"metadata", json::object()}, {"value", value}}; }

std::vector<std::string> names(const std::optional<ListPage>& page) {
  std::vector<std::string> all;
  for (const auto& [key, object] : page->items) all.push_back(key.name);
  return all;
}

TEST(Storage, StampsEveryWriteWithAHigherVersion) {
  Storage storage(10);

  const auto first = storage.create("things", {.name = "a"}, thing(1));
  const auto second = storage.replace("things", {.name = "a"}, first, thing(2));
  const auto last = storage.erase("things", {.name = "a"}, second);

  EXPECT_LT(version_of(*first), version_of(*second));
  EXPECT_LT(version_of(*second), version_of(*last));
  EXPECT_EQ(storage.find("things", {.name = "a"}), nullptr);
}

TEST(Storage, RefusesToOverwriteWhatTheWriterHasNotSeen) {
  Storage storage(10);
  const auto first = storage.create("things", {.name = "a"}, thing(1));
  storage.replace("things", {.name = "a"}, first, thing(2));

  EXPECT_EQ(storage.create("things", {.name = "a"}, thing(3)), nullptr);
  EXPECT_EQ(storage.replace("things", {.name = "a"}, first, thing(3)), nullptr);
  EXPECT_EQ(storage.erase("things", {.name = "a"}, first), nullptr);
}

TEST(Storage, ListsInOrderWithinANamespace) {
  Storage storage(10);
  for (const auto* name : {"c", "a", "b"})
    storage.create("things", {.namespace_ = "n", .name = name}, thing(1));
  storage.create("things", {.namespace_ = "other", .name = "x"}, thing(1));

  EXPECT_THAT(names(storage.list("things", {.namespace_ = "n"})), testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(storage.list("things", {.namespace_ = "n", .after = StoredKey{"n", "a"}, .max = 1})),
              testing::ElementsAre("b"));
}

TEST(Storage, ShowsTheWorldAsItWas) {
  Storage storage(10);
  const auto a = storage.create("things", {.name = "a"}, thing(1));
  storage.create("things", {.name = "b"}, thing(1));
  const auto then = storage.version();
  storage.erase("things", {.name = "a"}, a);
  storage.create("things", {.name = "c"}, thing(1));

  EXPECT_THAT(names(storage.list("things", {.at = then})), testing::ElementsAre("a", "b"));
  EXPECT_THAT(names(storage.list("things", {})), testing::ElementsAre("b", "c"));
}

TEST(Storage, ForgetsWhatLiesTooFarBack) {
  Storage storage(2);
  const auto before = storage.version();
  for (const auto* name : {"a", "b", "c"}) storage.create("things", {.name = name}, thing(1));

  EXPECT_FALSE(storage.list("things", {.at = before}));
  EXPECT_TRUE(storage.changes_after("things", before, storage.epoch(), 10).gone);
  EXPECT_FALSE(storage.changes_after("things", storage.version() - 1, storage.epoch(), 10).gone);
}

TEST(Storage, ReadersGoOnWhereTheyWere) {
  Storage storage(10);
  const auto start = storage.version();
  for (const auto* name : {"a", "b", "c"}) storage.create("things", {.name = name}, thing(1));

  const auto first = storage.changes_after("things", start, storage.epoch(), 2);
  const auto second = storage.changes_after("things", first.version, storage.epoch(), 2);

  EXPECT_EQ(first.changes.size(), 2U);
  ASSERT_EQ(second.changes.size(), 1U);
  EXPECT_EQ(second.changes.front().key.name, "c");
}

TEST(Storage, ExpiryEndsEveryReader) {
  Storage storage(10);
  storage.create("things", {.name = "a"}, thing(1));
  const auto version = storage.version();
  const auto epoch = storage.epoch();

  storage.expire();

  EXPECT_TRUE(storage.changes_after("things", version, epoch, 10).gone);
  EXPECT_FALSE(storage.list("things", {.at = version}));
  EXPECT_THAT(names(storage.list("things", {})), testing::ElementsAre("a"));
}

TEST(Storage, KnowsNothingFromBeforeACollectionBegan) {
  Storage storage(10);
  storage.create("others", {.name = "a"}, thing(1));
  const auto before = storage.version() - 1;

  storage.begin("things");
  storage.create("things", {.name = "a"}, thing(1));

  EXPECT_TRUE(storage.changes_after("things", before, storage.epoch(), 10).gone);
  EXPECT_FALSE(storage.changes_after("things", before + 1, storage.epoch(), 10).gone);
}

TEST(Storage, TellsListenersUntilTheyAreDropped) {
  Storage storage(10);
  int calls = 0;
  auto subscription = storage.subscribe("things", [&] { ++calls; });

  storage.create("things", {.name = "a"}, thing(1));
  storage.create("others", {.name = "a"}, thing(1));
  subscription.reset();
  storage.create("things", {.name = "b"}, thing(1));

  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace capstan::apiserver
