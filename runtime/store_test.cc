#include "runtime/store.h"

#include <gmock/gmock.h>

#include "api/meta/object_meta.h"

namespace capstan::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Thing {
  api::ObjectMeta metadata = {};
  int value = 0;
};

Thing thing(std::string_view name, std::uint64_t version, std::string_view cluster = "c1") {
  Thing made;
  made.metadata.namespace_ = "fleet"_text;
  made.metadata.name = Text(name);
  made.metadata.uid = api::Uid("uid of " + std::string(name));
  made.metadata.resource_version = api::ResourceVersion(version);
  made.metadata.labels.set("cluster", cluster);
  return made;
}

ObjectKey key(std::string name) { return {.namespace_ = "fleet", .name = std::move(name)}; }
api::ResourceVersion at(std::uint64_t version) { return api::ResourceVersion(version); }

IndexValues by_cluster(const Thing& object) {
  return {Text(object.metadata.labels.value_or_empty("cluster"))};
}

// "a:-/5" is new, "a:5/6" changed, "a:6/-" gone; "initial" in front when of the first list.
std::string describe(const Change<Thing>& change) {
  const auto version = [](const Snapshot<Thing>& object) {
    return object ? object->metadata.resource_version.str() : "-";
  };
  return std::string(change.initial ? "initial " : "") + change.object().metadata.name.str() + ":" +
         version(change.before) + "/" + version(change.after);
}

struct StoreFixture {
  Store<Thing> store{"Thing"};
  IndexId<Thing> cluster = store.add_index(by_cluster);
  std::vector<std::string> changes;

  StoreFixture() {
    store.subscribe([this](const Change<Thing>& change) { changes.push_back(describe(change)); });
  }
  void list(std::vector<Thing> things, Store<Thing>::ListEnd end) {
    store.begin_list();
    for (Thing& one : things) store.stage(std::move(one));
    store.finish_list(end);
  }
  std::vector<std::string> names(std::string_view value) const {
    std::vector<std::string> found;
    for (const auto& one : store.find(cluster, value)) found.push_back(one->metadata.name.str());
    return found;
  }
};

TEST(Store, AppliesAndRemembersTheVersion) {
  StoreFixture stage;

  stage.store.apply(thing("a", 5));

  ASSERT_TRUE(stage.store.get(key("a")));
  EXPECT_EQ(stage.store.get(key("a"))->metadata.resource_version, at(5));
  EXPECT_EQ(stage.store.version(), at(5));
  EXPECT_FALSE(stage.store.get(key("b")));
}

TEST(Store, ASnapshotInHandNeverChanges) {
  StoreFixture stage;
  stage.store.apply(thing("a", 5));
  const auto held = stage.store.get(key("a"));

  stage.store.apply(thing("a", 6));

  EXPECT_EQ(held->metadata.resource_version, at(5));
}

TEST(Store, HandlersSeeBeforeAndAfter) {
  StoreFixture stage;

  stage.store.apply(thing("a", 5));
  stage.store.apply(thing("a", 6));
  stage.store.remove(key("a"), at(7));

  EXPECT_THAT(stage.changes, ElementsAre("a:-/5", "a:5/6", "a:6/-"));
  EXPECT_EQ(stage.store.version(), at(7));
}

TEST(Store, TheSameVersionTwiceIsNoChange) {
  StoreFixture stage;
  stage.store.apply(thing("a", 5));
  stage.changes.clear();

  stage.store.apply(thing("a", 5));
  stage.store.remove(key("unknown"), at(6));

  EXPECT_THAT(stage.changes, IsEmpty());
}

TEST(Store, FindsByIndexInOrderOfNames) {
  StoreFixture stage;

  stage.store.apply(thing("b", 5));
  stage.store.apply(thing("a", 6));
  stage.store.apply(thing("c", 7, "c2"));

  EXPECT_THAT(stage.names("c1"), ElementsAre("a", "b"));
  EXPECT_THAT(stage.names("c2"), ElementsAre("c"));
  EXPECT_THAT(stage.names("c3"), IsEmpty());
  EXPECT_EQ(stage.store.count(stage.cluster, "c1"), 2U);
}

TEST(Store, AnObjectMovesBetweenIndexValues) {
  StoreFixture stage;
  stage.store.apply(thing("a", 5, "c1"));

  stage.store.apply(thing("a", 6, "c2"));

  EXPECT_THAT(stage.names("c1"), IsEmpty());
  EXPECT_THAT(stage.names("c2"), ElementsAre("a"));
}

TEST(Store, AnObjectMadeAnewInItsPlaceIsFoundByItsNewValuesOnly) {
  StoreFixture stage;
  for (const auto* name : {"a", "b", "c"}) stage.store.apply(thing(name, 5));
  Thing other = thing("b", 9, "c2");
  other.metadata.uid = api::Uid("another");

  stage.store.apply(std::move(other));

  EXPECT_THAT(stage.names("c1"), ElementsAre("a", "c"));
  EXPECT_THAT(stage.names("c2"), ElementsAre("b"));
  EXPECT_EQ(stage.store.get(key("b"))->metadata.uid, api::Uid("another"));
}

// A slot is a table's node of 24 bytes, which glibc rounds to 32: one word more would be 48.
TEST(Store, KeepsNothingButTheSnapshotInASlot) { EXPECT_EQ(sizeof(Slot<Thing>), sizeof(Snapshot<Thing>)); }

TEST(Store, ARemovedObjectLeavesItsIndexes) {
  StoreFixture stage;
  stage.store.apply(thing("a", 5));

  stage.store.remove(key("a"), at(6));

  EXPECT_THAT(stage.names("c1"), IsEmpty());
}

TEST(Store, TheFirstListIsInitialAndMakesItSynced) {
  StoreFixture stage;
  EXPECT_FALSE(stage.store.synced());

  stage.list({thing("b", 4), thing("a", 3)}, {.version = at(9)});

  EXPECT_TRUE(stage.store.synced());
  EXPECT_THAT(stage.changes, ElementsAre("initial a:-/3", "initial b:-/4"));
  EXPECT_EQ(stage.store.version(), at(9));
}

TEST(Store, NothingOfAListIsVisibleBeforeItsEnd) {
  StoreFixture stage;

  stage.store.begin_list();
  stage.store.stage(thing("a", 3));

  EXPECT_FALSE(stage.store.get(key("a")));
  EXPECT_THAT(stage.changes, IsEmpty());
}

TEST(Store, ARelistTellsWhatWasMissedDeletionsIncluded) {
  StoreFixture stage;
  stage.list({thing("changed", 1), thing("gone", 2), thing("same", 3)}, {.version = at(4)});
  const auto same = stage.store.get(key("same"));
  stage.changes.clear();

  stage.list({thing("changed", 6), thing("new", 7), thing("same", 3)}, {.version = at(8)});

  EXPECT_THAT(stage.changes, ElementsAre("changed:1/6", "gone:2/-", "new:-/7"));
  EXPECT_EQ(stage.store.get(key("same")), same) << "an unchanged object keeps its snapshot";
  EXPECT_THAT(stage.names("c1"), ElementsAre("changed", "new", "same"));
}

TEST(Store, AnObjectMadeAnewUnderItsNameIsAChange) {
  StoreFixture stage;
  stage.list({thing("a", 3)}, {.version = at(4)});
  stage.changes.clear();
  Thing other = thing("a", 3);
  other.metadata.uid = api::Uid("another");

  stage.list({other}, {.version = at(8)});

  EXPECT_THAT(stage.changes, ElementsAre("a:3/3"));
}

TEST(Store, AListThatBreaksOffLeavesNoTrace) {
  StoreFixture stage;
  stage.list({thing("a", 3)}, {.version = at(4)});
  stage.store.begin_list();
  stage.store.stage(thing("half", 5));
  stage.changes.clear();

  stage.list({thing("a", 3)}, {.version = at(6)});

  EXPECT_THAT(stage.changes, IsEmpty());
  EXPECT_FALSE(stage.store.get(key("half")));
}

TEST(Store, WhatAListCouldNotReadIsKept) {
  StoreFixture stage;
  stage.list({thing("a", 3), thing("unreadable", 2)}, {.version = at(4)});
  stage.changes.clear();

  stage.store.begin_list();
  stage.store.stage(thing("a", 3));
  stage.store.stage_unreadable({.key = key("unreadable"), .problem = "spec: wrong"});
  stage.store.finish_list({.version = at(6)});

  EXPECT_TRUE(stage.store.get(key("unreadable")));
  EXPECT_EQ(stage.store.unreadable(key("unreadable"))->problem, "spec: wrong");
  EXPECT_THAT(stage.store.unreadable_in("fleet"), IsEmpty()) << "an earlier state of it is known";
  EXPECT_THAT(stage.changes, IsEmpty());
}

TEST(Store, WhatCouldNeverBeReadIsNeitherThereNorMissing) {
  StoreFixture stage;
  stage.store.begin_list();
  stage.store.stage_unreadable({.key = key("a"), .problem = "spec: wrong"});
  const bool known_early = stage.store.unreadable(key("a")).has_value();
  stage.store.finish_list({.version = at(6)});
  stage.store.set_aside({.key = key("b"), .problem = "status: wrong"});

  EXPECT_FALSE(known_early) << "the list is not complete";
  EXPECT_FALSE(stage.store.get(key("a")));
  EXPECT_EQ(stage.store.unreadable(key("a"))->problem, "spec: wrong");
  EXPECT_EQ(stage.store.unreadable_in("fleet").size(), 2U);
  EXPECT_THAT(stage.store.unreadable_in("elsewhere"), IsEmpty());
  EXPECT_FALSE(stage.store.unreadable(key("c")));
  EXPECT_THAT(stage.changes, IsEmpty());
}

TEST(Store, WhatCanBeReadAgainOrIsGoneIsNotUnreadable) {
  StoreFixture stage;
  for (const auto* name : {"mended", "gone", "left out"})
    stage.store.set_aside({.key = key(name), .problem = "spec: wrong"});

  stage.store.apply(thing("mended", 5));
  stage.store.remove(key("gone"), at(6));
  const bool kept = stage.store.unreadable(key("left out")).has_value();
  stage.list({thing("mended", 5)}, {.version = at(7)});

  EXPECT_TRUE(kept);
  for (const auto* name : {"mended", "gone", "left out"})
    EXPECT_FALSE(stage.store.unreadable(key(name))) << name;
}

TEST(Store, AfterAListWithNamelessHolesAnyMissingObjectMayBeThere) {
  StoreFixture stage;

  stage.list({thing("a", 5)}, {.version = at(6), .keep_missing = true});
  const bool may_be = stage.store.unreadable(key("b")).has_value();
  const bool is_there = !stage.store.unreadable(key("a")).has_value();
  const auto doubts = stage.store.unreadable_in("fleet");
  stage.list({thing("a", 5)}, {.version = at(7)});

  EXPECT_TRUE(may_be);
  EXPECT_TRUE(is_there);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].key.name, "");
  EXPECT_TRUE(doubts[0].may_be_owned_by(api::Uid("anybody")));
  EXPECT_FALSE(stage.store.unreadable(key("b")));
}

TEST(Store, NothingIsMissingFromAListWithNamelessHoles) {
  StoreFixture stage;
  stage.list({thing("a", 3), thing("b", 2)}, {.version = at(4)});
  stage.changes.clear();

  stage.list({thing("a", 5)}, {.version = at(6), .keep_missing = true});

  EXPECT_THAT(stage.changes, ElementsAre("a:3/5"));
  EXPECT_TRUE(stage.store.get(key("b")));
}

TEST(Store, VersionsNeverFallUnlessHistoryWasSetBack) {
  StoreFixture stage;
  stage.list({}, {.version = at(9)});

  stage.store.advance(at(5));
  EXPECT_EQ(stage.store.version(), at(9));
  EXPECT_EQ(stage.store.epoch(), 0U);
  stage.list({}, {.version = at(5), .rewound = true});

  EXPECT_EQ(stage.store.version(), at(5));
  EXPECT_EQ(stage.store.epoch(), 1U);
}

TEST(Store, ALateSubscriberIsToldWhatIsThere) {
  StoreFixture stage;
  stage.list({thing("b", 2), thing("a", 1)}, {.version = at(3)});
  std::vector<std::string> changes;

  stage.store.subscribe([&](const Change<Thing>& change) { changes.push_back(describe(change)); });
  stage.store.apply(thing("a", 4));

  EXPECT_THAT(changes, ElementsAre("initial a:-/1", "initial b:-/2", "a:1/4"));
}

TEST(Store, AHandlerMayReadTheStore) {
  Store<Thing> store("Thing");
  std::size_t seen = 0;
  store.subscribe(
      [&](const Change<Thing>& change) { seen = store.get(key_of(change.object())) ? store.size() : 0; });

  store.apply(thing("a", 1));

  EXPECT_EQ(seen, 1U);
}

TEST(Store, LooksWithoutTheType) {
  StoreFixture stage;
  Thing going = thing("a", 5);
  going.metadata.deletion_timestamp = Time::from_unix(1);
  stage.store.apply(going);

  const Observed& observed = stage.store;

  ASSERT_TRUE(observed.look(key("a")));
  EXPECT_TRUE(observed.look(key("a"))->deleting);
  EXPECT_EQ(observed.look(key("a"))->version, at(5));
  EXPECT_FALSE(observed.look(key("b")));
}

}  // namespace
}  // namespace capstan::runtime
