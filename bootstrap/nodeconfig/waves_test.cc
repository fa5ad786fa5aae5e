#include "bootstrap/nodeconfig/waves.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "api/bootstrap/node_config_release.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

using api::bootstrap::is_released;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kChecksum(64, 'a');
const std::string kEarlier(64, 'b');
constexpr Time kBegin = Time::from_unix(1'000'000);
const std::string kAll = api::bootstrap::release_text(kChecksum, 0xffffffffU);

// A cluster whose Nodes have the earlier content, and are ready for long.
struct Nodes {
  std::vector<NodeFact> facts = {};
  ContentChange change = {.checksum = kChecksum, .since = kBegin};
  Time now = kBegin + Seconds(10);

  explicit Nodes(int count) {
    for (int i = 0; i < count; ++i)
      facts.push_back({.name = fmt::format("n{}", i),
                       .ready = true,
                       .ready_changed = kBegin + Seconds(-3600),
                       .applied = kEarlier});
  }
  Rollout look() {
    const Rollout rollout = roll_out(change, facts, now);
    if (rollout.release) change.released = *rollout.release;
    return rollout;
  }
  bool has(const NodeFact& node) const { return is_released(change.released, kChecksum, node.name); }
  std::size_t released() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(facts, [&](const NodeFact& node) { return has(node); }));
  }
  void apply_released() {
    for (NodeFact& node : facts)
      if (has(node)) node.applied = kChecksum;
  }
  NodeFact& first_released() {
    return *std::ranges::find_if(facts, [&](const auto& one) { return has(one); });
  }
  void add(std::string name, std::string applied) {
    facts.push_back(
        {.name = std::move(name), .ready = true, .ready_changed = kBegin, .applied = std::move(applied)});
  }
};

TEST(Waves, BeginWithOneNodeAndDouble) {
  Nodes nodes(20);
  std::vector<std::size_t> steps;
  for (int i = 0; i < 6; ++i) {
    nodes.look();
    steps.push_back(nodes.released());
    nodes.apply_released();
  }

  EXPECT_THAT(steps, ElementsAre(1U, 3U, 7U, 15U, 20U, 20U));
  EXPECT_EQ(nodes.change.released, kAll) << "Nodes that join from now on are born with it";
}

TEST(Waves, WaitForEachNodeThatHasIt) {
  Nodes nodes(7);
  nodes.look();
  nodes.apply_released();
  nodes.look();
  nodes.apply_released();
  nodes.first_released().applied = kEarlier;

  const Rollout rollout = nodes.look();

  EXPECT_EQ(nodes.released(), 3U);
  EXPECT_THAT(rollout.pending, ElementsAre(nodes.first_released().name));
  EXPECT_FALSE(rollout.stopped);
}

TEST(Waves, WaitForANodeThatIsNotReadyYet) {
  Nodes nodes(3);
  nodes.look();
  nodes.apply_released();
  nodes.first_released().ready = false;
  nodes.first_released().ready_changed = kBegin + Seconds(5);

  nodes.now = kBegin + Seconds(30);
  const Rollout soon = nodes.look();
  nodes.now = kBegin + Seconds(66);
  const Rollout later = nodes.look();

  EXPECT_FALSE(soon.stopped) << "a kubelet that starts again takes a moment";
  EXPECT_TRUE(later.stopped);
  EXPECT_EQ(nodes.released(), 1U);
  EXPECT_THAT(later.errors, ElementsAre(HasSubstr("NotReady since")));
}

TEST(Waves, StopAtAnErrorAndNameIt) {
  Nodes nodes(3);
  nodes.look();
  nodes.apply_released();
  const std::string name = nodes.first_released().name;
  nodes.first_released().error = "no space left";

  const Rollout rollout = nodes.look();

  EXPECT_TRUE(rollout.stopped);
  EXPECT_EQ(rollout.failed, 1U);
  EXPECT_THAT(rollout.errors, ElementsAre(name + ": no space left"));
  EXPECT_EQ(nodes.released(), 1U);
}

TEST(Waves, GoOnAsLongAsFewerFailThanMay) {
  Nodes nodes(7);
  nodes.change.max_failed = 2;
  nodes.look();
  nodes.apply_released();
  nodes.first_released().error = "no space left";

  EXPECT_FALSE(nodes.look().stopped);
  EXPECT_EQ(nodes.released(), 3U);
  nodes.apply_released();
  for (NodeFact& node : nodes.facts)
    if (nodes.has(node)) node.error = "no space left";

  EXPECT_TRUE(nodes.look().stopped);
  EXPECT_EQ(nodes.released(), 3U);
}

TEST(Waves, DoNotCountWhatWasWrongBefore) {
  Nodes nodes(1);
  nodes.facts.front().error = "of the earlier content";
  nodes.facts.front().ready = false;
  nodes.look();
  EXPECT_EQ(nodes.released(), 1U);

  nodes.apply_released();
  nodes.facts.front().error.clear();
  nodes.now = kBegin + Seconds(3600);
  const Rollout rollout = nodes.look();

  EXPECT_EQ(rollout.failed, 0U) << "NotReady since before the change";
  EXPECT_FALSE(rollout.complete());
}

TEST(Waves, StayStoppedWhenTheNodeRecoversHalfway) {
  Nodes nodes(3);
  nodes.look();
  nodes.apply_released();
  nodes.change.was_stopped = true;

  EXPECT_TRUE(nodes.look().stopped);
  EXPECT_EQ(nodes.released(), 1U);
}

TEST(Waves, AreOverWhenEachNodeHasIt) {
  Nodes nodes(2);
  for (NodeFact& node : nodes.facts) node.applied = kChecksum;
  nodes.change.was_stopped = true;

  const Rollout rollout = nodes.look();

  EXPECT_TRUE(rollout.complete());
  EXPECT_FALSE(rollout.stopped);
  EXPECT_EQ(nodes.change.released, kAll);
}

TEST(Waves, ReleaseAClusterWithoutNodesAtOnce) {
  Nodes nodes(0);

  EXPECT_TRUE(nodes.look().complete());
  EXPECT_EQ(nodes.change.released, kAll);
}

TEST(Waves, BeginAnewWithAnotherContent) {
  Nodes nodes(7);
  nodes.look();
  nodes.apply_released();
  nodes.look();

  nodes.change.checksum = kEarlier;
  const Rollout rollout = roll_out(nodes.change, nodes.facts, nodes.now);

  ASSERT_TRUE(rollout.release);
  EXPECT_THAT(*rollout.release, testing::StartsWith(kEarlier + " "));
  EXPECT_EQ(rollout.up_to_date, 6U) << "they have never left it";
}

TEST(Waves, CountANodeThatJoinsOnlyWhenItReports) {
  Nodes nodes(1);
  nodes.look();
  nodes.apply_released();
  nodes.look();
  nodes.add("joined", "");

  const Rollout before = nodes.look();
  nodes.facts.back().applied = kChecksum;
  const Rollout after = nodes.look();

  EXPECT_FALSE(before.complete());
  EXPECT_THAT(before.pending, ElementsAre("joined"));
  EXPECT_TRUE(after.complete());
  EXPECT_EQ(nodes.change.released, kAll);
}

TEST(Waves, CutALongErrorBetweenCharacters) {
  Nodes nodes(1);
  nodes.look();
  nodes.apply_released();
  nodes.facts.front().error = std::string(299, 'a') + "\u00e4\u00e4";

  const Rollout rollout = nodes.look();

  EXPECT_THAT(rollout.errors, ElementsAre("n0: " + std::string(299, 'a') + "..."));
  EXPECT_THAT(rollout.pending, IsEmpty());
}

}  // namespace
}  // namespace capstan::bootstrap::nodeconfig
