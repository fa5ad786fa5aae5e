#include "controllers/rollout/recreate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::controllers::rollout {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SetCounts a_set(std::string name, Count spec, Count status) {
  return {.name = std::move(name), .spec = spec, .status = status, .available = status};
}

// Three replicas are wanted, and no surge is allowed.
Fleet fleet(const SetCounts& newest, const SetCounts& old) {
  return {.limits = {.desired = 3}, .newest = newest, .old = {old}};
}

std::vector<std::string> planned(const Fleet& fleet) {
  std::vector<std::string> texts;
  for (const Intent& intent : plan_recreate(fleet).intents)
    texts.push_back(fmt::format("{} {}", intent.set, intent.replicas));
  return texts;
}

TEST(Recreate, TheLastOldMachineIsGoneBeforeTheFirstNewOneIsMade) {
  EXPECT_THAT(planned(fleet(a_set("N", 0, 0), a_set("O", 3, 3))), ElementsAre("O 0"));
  EXPECT_THAT(planned(fleet(a_set("N", 0, 0), a_set("O", 0, 1))), IsEmpty());
  EXPECT_THAT(planned(fleet(a_set("N", 0, 0), a_set("O", 0, 0))), ElementsAre("N 3"));
  EXPECT_THAT(planned(fleet(a_set("N", 3, 0), a_set("O", 0, 0))), IsEmpty());
}

// Its controller may be about to make one more.
TEST(Recreate, WaitsForAnOldSetThatHasNotSeenItsSize) {
  auto old = a_set("O", 0, 0);
  old.settled = false;

  EXPECT_THAT(planned(fleet(a_set("N", 0, 0), old)), IsEmpty());
}

TEST(Recreate, GoingBackHalfWayGrowsTheSetOnceTheOthersAreGone) {
  EXPECT_THAT(planned(fleet(a_set("N", 1, 1), a_set("O", 2, 2))), ElementsAre("O 0"));
  EXPECT_THAT(planned(fleet(a_set("N", 1, 1), a_set("O", 0, 0))), ElementsAre("N 3"));
}

TEST(Recreate, FewerReplicasWaitForNothing) {
  EXPECT_THAT(planned(fleet(a_set("N", 5, 5), a_set("O", 0, 1))), ElementsAre("N 3"));
}

TEST(Recreate, IsBetweenOldAndNewWhileTheLastOldMachinesGo) {
  EXPECT_FALSE(is_between(fleet(a_set("N", 0, 0), a_set("O", 3, 3))));
  EXPECT_TRUE(is_between(fleet(a_set("N", 0, 0), a_set("O", 0, 1))));
  EXPECT_FALSE(is_between(fleet(a_set("N", 0, 0), a_set("O", 0, 0))));
}

}  // namespace
}  // namespace capstan::controllers::rollout
