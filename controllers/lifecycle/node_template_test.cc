#include "controllers/lifecycle/node_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/node_template_rules.h"
#include "test/builders/node.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kMemory = "capstan.dev/node-template";

void put_entries(const std::vector<NodeChange::Entry>& entries, api::Labels& map) {
  for (const auto& [key, value] : entries) value ? map.set(key, *value) : map.erase(key);
}

struct Turn {
  api::Node node = {};  // after it
  NodeChange change = {};
  NodeTemplateMerge merge = {};
};
Turn turn(api::Node node, const api::PolicyNodeTemplate* wanted, NodeChange change = {}) {
  Turn made{.node = std::move(node), .change = std::move(change)};
  made.merge = merge_node_template(made.node, wanted, made.change);
  put_entries(made.change.labels, made.node.metadata.labels);
  put_entries(made.change.annotations, made.node.metadata.annotations);
  if (made.change.taints) made.node.spec.taints = *made.change.taints;
  return made;
}

api::PolicyNodeTemplate a_template() {
  return {.labels = {{"tier", "front"}},
          .annotations = {{"example.com/note", "mine"}},
          .taints = {{.key = "example.com/dedicated"_text, .value = "a"_text, .effect = "NoSchedule"_text}},
          .virtual_capacity = {{"example.com/licence", "4"}}};
}

void boot(api::Node& node, std::string_view id) {
  api::NodeSystemInfo system;
  system.boot_id = api::Uid(id);
  node.status.node_info = api::NodeInfo(system);
}

TEST(NodeTemplate, GivesWhatIsMissingAndRemembersIt) {
  const auto wanted = a_template();
  api::Node node = a_node("n1");
  boot(node, "b1");

  const Turn first = turn(node, &wanted);

  EXPECT_EQ(first.node.metadata.labels.value_or_empty("tier"), "front");
  EXPECT_EQ(first.node.metadata.annotations.value_or_empty("example.com/note"), "mine");
  ASSERT_EQ(first.node.spec.taints.size(), 1U);
  EXPECT_EQ(first.node.spec.taints.front().value, "a");
  EXPECT_THAT(first.change.capacity, ElementsAre(NodeChange::Entry("example.com/licence"_text, "4"_text)));
  EXPECT_EQ(first.node.metadata.annotations.value_or_empty(kMemory),
            R"({"labels":["tier"],"annotations":["example.com/note"],)"
            R"("taints":["example.com/dedicated:NoSchedule"],)"
            R"("virtualCapacity":{"example.com/licence":"4"},"bootID":"b1"})");
  EXPECT_EQ(first.merge, NodeTemplateMerge());
}

TEST(NodeTemplate, IsSilentOnceTheNodeHasIt) {
  const auto wanted = a_template();
  const Turn first = turn(a_node("n1"), &wanted);

  EXPECT_EQ(turn(first.node, &wanted).change, NodeChange());
  EXPECT_EQ(turn(a_node("n2"), nullptr).change, NodeChange());
}

TEST(NodeTemplate, ForcesItsKeysBackAndLeavesOthersAlone) {
  const auto wanted = a_template();
  api::Node node = turn(a_node("n1").labelled("mine", "yes"), &wanted).node;
  node.metadata.labels.set("tier", "back");
  node.metadata.annotations.erase("example.com/note");
  node.spec.taints.clear();

  const Turn next = turn(node, &wanted);

  EXPECT_EQ(next.node.metadata.labels.value_or_empty("tier"), "front");
  EXPECT_EQ(next.node.metadata.labels.value_or_empty("mine"), "yes");
  EXPECT_TRUE(next.node.metadata.annotations.contains("example.com/note"));
  EXPECT_EQ(next.node.spec.taints.size(), 1U);
}

TEST(NodeTemplate, TakesBackWhatIsWantedNoMore) {
  auto wanted = a_template();
  const api::Node node = turn(a_node("n1"), &wanted).node;
  wanted.labels = {{"zone", "x"}};
  wanted.taints.clear();
  wanted.virtual_capacity = {};

  const Turn next = turn(node, &wanted);

  EXPECT_FALSE(next.node.metadata.labels.contains("tier"));
  EXPECT_TRUE(next.node.metadata.labels.contains("zone"));
  EXPECT_TRUE(next.node.metadata.annotations.contains("example.com/note"));
  EXPECT_THAT(next.node.spec.taints, IsEmpty());
  EXPECT_THAT(next.change.capacity, ElementsAre(NodeChange::Entry("example.com/licence"_text, std::nullopt)));
}

TEST(NodeTemplate, GoesWithItsPolicyAndTakesNothingElse) {
  const auto wanted = a_template();
  const api::Node before = a_node("n1").labelled("mine", "yes").tainted("theirs", "NoExecute");
  const api::Node node = turn(before, &wanted).node;

  const Turn last = turn(node, nullptr);

  EXPECT_EQ(last.node, before);
}

// A taint that a kubelet or a user has put there keeps the time from which tolerations count.
TEST(NodeTemplate, KnowsATaintByItsKeyAndEffectAndKeepsItsTime) {
  const auto wanted = a_template();
  api::Node node = a_node("n1").tainted("example.com/dedicated", "NoSchedule", "b");
  node.spec.taints.front().time_added = builders::noon();
  node.spec.taints.push_back({.key = "example.com/dedicated"_text, .effect = "NoExecute"_text});

  const api::Node after = turn(node, &wanted).node;

  ASSERT_EQ(after.spec.taints.size(), 2U);
  EXPECT_EQ(after.spec.taints.front().value, "a");
  EXPECT_EQ(after.spec.taints.front().time_added, builders::noon());
  EXPECT_EQ(turn(after, &wanted).change, NodeChange());
  EXPECT_EQ(turn(after, nullptr).node.spec.taints.size(), 1U);
}

TEST(NodeTemplate, ReplacesAMemoryThatCantBeReadAndSaysSo) {
  const auto wanted = a_template();
  const api::Node node = a_node("n1").labelled("former", "x").annotated(kMemory, R"({"labels":"former"})");

  const Turn next = turn(node, &wanted);

  EXPECT_TRUE(next.merge.forgotten);
  EXPECT_TRUE(next.node.metadata.labels.contains("former"));
  EXPECT_FALSE(turn(next.node, &wanted).merge.forgotten);
  EXPECT_FALSE(turn(node, nullptr).node.metadata.annotations.contains(kMemory));
}

TEST(NodeTemplate, LeavesWhatTheMachineKeepsAndNamesIt) {
  const auto wanted = a_template();
  const api::Node node =
      a_node("n1")
          .labelled("tier", "machine's")
          .annotated("cluster.x-k8s.io/labels-from-machine", "other,tier")
          .annotated("cluster.x-k8s.io/taints-from-machine", "example.com/dedicated:NoSchedule");
  const NodeChange own{.annotations = {{"example.com/note"_text, "machine's"_text}}};

  const Turn next = turn(node, &wanted, own);

  EXPECT_EQ(next.node.metadata.labels.value_or_empty("tier"), "machine's");
  EXPECT_EQ(next.node.metadata.annotations.value_or_empty("example.com/note"), "machine's");
  EXPECT_THAT(next.node.spec.taints, IsEmpty());
  EXPECT_THAT(next.merge.kept, ElementsAre("label tier", "annotation example.com/note",
                                           "taint example.com/dedicated:NoSchedule"));
}

// The Machine takes a key over that the policy gave before: the policy forgets it.
TEST(NodeTemplate, NeverTakesBackWhatTheMachineKeepsByNow) {
  const auto wanted = a_template();
  api::Node node = turn(a_node("n1"), &wanted).node;
  node.metadata.annotations.set("cluster.x-k8s.io/labels-from-machine", "tier");

  const Turn last = turn(node, nullptr);

  EXPECT_EQ(last.node.metadata.labels.value_or_empty("tier"), "front");
  EXPECT_FALSE(last.node.metadata.annotations.contains(kMemory));
}

TEST(NodeTemplate, DoesNotFightForTheAutoscalersAnnotation) {
  const api::PolicyNodeTemplate wanted{
      .annotations = {{"cluster-autoscaler.kubernetes.io/scale-down-disabled", "false"}}};
  const api::Node node = a_node("n1")
                             .annotated("cluster-autoscaler.kubernetes.io/scale-down-disabled", "true")
                             .annotated("capstan.dev/scale-down-disabled", "true");

  EXPECT_EQ(turn(node, &wanted).change, NodeChange());
}

TEST(NodeTemplate, GivesCapacityOnceAndAgainAfterABoot) {
  const api::PolicyNodeTemplate wanted{.virtual_capacity = {{"example.com/licence", "4"}}};
  api::Node node = a_node("n1");
  boot(node, "b1");
  node = turn(node, &wanted).node;

  const Turn same_boot = turn(node, &wanted);
  boot(node, "b2");
  const Turn next_boot = turn(node, &wanted);

  EXPECT_THAT(same_boot.change.capacity, IsEmpty());
  EXPECT_THAT(next_boot.change.capacity,
              ElementsAre(NodeChange::Entry("example.com/licence"_text, "4"_text)));
}

TEST(NodeTemplateRules, RefuseKeysOfClusterApiAndWhatANodeCantHave) {
  const api::PolicyNodeTemplate wanted{
      .labels = {{"node.cluster.x-k8s.io/role", "a"}, {"mycluster.x-k8s.io/role", "a"}, {"tier", "not so!"}},
      .annotations = {{"cluster.x-k8s.io/machine", "m9"}, {"capstan.dev/preserve", "now"}},
      .taints = {{.key = "node.cluster.x-k8s.io/uninitialized"_text, .effect = "NoSchedule"_text}},
      .virtual_capacity = {{"cpu", "4"}, {"example.com/licence", "0.5"}, {"example.com/seat", "4Ki"}}};

  EXPECT_THAT(faults_of(wanted),
              ElementsAre("label node.cluster.x-k8s.io/role is kept by Cluster API",
                          HasSubstr("label tier has no valid value: "),
                          "annotation capstan.dev/preserve is kept by Capstan",
                          "annotation cluster.x-k8s.io/machine is kept by Cluster API",
                          "taint node.cluster.x-k8s.io/uninitialized is kept by Cluster API",
                          "resource cpu is no extended resource: kubelets report it",
                          "resource example.com/licence has no whole number as its quantity"));
}

// machine-controller-manager's command would have every Machine replaced.
TEST(NodeTemplateRules, RefuseCommandsForOneMachine) {
  const api::PolicyNodeTemplate wanted{
      .annotations = {{"node.machine.sapcloud.io/trigger-deletion-by-mcm", "true"}}};

  EXPECT_THAT(faults_of(wanted), ElementsAre("annotation node.machine.sapcloud.io/trigger-deletion-by-mcm is "
                                             "kept by machine-controller-manager"));
}

// The Machine would never be Running, and be replaced at each creation timeout.
TEST(NodeTemplateRules, RefuseATaintThatANodeHasToLoseFirst) {
  api::MachineLifecyclePolicySpec policy{.node_template = a_template()};
  policy.node_template->taints.push_back(
      {.key = "node.gardener.cloud/critical-components-not-ready"_text, .effect = "NoSchedule"_text});
  EXPECT_THAT(faults_of(*policy.node_template, taints_to_lose(policy)), testing::IsEmpty());

  policy.health.node_checks.emplace();
  const TaintsToLose to_lose = taints_to_lose(policy);
  EXPECT_THAT(faults_of(*policy.node_template, to_lose),
              ElementsAre(HasSubstr("requireTaintsGone names it")));
  NodeChange change;
  merge_node_template(a_node("n1"), &*policy.node_template, change, to_lose);
  ASSERT_TRUE(change.taints);
  EXPECT_EQ(change.taints->size(), 1U) << "the other one is given";
}

TEST(NodeTemplateRules, KeepARefusedKeyFromTheNodeAndGiveTheRest) {
  const api::PolicyNodeTemplate wanted{.labels = {{"cluster.x-k8s.io/role", "a"}, {"tier", "front"}}};

  const api::Node after = turn(a_node("n1"), &wanted).node;

  EXPECT_FALSE(after.metadata.labels.contains("cluster.x-k8s.io/role"));
  EXPECT_TRUE(after.metadata.labels.contains("tier"));
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
