#include "controllers/machine/node_sync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_machine;
using builders::a_node;
using testing::ElementsAre;
using testing::IsEmpty;

struct Wish {
  api::Machine machine = a_machine("m1").in_set("ms1");
  api::Node node = a_node("m1");
  NodeSyncRules rules = {};
  bool interruptible = false;
  std::optional<bool> outdated = false;

  NodeSync sync() const {
    return {.node = node,
            .machine = machine,
            .rules = rules,
            .interruptible = interruptible,
            .outdated = outdated};
  }
  std::optional<NodeChange> change() const { return node_change(sync()); }
};

std::vector<std::string> entries(const std::vector<NodeChange::Entry>& all) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : all) lines.push_back(key.str() + (value ? "=" + value->str() : " goes"));
  return lines;
}

std::vector<std::string> taints(const NodeChange& change) {
  std::vector<std::string> lines;
  for (const auto& taint : change.taints.value()) {
    lines.push_back(taint.key.str() + "=" + taint.value.str() + ":" + taint.effect.str());
  }
  return lines;
}

void apply(const NodeChange& change, api::Node& node) {
  const auto apply_to = [](const std::vector<NodeChange::Entry>& entries_of_map, api::TextMap& map) {
    for (const auto& [key, value] : entries_of_map) value ? map.set(key, *value) : map.erase(key);
  };
  apply_to(change.labels, node.metadata.labels);
  apply_to(change.annotations, node.metadata.annotations);
  if (change.taints) node.spec.taints = *change.taints;
}

// The Node as it is after the first sync of that wish.
Wish synced(Wish wish) {
  if (const auto change = wish.change()) apply(*change, wish.node);
  return wish;
}

TEST(NodeSync, WritesWhereTheNodeBelongsAndWhatItRemembers) {
  const Wish wish;

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->annotations),
              ElementsAre("cluster.x-k8s.io/cluster-name=c1", "cluster.x-k8s.io/cluster-namespace=default",
                          "cluster.x-k8s.io/machine=m1", "cluster.x-k8s.io/owner-kind=MachineSet",
                          "cluster.x-k8s.io/owner-name=ms1", "cluster.x-k8s.io/annotations-from-machine=",
                          "cluster.x-k8s.io/labels-from-machine="));
  EXPECT_THAT(change->labels, IsEmpty());
  EXPECT_FALSE(change->taints);
}

TEST(NodeSync, IsSilentOnceTheNodeIsAsWanted) {
  const Wish wish = synced({});

  EXPECT_EQ(wish.change(), std::nullopt);
}

TEST(NodeSync, IsSilentForAMachineNobodyControls) {
  Wish wish;
  wish.machine = a_machine("m1");

  EXPECT_EQ(synced(wish).change(), std::nullopt);
}

TEST(NodeSync, CopiesLabelsOfItsDomainsOnly) {
  Wish wish = synced({});
  wish.machine = a_machine("m1")
                     .in_set("ms1")
                     .labelled("node-role.kubernetes.io/worker")
                     .labelled("x.node-role.kubernetes.io/no", "1")
                     .labelled("node-restriction.kubernetes.io/a", "1")
                     .labelled("team.node-restriction.kubernetes.io/b", "2")
                     .labelled("node.cluster.x-k8s.io/c", "3")
                     .labelled("notnode.cluster.x-k8s.io/no", "1")
                     .labelled("cluster.x-k8s.io", "no")
                     .labelled("mine", "no");

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->labels),
              ElementsAre("node-restriction.kubernetes.io/a=1", "node-role.kubernetes.io/worker=",
                          "node.cluster.x-k8s.io/c=3", "team.node-restriction.kubernetes.io/b=2"));
  EXPECT_THAT(entries(change->annotations),
              ElementsAre("cluster.x-k8s.io/labels-from-machine=node-restriction.kubernetes.io/a,"
                          "node-role.kubernetes.io/worker,node.cluster.x-k8s.io/c,"
                          "team.node-restriction.kubernetes.io/b"));
}

// A key without a slash is its own domain to upstream.
TEST(NodeSync, CopiesLabelsThatAreNamedLikeADomain) {
  Wish wish = synced({});
  wish.machine = a_machine("m1")
                     .in_set("ms1")
                     .labelled("node-role.kubernetes.io", "0")
                     .labelled("node-restriction.kubernetes.io", "1")
                     .labelled("team.node-restriction.kubernetes.io", "2")
                     .labelled("node.cluster.x-k8s.io", "3")
                     .labelled("notnode.cluster.x-k8s.io", "no")
                     .with([](api::Machine& machine) {
                       machine.metadata.annotations.set("node.cluster.x-k8s.io"_text, "4"_text);
                     });

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->labels),
              ElementsAre("node-restriction.kubernetes.io=1", "node-role.kubernetes.io=0",
                          "node.cluster.x-k8s.io=3", "team.node-restriction.kubernetes.io=2"));
  EXPECT_THAT(entries(change->annotations), testing::Contains("node.cluster.x-k8s.io=4"));
}

TEST(NodeSync, DoesForAMachineOfAPoolWhatItDoesForAnyOther) {
  Wish wish;
  wish.machine =
      a_machine("m1").in_pool("mp1").labelled("node.cluster.x-k8s.io/tier", "front").labelled("mine", "no");
  wish.node = a_node("m1").tainted("node.cluster.x-k8s.io/uninitialized", "NoSchedule");

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->labels), ElementsAre("node.cluster.x-k8s.io/tier=front"));
  EXPECT_THAT(entries(change->annotations),
              ElementsAre("cluster.x-k8s.io/cluster-name=c1", "cluster.x-k8s.io/cluster-namespace=default",
                          "cluster.x-k8s.io/machine=m1", "cluster.x-k8s.io/owner-kind=MachinePool",
                          "cluster.x-k8s.io/owner-name=mp1", "cluster.x-k8s.io/annotations-from-machine=",
                          "cluster.x-k8s.io/labels-from-machine=node.cluster.x-k8s.io/tier"));
  EXPECT_THAT(taints(*change), IsEmpty());
}

TEST(NodeSync, CopiesWhatTheFlagsName) {
  Wish wish = synced({});
  wish.rules.labels = KeyPatterns::parse("^mine$,example\\.com/.*").value();
  wish.rules.annotations = KeyPatterns::parse("note").value();
  wish.machine = a_machine("m1")
                     .in_set("ms1")
                     .labelled("mine", "1")
                     .labelled("notmine", "1")
                     .labelled("example.com/a", "2")
                     .annotated("a-note-to-all", "hello")
                     .annotated("other", "no");

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->labels), ElementsAre("example.com/a=2", "mine=1"));
  EXPECT_THAT(entries(change->annotations),
              ElementsAre("a-note-to-all=hello", "cluster.x-k8s.io/annotations-from-machine=a-note-to-all",
                          "cluster.x-k8s.io/labels-from-machine=example.com/a,mine"));
}

TEST(NodeSync, TakesAwayWhatCameFromTheMachineAndNothingElse) {
  Wish wish;
  wish.machine = a_machine("m1")
                     .in_set("ms1")
                     .labelled("node.cluster.x-k8s.io/a", "1")
                     .annotated("node.cluster.x-k8s.io/note", "x");
  wish.node = a_node("m1").labelled("node.cluster.x-k8s.io/somebody-elses", "1");
  wish = synced(wish);
  wish.machine = a_machine("m1").in_set("ms1");

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->labels), ElementsAre("node.cluster.x-k8s.io/a goes"));
  EXPECT_THAT(entries(change->annotations),
              ElementsAre("node.cluster.x-k8s.io/note goes", "cluster.x-k8s.io/annotations-from-machine=",
                          "cluster.x-k8s.io/labels-from-machine="));
}

TEST(NodeSync, OwnerAnnotationsGoWithTheController) {
  Wish wish = synced({});
  wish.machine = a_machine("m1");

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->annotations),
              ElementsAre("cluster.x-k8s.io/owner-kind goes", "cluster.x-k8s.io/owner-name goes"));
}

TEST(NodeSync, BookkeepingAloneIsNoReasonToWrite) {
  Wish wish = synced({});
  wish.node.metadata.annotations.set("cluster.x-k8s.io/labels-from-machine", "long-gone");

  EXPECT_EQ(wish.change(), std::nullopt);
}

TEST(NodeSync, MarksAnInterruptibleNodeOnce) {
  Wish wish = synced({});
  wish.interruptible = true;

  const auto change = wish.change();
  const Wish again = synced(wish);

  ASSERT_TRUE(change);
  EXPECT_THAT(entries(change->labels), ElementsAre("cluster.x-k8s.io/interruptible="));
  EXPECT_TRUE(became_interruptible(wish.sync()));
  EXPECT_EQ(again.change(), std::nullopt);
  EXPECT_FALSE(became_interruptible(again.sync()));
}

TEST(NodeSync, LiftsTheUninitializedTaintAndKeepsTheOthers) {
  Wish wish = synced({});
  wish.node.spec.taints = a_node()
                              .tainted("node.cluster.x-k8s.io/uninitialized", "NoSchedule")
                              .tainted("node.cluster.x-k8s.io/uninitialized", "NoExecute")
                              .tainted("dedicated", "NoSchedule", "gpu")
                              .build()
                              .spec.taints;

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(taints(*change),
              ElementsAre("node.cluster.x-k8s.io/uninitialized=:NoExecute", "dedicated=gpu:NoSchedule"));
}

TEST(NodeSync, OutdatedTaintComesAndGoes) {
  Wish wish = synced({});
  wish.outdated = true;

  const auto comes = wish.change();
  wish = synced(wish);
  const bool stays = !wish.change();
  wish.outdated = false;
  const auto goes = wish.change();

  ASSERT_TRUE(comes);
  EXPECT_THAT(taints(*comes), ElementsAre("node.cluster.x-k8s.io/outdated-revision=:PreferNoSchedule"));
  EXPECT_TRUE(stays);
  ASSERT_TRUE(goes);
  EXPECT_THAT(taints(*goes), IsEmpty());
}

TEST(NodeSync, OutdatedTaintStaysAsItIsWhileNobodyKnows) {
  Wish wish = synced({.outdated = true});
  wish.outdated = std::nullopt;

  EXPECT_EQ(wish.change(), std::nullopt);
}

TEST(NodeSync, MachineTaintsNeedTheirGate) {
  Wish wish = synced({});
  wish.machine.spec.taints = {{.key = "a"_text, .effect = "NoSchedule"_text, .propagation = "Always"_text}};

  EXPECT_EQ(wish.change(), std::nullopt);
}

TEST(NodeSync, AlwaysTaintsAreKeptAndTheOthersSetOnce) {
  Wish wish;
  wish.rules.taints = true;
  wish.machine.spec.taints = {
      {.key = "always"_text, .value = "1"_text, .effect = "NoSchedule"_text, .propagation = "Always"_text},
      {.key = "once"_text, .effect = "NoSchedule"_text, .propagation = "OnInitialization"_text}};

  const auto first = wish.change();
  wish = synced(wish);
  wish.node.spec.taints = {};
  const auto later = wish.change();

  ASSERT_TRUE(first);
  EXPECT_THAT(taints(*first), ElementsAre("always=1:NoSchedule", "once=:NoSchedule"));
  EXPECT_EQ(wish.node.metadata.annotations.value_or_empty("cluster.x-k8s.io/taints-from-machine"),
            "always:NoSchedule");
  ASSERT_TRUE(later);
  EXPECT_THAT(taints(*later), ElementsAre("always=1:NoSchedule"));
}

TEST(NodeSync, TaintsThatAreNoLongerWantedGoUnlessTheyAreWantedOnce) {
  Wish wish;
  wish.rules.taints = true;
  wish.machine.spec.taints = {{.key = "a"_text, .effect = "NoSchedule"_text, .propagation = "Always"_text},
                              {.key = "b"_text, .effect = "NoSchedule"_text, .propagation = "Always"_text}};
  wish = synced(wish);
  wish.machine.spec.taints = {
      {.key = "b"_text, .effect = "NoSchedule"_text, .propagation = "OnInitialization"_text}};

  const auto change = wish.change();

  ASSERT_TRUE(change);
  EXPECT_THAT(taints(*change), ElementsAre("b=:NoSchedule"));
}

TEST(Outdated, ComparesRevisionsAndTakesAMissingOneForTheFirst) {
  const auto revision = [](std::string_view text) {
    return api::TextMap{{"machinedeployment.clusters.x-k8s.io/revision", text}};
  };

  EXPECT_EQ(is_outdated(revision("1"), revision("2")), true);
  EXPECT_EQ(is_outdated(revision("10"), revision("9")), false);
  EXPECT_EQ(is_outdated({}, revision("1")), true);
  EXPECT_EQ(is_outdated(revision("2"), {}), false);
}

TEST(Outdated, DoesNotGuessFromARevisionThatIsNoNumber) {
  const api::TextMap one = {{"machinedeployment.clusters.x-k8s.io/revision", "1"}};
  const api::TextMap empty = {{"machinedeployment.clusters.x-k8s.io/revision", ""}};

  EXPECT_EQ(is_outdated(one, empty), std::nullopt);
  EXPECT_EQ(is_outdated(empty, one), std::nullopt);
}

TEST(KeyPatterns, RefuseWhatIsNoExpression) {
  EXPECT_FALSE(KeyPatterns::parse("fine,(broken"));
  EXPECT_TRUE(KeyPatterns::parse(""));
  EXPECT_FALSE(KeyPatterns::parse("").value().match("anything"));
}

}  // namespace
}  // namespace capstan::controllers::machine
