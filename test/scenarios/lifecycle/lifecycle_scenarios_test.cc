// Every story of the life of Machines against its file, and in some other orders of events against its
// promise; and each safeguard of a life cycle taken away, which some story has to notice.
// lifecycle_scenarios_test --write writes the files anew; review them like code. With --orders 100 each story
// is played in a hundred orders, which takes a quarter of an hour (.ci/run orders).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/safeguards.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/scenarios/lifecycle/lifecycle_stories.h"
#include "test/scenarios/storybook.h"

namespace capstan::scenarios {

// What googletest prints of a parameter.
void PrintTo(const LifecycleStory& story, std::ostream* out) { *out << story.name; }

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kOrders = 8;

struct LifecycleTelling {
  std::string text = {};
  std::string broken = {};
  std::vector<std::string> written = {};
};

LifecycleTelling tell(const LifecycleStory& story, std::uint64_t seed) {
  LifecycleTelling telling;
  fakes::Baton baton({.seed = seed});
  const auto report = baton.run([&] {
    LifecycleWorld world(baton, story);
    world.run();
    telling.text = story.title + "\n\n";
    for (const auto& line : world.log()) telling.text += line + "\n";
    if (story.broken) telling.broken = story.broken(world);
    telling.written = world.written();
  });
  if (!report.finished()) telling.broken = report.why;
  return telling;
}

class LifecycleStories : public testing::TestWithParam<LifecycleStory> {};

TEST_P(LifecycleStories, IsToldAsInItsFile) {
  const LifecycleStory& story = GetParam();

  const LifecycleTelling telling = tell(story, 1);

  EXPECT_EQ(telling.broken, "") << telling.text;
  expect_told(std::filesystem::path(CAPSTAN_LIFECYCLE_STORIES) / (story.name + ".txt"), telling.text);
}

TEST_P(LifecycleStories, KeepsItsPromiseInAnyOrder) {
  for (std::uint64_t seed = 2; seed <= orders_to_play(kOrders); ++seed) {
    const LifecycleTelling telling = tell(GetParam(), seed);
    ASSERT_EQ(telling.broken, "") << "seed " << seed << "\n" << telling.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LifecycleStories, testing::ValuesIn(lifecycle_stories()),
                         test_name<LifecycleStory>);

TEST(LifecycleStoryFiles, BelongToAStoryEach) {
  expect_a_file_each(CAPSTAN_LIFECYCLE_STORIES, names_of(lifecycle_stories()));
}

LifecycleStory named(std::string_view name) {
  const auto stories = lifecycle_stories();
  return *std::ranges::find(stories, name, &LifecycleStory::name);
}

#ifdef CAPSTAN_DEFECTS

struct Mutant {
  Safeguard without = {};
  std::string name = {};  // of the story that breaks its promise then
};

class LifecycleMutants : public testing::TestWithParam<Mutant> {};

TEST_P(LifecycleMutants, IsNoticedByItsStory) {
  switch_off(GetParam().without);
  const LifecycleTelling telling = tell(named(GetParam().name), 1);
  switch_off(std::nullopt);

  EXPECT_NE(telling.broken, "") << telling.text;
}

INSTANTIATE_TEST_SUITE_P(All, LifecycleMutants,
                         testing::Values(Mutant{Safeguard::ReplacementLimit, "one-at-a-time"},
                                         Mutant{Safeguard::PolicyContact, "cluster-lost-for-an-hour"},
                                         Mutant{Safeguard::DrainedOnce, "preserved-node-is-drained-once"},
                                         Mutant{Safeguard::SlowStart, "bad-image-costs-one-machine"},
                                         Mutant{Safeguard::RevisionHistory, "rolled-back"},
                                         Mutant{Safeguard::LostNode, "node-overlooked"},
                                         Mutant{Safeguard::Preservation, "preserved-when-it-fails"},
                                         Mutant{Safeguard::FleetLimits, "fleet-limit-over-two-clusters"},
                                         Mutant{Safeguard::Freeze, "frozen-in-the-middle-of-a-rollout"},
                                         Mutant{Safeguard::Freeze, "too-many-machines-freeze"},
                                         Mutant{Safeguard::Ceiling, "labels-renamed"},
                                         Mutant{Safeguard::Ceiling, "selector-loses-its-set"},
                                         Mutant{Safeguard::ApiLoss, "api-away-for-half-an-hour"},
                                         Mutant{Safeguard::ApiLoss, "user-deletes-before-the-first-contact"},
                                         Mutant{Safeguard::ApiLoss, "user-deletes-while-watches-are-broken"},
                                         Mutant{Safeguard::ApiLoss, "watches-break-before-the-window"},
                                         Mutant{Safeguard::Windows, "window-opens-at-night"},
                                         Mutant{Safeguard::DeletionGuard, "guard-wants-its-own-list"},
                                         Mutant{Safeguard::UpdateLimit, "updated-one-after-the-other"},
                                         Mutant{Safeguard::UpdateFailure, "update-fails"},
                                         Mutant{Safeguard::UpdateTemplates, "infrastructure-change-rolls"},
                                         Mutant{Safeguard::HandOver, "bootstrap-changes-in-place"},
                                         Mutant{Safeguard::OneCount, "beside-a-health-check"},
                                         Mutant{Safeguard::Recreate, "recreated"},
                                         Mutant{Safeguard::Exhaustion, "no-room-for-another-machine"},
                                         Mutant{Safeguard::UsersScaleDown, "autoscaler-was-kept-off-before"},
                                         Mutant{Safeguard::NodeTemplateMemory,
                                                "node-template-goes-with-its-policy"}),
                         test_name<Mutant>);

#endif

// --- a manager that dies ---

// Between any two of its writes, to either cluster. The story ends as it would have. Returns how many writes
// there were to die with.
int die_with_each_write(const LifecycleStory& as_told) {
  int number = 1;
  for (bool died = true; died; ++number) {
    LifecycleStory story = as_told;
    story.acts.insert(story.acts.begin(), {5s, "the manager dies soon",
                                           [&](LifecycleWorld& world) { world.die_with_write(number); }});
    story.broken = [&, promise = story.broken](const LifecycleWorld& world) {
      died = world.died();
      return promise(world);
    };
    const LifecycleTelling telling = tell(story, 1);
    EXPECT_EQ(telling.broken, "") << "write " << number << "\n" << telling.text;
    if (!telling.broken.empty()) break;
  }
  return number;
}

TEST(LifecycleCrashes, AnUpdateInPlaceGoesOnAfterTheManagerDiedAtAnyWrite) {
  LifecycleStory story = named("updated-one-after-the-other");
  story.length = 140s;  // twice as long as it takes

  EXPECT_GT(die_with_each_write(story), 20);
}

TEST(LifecycleCrashes, APreservedNodeIsDrainedOnceAlthoughTheManagerDiedAtAnyWrite) {
  EXPECT_GT(die_with_each_write(named("preserved-node-is-drained-once")), 5);
}

TEST(LifecycleCrashes, APreservationEndsAlthoughTheManagerDiedAtAnyWrite) {
  EXPECT_GT(die_with_each_write(named("preserved-and-well-again")), 5);
}

TEST(LifecycleCrashes, ARollbackEndsAlthoughTheManagerDiedAtAnyWrite) {
  EXPECT_GT(die_with_each_write(named("rolled-back")), 20);
}

// --- what a policy costs ---

std::ptrdiff_t writes_to_machines(const std::vector<std::string>& written) {
  return std::ranges::count(written, "patch Machine");
}

TEST(LifecycleCosts, AReplacementTakesTwoMoreWritesToMachinesThanADeletionByHand) {
  LifecycleStory by_policy = named("unhealthy-machine-is-replaced");
  LifecycleStory by_hand = by_policy;
  by_hand.policy.reset();
  by_hand.acts.push_back({130s, "a user deletes m2", [](LifecycleWorld& world) { world.delete_machine(2); }});

  const auto with_policy = writes_to_machines(tell(by_policy, 1).written);
  const auto without = writes_to_machines(tell(by_hand, 1).written);

  EXPECT_LE(with_policy, without + 2);
}

// The policies that stood before there was a life cycle.
TEST(LifecycleCosts, APolicyThatAsksForNoLifeCycleChangesNoWrite) {
  LifecycleStory without = named("unhealthy-machine-is-replaced");
  without.policy.reset();
  LifecycleStory with = without;
  with.policy = builders::a_policy("care").selecting("team", "a").shared_cause().drains_machine_pools();

  std::vector<std::string> of_policy = tell(with, 1).written;
  std::erase(of_policy, "patch MachineLifecyclePolicy");

  EXPECT_EQ(of_policy, tell(without, 1).written);
}

}  // namespace
}  // namespace capstan::scenarios
