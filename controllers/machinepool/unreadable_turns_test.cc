// Provider objects and Machines that are there and can't be read: their definition lacks the labels of the
// contract, or they can't be decoded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/turn_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

// The contract labels of the definition of BoxPool.
void label_boxpools(MachinePoolFixture& stage, const json::value& version) {
  stage.patch(kCrds, "boxpools.infrastructure.cluster.x-k8s.io",
              {{"metadata", {{"labels", {{"cluster.x-k8s.io/v1beta2", version}}}}}});
}

// Whatever the watch says, the server keeps it: this kind takes any fields.
void garble_boxpool(MachinePoolFixture& stage) {
  stage.patch(kBoxPools, kPool, {{"spec", "as you like it"}});
}

std::string told(MachinePoolFixture& stage, std::string_view type) {
  const auto status = stage.pool().status;
  const auto condition = api::conditions::find(status.conditions, type);
  return condition == nullptr ? "" : condition->reason.str() + ": " + condition->message.str();
}

bool is_going(MachinePoolFixture& stage, const kube::Resource& kind) {
  return stage.read(kind, kPool).at("metadata").as_object().contains("deletionTimestamp");
}

void hold(MachinePoolFixture& stage, const kube::Resource& kind) {
  stage.patch(kind, kPool, {{"metadata", {{"finalizers", json::array{"box.example.com/vms"}}}}});
}

void let_go(MachinePoolFixture& stage, const kube::Resource& kind) {
  stage.patch(kind, kPool, {{"metadata", {{"finalizers", nullptr}}}});
}

std::ptrdiff_t asked_for(const std::vector<std::string>& requests, std::string_view what) {
  return std::ranges::count(requests, what);
}

// The next manager, which finds the Nodes as they are on their server.
std::unique_ptr<ControllerRun<Reconciler>> another_run(MachinePoolFixture& stage) {
  auto run = std::make_unique<ControllerRun<Reconciler>>(
      stage, ControllerRunOptions{.name = "machinepool", .kind = "MachinePool"});
  for (const auto* name : {"n1", "n2"}) {
    if (!stage.node_exists(name)) continue;
    auto node = stage.node(name);
    node.status = builders::a_node(name).build().status;
    run->workload_clusters.put_node(kTheCluster, node);
  }
  run->workload_clusters.connect(kTheCluster, &stage.workload);
  run->start();
  return run;
}

// Its pool runs on two Nodes, and the manager that brought it up has ended.
void run_two_and_end(MachinePoolFixture& stage) {
  stage.make_pool();
  stage.make_node(builders::a_node("n1"));
  stage.make_node(builders::a_node("n2"));
  const auto run = another_run(stage);
  stage.bootstrap_is_done();
  stage.infrastructure_has({"n1", "n2"});
  stage.settle(10s);
  ASSERT_EQ(stage.pool().status.phase, "Running");
}

TEST(UnreadableTurns, DeleteAPoolWhoseDefinitionHasLostItsContractLabels) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    hold(stage, kBoxPools);
    label_boxpools(stage, nullptr);
    stage.remove(kPools, kPool);
    stage.settle(2s);
    (void)stage.requests();

    stage.settle(2min);
    const auto requests = stage.requests();
    const bool going = is_going(stage, kBoxPools);
    const bool kept = stage.exists(kPools, kPool) && stage.node_exists("n1");
    const std::string waits = told(stage, "Deleting");
    let_go(stage, kBoxPools);
    stage.settle(40s);

    EXPECT_TRUE(going) << "the pool owns it";
    EXPECT_TRUE(kept) << "its instances may be there";
    EXPECT_THAT(waits, AllOf(HasSubstr("WaitingForInfrastructureDeletion"), HasSubstr("BoxPool mp1"),
                             HasSubstr("label cluster.x-k8s.io/v1beta2")));
    EXPECT_LE(asked_for(requests, "get boxpools mp1"), 5) << "once in 30 s";
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(UnreadableTurns, NameTheLabelThatADefinitionLacks) {
  in_simulation([](MachinePoolFixture& stage) {
    label_boxpools(stage, nullptr);
    stage.make_pool();
    stage.start();
    stage.settle(1min);
    const std::string without = told(stage, "InfrastructureReady");
    (void)stage.requests();
    stage.settle(5min);
    const auto requests = stage.requests();

    label_boxpools(stage, "v1beta2");
    stage.infrastructure_has({"n1"});
    stage.settle(65s);

    EXPECT_THAT(without, AllOf(HasSubstr("spec.template.spec.infrastructureRef"),
                               HasSubstr("label cluster.x-k8s.io/v1beta2")));
    EXPECT_THAT(requests, IsEmpty());
    EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 1U);
  });
}

// A kind without a CustomResourceDefinition, edited into a pool that runs.
TEST(UnreadableTurns, WaitForTheObjectThatAPoolOwnsWhenItsReferenceWasMistyped) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    hold(stage, kBoxPools);
    stage.patch(kPools, kPool,
                {{"spec", {{"template", {{"spec", {{"infrastructureRef", {{"kind", "BoxPoool"}}}}}}}}}});
    stage.settle();
    const std::string typo = told(stage, "InfrastructureReady");

    stage.remove(kPools, kPool);
    stage.settle(2min);
    const bool kept = stage.exists(kPools, kPool) && stage.node_exists("n1") && stage.node_exists("n2");
    const std::string waits = told(stage, "Deleting");
    const auto lists = asked_for(stage.requests(), "list boxpools");
    let_go(stage, kBoxPools);
    stage.remove(kBoxPools, kPool);
    stage.settle(40s);

    EXPECT_THAT(typo, AllOf(HasSubstr("spec.template.spec.infrastructureRef"), HasSubstr("does not exist")));
    EXPECT_TRUE(kept) << "its instances run";
    EXPECT_THAT(waits, AllOf(HasSubstr("WaitingForInfrastructureDeletion"), HasSubstr("BoxPool mp1"),
                             HasSubstr("correct the reference")));
    EXPECT_LE(lists, 8) << "once in 30 s, and with each event";
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

TEST(UnreadableTurns, LeaveAnObjectWithoutReadableContractToWhoControlsIt) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    const json::value other = {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                               {"kind", "MachinePool"},
                               {"name", "another"},
                               {"uid", "6f0b2f4e-0000-4000-8000-000000000001"},
                               {"controller", true}};
    stage.patch(kBoxPools, kPool, {{"metadata", {{"ownerReferences", json::array{other}}}}});
    label_boxpools(stage, nullptr);
    stage.start();

    stage.remove(kPools, kPool);
    stage.settle(40s);

    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_TRUE(stage.exists(kBoxPools, kPool));
    EXPECT_THAT(stage.requests(), Not(Contains("delete boxpools mp1")));
  });
}

// Its owner references were taken off by hand, and its definition lost the labels: no cache and no object
// tells whose it is.
TEST(UnreadableTurns, DeleteNothingThatNobodyOwnsAndTheCachesCannotShow) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();
    label_boxpools(stage, nullptr);
    stage.settle();
    stage.patch(kBoxPools, kPool, {{"metadata", {{"ownerReferences", nullptr}}}});

    stage.remove(kPools, kPool);
    stage.settle(1min);
    const std::string waits = told(stage, "Deleting");
    const bool kept = stage.exists(kBoxPools, kPool) && !is_going(stage, kBoxPools);
    stage.remove(kBoxPools, kPool);
    stage.settle(40s);

    EXPECT_TRUE(kept);
    EXPECT_THAT(waits,
                HasSubstr("MachinePool mp1 does not own: delete it, or make the MachinePool its owner"));
    EXPECT_FALSE(stage.exists(kPools, kPool));
  });
}

TEST(UnreadableTurns, FailNoPoolWhoseObjectCannotBeDecodedAfterARestart) {
  in_simulation([](MachinePoolFixture& stage) {
    run_two_and_end(stage);
    garble_boxpool(stage);
    stage.workload.forget();

    const auto run = another_run(stage);
    stage.settle(2min);
    const auto garbled = stage.pool();
    const std::string ready = told(stage, "InfrastructureReady");
    const auto requests = run->requests();
    stage.patch(kBoxPools, kPool, {{"spec", nullptr}});
    stage.infrastructure_has({"n1", "n2"});
    stage.settle(40s);

    EXPECT_EQ(garbled.status.phase, "Running");
    EXPECT_EQ(garbled.status.deprecated->v1beta1->failure_reason, "");
    EXPECT_EQ(garbled.spec.provider_id_list.size(), 2U);
    EXPECT_THAT(ready, HasSubstr("BoxPool default/mp1 can't be read: spec: expected object"));
    EXPECT_THAT(requests, Not(Contains(HasSubstr("create"))));
    EXPECT_THAT(requests, Not(Contains(HasSubstr("delete"))));
    EXPECT_THAT(stage.workload.described(), Not(Contains(HasSubstr("delete"))));
    EXPECT_EQ(stage.shown("InfrastructureReady"), "True Ready");
  });
}

TEST(UnreadableTurns, NameTheFieldOfAnObjectThatCannotBeDecodedAnyMore) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    garble_boxpool(stage);
    stage.patch(kPools, kPool, {{"spec", {{"replicas", 3}}}});
    stage.settle();

    EXPECT_EQ(stage.shown("InfrastructureReady"), "True Ready") << "as it was last seen";
    EXPECT_THAT(told(stage, "InfrastructureReady"),
                HasSubstr("BoxPool default/mp1 can't be read: spec: expected object"));
    EXPECT_EQ(stage.pool().spec.provider_id_list.size(), 2U);
  });
}

TEST(UnreadableTurns, DeleteAPoolWhoseObjectCannotBeDecoded) {
  in_simulation([](MachinePoolFixture& stage) {
    run_two_and_end(stage);
    hold(stage, kBoxPools);
    garble_boxpool(stage);
    const auto run = another_run(stage);

    stage.remove(kPools, kPool);
    stage.settle(1min);
    const bool going = is_going(stage, kBoxPools);
    const bool kept = stage.exists(kPools, kPool) && stage.node_exists("n1");
    let_go(stage, kBoxPools);
    stage.settle(40s);

    EXPECT_TRUE(going);
    EXPECT_TRUE(kept);
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
  });
}

// The Machine of box b2 can't be decoded when the manager starts.
TEST(UnreadableTurns, MakeNoMachineInThePlaceOfOneThatCannotBeDecoded) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.make_pool();
    for (const auto* name : {"b1", "b2"}) stage.make_box(name);
    {
      const auto first = another_run(stage);
      stage.infrastructure_has({"b1", "b2"}, {{"infrastructureMachineKind", "Box"}});
      stage.settle(10s);
      ASSERT_TRUE(stage.exists(kMachines, "b2"));
    }
    const json::value anything = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    auto crd = stage.read(kCrds, "machines.cluster.x-k8s.io");
    crd.at("spec").at("versions").at(0).at("schema") = {{"openAPIV3Schema", anything}};
    stage.patch(kCrds, "machines.cluster.x-k8s.io",
                {{"spec", {{"versions", crd.at("spec").at("versions")}}}});
    stage.patch(kMachines, "b2", {{"spec", {{"deletion", "later"}}}});

    const auto second = another_run(stage);
    stage.settle(1min);

    EXPECT_THAT(second->requests(), Not(Contains("patch machines b2")));
    EXPECT_EQ(stage.read(kMachines, "b2").at("spec").at("deletion"), json::value("later"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
