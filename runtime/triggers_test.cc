#include "runtime/triggers.h"

#include <gmock/gmock.h>

#include "api/meta/object_meta.h"
#include "test/fakes/fake_clock.h"

namespace capstan::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Thing {
  api::ObjectMeta metadata = {};
};

api::OwnerReference owner(std::string_view api_version, std::string_view kind, std::string_view name) {
  return {.api_version = Text(api_version), .kind = Text(kind), .name = Text(name)};
}

Snapshot<Thing> thing(std::vector<api::OwnerReference> owners) {
  Thing made;
  made.metadata.namespace_ = "fleet"_text;
  made.metadata.name = "a"_text;
  made.metadata.owner_references = api::OwnerReferences(std::move(owners));
  return std::make_shared<const Thing>(made);
}

ObjectKey key(std::string name) { return {.namespace_ = "fleet", .name = std::move(name)}; }

TEST(Triggers, OwnersAreFoundWhateverTheirApiVersion) {
  const Change<Thing> change{.after = thing({owner("g/v1", "Set", "x"), owner("g/v9", "Set", "y")})};

  EXPECT_THAT(owners_of_kind(change, "g", "Set"), ElementsAre(key("x"), key("y")));
}

TEST(Triggers, OwnersOfOtherKindsAndGroupsAreNot) {
  const Change<Thing> change{.after = thing({owner("g/v1", "Pool", "x"), owner("h/v1", "Set", "y")})};

  EXPECT_THAT(owners_of_kind(change, "g", "Set"), IsEmpty());
}

TEST(Triggers, AChildThatChangesHandsTellsBothOwners) {
  const Change<Thing> change{.before = thing({owner("g/v1", "Set", "old")}),
                             .after = thing({owner("g/v1", "Set", "new")})};

  EXPECT_THAT(owners_of_kind(change, "g", "Set"), ElementsAre(key("old"), key("new")));
}

TEST(Triggers, AChildThatIsGoneTellsItsOwner) {
  const Change<Thing> change{.before = thing({owner("g/v1", "Set", "x")})};

  EXPECT_THAT(owners_of_kind(change, "g", "Set"), ElementsAre(key("x")));
}

TEST(Triggers, AFirstListStandsBehindWhatHappensNow) {
  fakes::FakeClock clock;
  Queue queue(clock, clock, {});
  Store<Thing> store("Thing");
  trigger_self(store, queue);

  store.begin_list();
  store.stage(*thing({}));
  store.finish_list({});
  const auto listed = queue.take(Deadline::in(clock, Nanoseconds(0)));
  ASSERT_TRUE(listed);
  queue.finish(listed->key, {});
  store.remove(key("a"), {});
  const auto gone = queue.take(Deadline::in(clock, Nanoseconds(0)));

  EXPECT_EQ(listed->priority, Priority::Low);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->priority, Priority::Normal);
}

}  // namespace
}  // namespace capstan::runtime
