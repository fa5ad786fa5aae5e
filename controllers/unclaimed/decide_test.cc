#include "controllers/unclaimed/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/aliases.h"
#include "test/builders/node.h"

namespace capstan::controllers::unclaimed {
namespace {

using builders::a_node;
using builders::NodeBuilder;
using builders::noon;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kMark = "capstan.dev/not-managed";

NodeBuilder old_node() { return a_node("n1").created(noon()).provider_id("docker:////n1"); }

Observation of_a_governed_cluster(const NodeBuilder& node) {
  return {.now = noon() + Seconds(1200),
          .patience = Seconds(1200),
          .governed = true,
          .nodes = {NodeSeen{.node = node.shared()}}};
}
std::vector<std::string> marks(const Observation& seen) {
  std::vector<std::string> words;
  for (const NodeMark& mark : decide(seen).marks) words.push_back(mark.why);
  return words;
}

TEST(UnclaimedNodes, AreMarkedWithTheReasonWhenTheyAreOldEnough) {
  Observation seen = of_a_governed_cluster(old_node());
  EXPECT_THAT(marks(seen), ElementsAre("no Machine and no MachinePool has the providerID docker:////n1"));

  seen.now = noon() + Seconds(1190);

  EXPECT_THAT(marks(seen), IsEmpty());
  EXPECT_EQ(decide(seen).recheck, Seconds(10));
}

TEST(UnclaimedNodes, AreCalledStaleWhenAMachineOnlySharesTheirName) {
  Observation seen = of_a_governed_cluster(old_node());
  seen.nodes.front().namesake = "Machine m1";

  EXPECT_THAT(
      marks(seen),
      ElementsAre("stale: Machine m1 goes by its name, and has another providerID than docker:////n1"));
}

TEST(UnclaimedNodes, LoseTheMarkOnceTheyAreClaimedAndWithThePolicy) {
  Observation seen = of_a_governed_cluster(old_node().annotated(kMark, "why"));
  seen.nodes.front().claimed = true;
  EXPECT_THAT(marks(seen), ElementsAre(""));

  seen.nodes.front().claimed = false;
  seen.governed = false;

  EXPECT_THAT(marks(seen), ElementsAre(""));
}

TEST(UnclaimedNodes, ThatMcmHasMarkedAreMarkedAtOnceAndLoseBothMarks) {
  constexpr std::string_view kTheirs = "node.machine.sapcloud.io/not-managed-by-mcm";
  Observation seen = of_a_governed_cluster(old_node().annotated(kTheirs, "1"));
  seen.now = noon() + Seconds(1);
  EXPECT_THAT(marks(seen), IsEmpty()) << "without --mcm-aliases";

  lifecycle::accept_mcm_aliases(true);
  EXPECT_EQ(marks(seen).size(), 1U);
  seen.nodes.front().claimed = true;
  const Plan claimed = decide(seen);
  lifecycle::accept_mcm_aliases(false);

  ASSERT_EQ(claimed.marks.size(), 1U);
  EXPECT_EQ(claimed.marks.front().why, "");
  EXPECT_TRUE(claimed.marks.front().by_mcm);
}

TEST(UnclaimedNodes, AreWrittenToOnceAndNotAtAllWithoutAPolicy) {
  const std::string why = marks(of_a_governed_cluster(old_node())).front();
  Observation ungoverned = of_a_governed_cluster(old_node());
  ungoverned.governed = false;

  EXPECT_THAT(marks(of_a_governed_cluster(old_node().annotated(kMark, why))), IsEmpty());
  EXPECT_THAT(marks(ungoverned), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::unclaimed
