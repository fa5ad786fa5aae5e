#include "controllers/machine/node_template_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using builders::a_policy;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kCondition = "capstan.dev/NodeTemplate";

Observation on_node_of(const api::TextMap& labels) {
  Observation seen = seen_of(a_machine("m1").in_set("s").running().provider_id("docker:////m1"));
  infra_done(seen);
  on_node(seen, a_node("n1").provider_id("docker:////m1"));
  seen.governed_by = a_policy("care")
                         .with([&](api::MachineLifecyclePolicy& policy) {
                           policy.spec.node_template = api::PolicyNodeTemplate{.labels = labels};
                         })
                         .shared();
  return seen;
}

std::string node_gets(const Observation& seen) {
  std::string words;
  for (const Action& action : decide(seen).actions)
    if (const auto* node = std::get_if<ChangeNode>(&action)) words += describe(node->change, *node->node);
  return words;
}

std::string says(const Observation& seen) {
  const auto after = reported(seen);
  const auto found = api::conditions::find(after.machine.status.conditions, kCondition);
  return found == nullptr ? "nothing" : found->reason.str() + ": " + found->message.str();
}

TEST(NodeTemplateSteps, GoIntoTheOnePatchOfTheNode) {
  const Observation seen = on_node_of({{"tier", "front"}});

  EXPECT_THAT(node_gets(seen), HasSubstr("labels.tier: none -> front"));
  EXPECT_THAT(node_gets(seen), HasSubstr("annotations[cluster.x-k8s.io/machine]: none -> m1"));
  EXPECT_EQ(says(seen), "nothing");
}

TEST(NodeTemplateSteps, LetTheMachinesOwnLabelWinAndSayIt) {
  Observation seen = on_node_of({{"node-role.kubernetes.io/worker", "of-policy"}});
  api::Machine machine = *seen.machine;
  machine.metadata.labels.set("node-role.kubernetes.io/worker", "machine's");
  seen.machine = std::make_shared<const api::Machine>(std::move(machine));

  EXPECT_THAT(node_gets(seen), HasSubstr("labels[node-role.kubernetes.io/worker]: none -> machine's"));
  EXPECT_EQ(says(seen),
            "KeysRefused: MachineLifecyclePolicy care does not give the Node what the Machine itself keeps "
            "there: label node-role.kubernetes.io/worker");
}

// A manager that has just started has not listed the policies yet.
TEST(NodeTemplateSteps, TakeNothingBackBeforePoliciesAreListed) {
  Observation seen = on_node_of({});
  on_node(seen, a_node("n1")
                    .provider_id("docker:////m1")
                    .labelled("tier", "front")
                    .annotated("capstan.dev/node-template", R"({"labels":["tier"]})"));
  seen.governed_by = nullptr;
  EXPECT_THAT(node_gets(seen), HasSubstr("labels.tier: front -> none"));

  seen.policy_known = false;

  EXPECT_THAT(node_gets(seen), Not(HasSubstr("tier")));
}

TEST(NodeTemplateSteps, KeepWhatWasSaidWhileTheNodeIsOutOfSight) {
  Observation seen = on_node_of({{"tier", "front"}});
  seen.node.lookup = NodeSeen::Lookup::NotConnected;
  EXPECT_TRUE(node_template_report(seen, decide(seen)).keep);

  seen.governed_by = nullptr;

  EXPECT_FALSE(node_template_report(seen, decide(seen)).keep);
}

}  // namespace
}  // namespace capstan::controllers::machine
