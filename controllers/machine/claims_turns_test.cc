// Whole turns of Machines of which two claim one instance: copied manifests, providers that give one ID
// twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/schema/encode.h"
#include "controllers/machine/turn_fixture.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/identity.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

constexpr std::string_view kId = "docker:////m1";
const kube::ObjectKey kOfC1{"default", "c1"};

// Node m1 as its API server has it: what a patch changes shows in the cache at once.
class OneNode {
 public:
  explicit OneNode(MachineFixture& world) : world_(world) {
    world.node_api.on_patch = [this](const kube::Resource&, const kube::ObjectKey& key,
                                     const json::value& body,
                                     const kube::PatchOptions&) -> Result<json::value> {
      change(body);
      return json::value{{"metadata", {{"name", key.name}, {"resourceVersion", "1"}}}};
    };
  }
  void comes() {
    there_ = true;
    world_.workload_clusters.put_node(kOfC1, node_);
  }
  std::string annotation(std::string_view key) const {
    return std::string(node_.metadata.annotations.value_or_empty(key));
  }

 private:
  void change(const json::value& body) {
    const auto* metadata = body.as_object().if_contains("metadata");
    const auto* annotations =
        metadata == nullptr ? nullptr : metadata->as_object().if_contains("annotations");
    if (!there_ || annotations == nullptr) return;
    for (const auto& [key, value] : annotations->as_object()) {
      if (value.is_string()) node_.metadata.annotations.set(Text(key), Text(value.as_string()));
    }
    comes();
  }

  MachineFixture& world_;
  api::Node node_ = builders::a_node("m1").provider_id(kId).build();
  bool there_ = false;
};

api::Machine machine_of(const MachineFixture& world, std::string_view name) {
  const auto found = world.caches.machines.get({"default", std::string(name)});
  return found ? *found : api::Machine();
}

std::string condition_of(const MachineFixture& world, std::string_view machine, std::string_view type) {
  const api::Machine found = machine_of(world, machine);
  const auto condition = api::conditions::find(found.status.conditions, type);
  if (condition == nullptr) return "nothing";
  return condition->status.str() + " " + condition->reason.str() + ": " + condition->message.str();
}

std::string node_of(const MachineFixture& world, std::string_view machine) {
  const auto found = machine_of(world, machine);
  return found.status.node_ref ? found.status.node_ref->name.str() : "none";
}

json::value provided(const kube::Resource& resource, std::string_view name, json::object spec,
                     json::object status) {
  return {{"apiVersion", resource.api_version()},
          {"kind", resource.kind},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

// Machine `name` with an infrastructure object of its own, which names the instance of m1.
void make_with_same_id(MachineFixture& world, std::string_view name) {
  world.put(kDockerMachines, provided(kDockerMachines, name, {{"providerID", kId}},
                                      {{"initialization", {{"provisioned", true}}}}));
  world.put(kKubeadmConfigs,
            provided(kKubeadmConfigs, name, {},
                     {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "secret"}}));
  world.put(machines(),
            api::to_json(
                builders::a_machine(name).version("v1.36.3").finalized_by(api::finalizer::kMachine).build()));
}

// m1 under the name m1-copy, with its spec and without its status, as `kubectl get -o yaml` and an edit make
// it.
void copy_m1(MachineFixture& world) {
  api::Machine copy;
  const api::Machine original = world.machine();
  copy.metadata.name = Text("m1-copy");
  copy.metadata.namespace_ = original.metadata.namespace_;
  copy.metadata.labels = original.metadata.labels;
  copy.metadata.finalizers = original.metadata.finalizers;
  copy.spec = original.spec;
  world.put(copy);
}

// m1 on its Node, in a cluster whose Nodes are drained.
void run_m1(MachineFixture& world, OneNode& node) {
  world.make_cluster();
  world.workload_clusters.connect(kOfC1, &world.workload);
  world.make_control_plane_machine();
  world.start();
  world.make_machine();
  world.settle(200ms);
  world.bootstrap_is_done();
  world.infrastructure_is_done();
  node.comes();
  world.settle();
  ASSERT_EQ(world.machine().status.phase, "Running");
  ASSERT_EQ(node.annotation(api::annotation::kMachine), "m1");
  world.forget_what_happened();
}

TEST(ClaimsTurns, TwoMachinesWithOneProviderIdDoNotOverwriteTheNodeOfTheFirst) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    run_m1(world, node);

    make_with_same_id(world, "m2");
    world.settle(10s);

    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_EQ(node.annotation(api::annotation::kMachine), "m1");
    EXPECT_EQ(node_of(world, "m2"), "none");
    EXPECT_THAT(condition_of(world, "m2", api::condition::kNodeHealthy),
                AllOf(HasSubstr("Unknown InstanceOfAnother"), HasSubstr("Machine m1")));
    EXPECT_THAT(condition_of(world, "m1", api::condition::kNodeHealthy), HasSubstr("True NodeHealthy"));
    EXPECT_THAT(world.events.events, Contains(HasSubstr("InstanceOfAnother: ")));
  });
}

TEST(ClaimsTurns, DeletingTheSecondOfTwoMachinesWithOneProviderIdLeavesTheNodeAlone) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    run_m1(world, node);
    make_with_same_id(world, "m2");
    world.settle(5s);
    world.forget_what_happened();

    world.remove(machines(), "m2");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m2"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_EQ(world.machine().status.phase, "Running");
  });
}

TEST(ClaimsTurns, AMachineCopiedWithItsProviderIdDoesNotTouchTheNode) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    run_m1(world, node);

    copy_m1(world);
    world.settle(10s);

    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_EQ(node.annotation(api::annotation::kMachine), "m1");
    EXPECT_EQ(node_of(world, "m1-copy"), "none");
    EXPECT_THAT(condition_of(world, "m1-copy", api::condition::kNodeHealthy),
                AllOf(HasSubstr("Unknown InstanceOfAnother"), HasSubstr("Machine m1")));
  });
}

TEST(ClaimsTurns, DeletingACopiedMachineLeavesTheNodeAndTheInfrastructureOfTheOriginal) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    run_m1(world, node);
    copy_m1(world);
    world.settle(5s);
    world.forget_what_happened();

    world.remove(machines(), "m1-copy");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1-copy"));
    EXPECT_TRUE(world.exists(kDockerMachines, "m1"));
    EXPECT_TRUE(world.exists(kKubeadmConfigs, "m1"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_THAT(world.what_was_written(), Not(Contains(HasSubstr("delete"))));
    EXPECT_EQ(world.machine().status.phase, "Running");
  });
}

// Seen: a copy of a Machine, its providerID changed to that of a Node made by hand. Then the original went,
// and with it the infrastructure object that both referred to.
TEST(ClaimsTurns, AProviderIdThatOnlyTheManifestNamesMakesNoNodeTheMachines) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    world.make_cluster();
    world.workload_clusters.connect(kOfC1, &world.workload);
    world.make_control_plane_machine();
    world.start();
    node.comes();
    world.put(builders::a_machine("m2").provider_id(kId).build());
    world.settle(2min);
    const std::string healthy = condition_of(world, "m2", api::condition::kNodeHealthy);
    world.remove(machines(), "m2");
    world.settle(30s);

    EXPECT_THAT(healthy, AllOf(HasSubstr("Unknown InstanceOfAnother: no infrastructure object says that"),
                               HasSubstr("correct spec.providerID; the Node stays")));
    EXPECT_FALSE(world.exists(machines(), "m2"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
    EXPECT_EQ(node.annotation(api::annotation::kMachine), "");
  });
}

TEST(ClaimsTurns, TwoThatWaitForOneNodeLeaveItAloneUntilOneOfThemIsGone) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    world.make_cluster();
    world.workload_clusters.connect(kOfC1, &world.workload);
    world.make_control_plane_machine();
    world.start();
    make_with_same_id(world, "m1");
    make_with_same_id(world, "m2");
    world.settle(5s);

    node.comes();
    world.settle(10s);
    const auto while_contested = world.what_the_node_got();
    const auto first = condition_of(world, "m1", api::condition::kNodeHealthy);
    const auto second = condition_of(world, "m2", api::condition::kNodeHealthy);
    world.remove(machines(), "m2");
    world.settle(5s);

    EXPECT_THAT(while_contested, IsEmpty());
    EXPECT_THAT(first, AllOf(HasSubstr("Unknown InstanceContested"), HasSubstr("Machine m2")));
    EXPECT_THAT(second, AllOf(HasSubstr("Unknown InstanceContested"), HasSubstr("Machine m1")));
    EXPECT_FALSE(world.exists(machines(), "m2"));
    EXPECT_EQ(node_of(world, "m1"), "m1");
    EXPECT_EQ(node.annotation(api::annotation::kMachine), "m1");
    EXPECT_THAT(world.what_the_node_got(), Not(Contains(HasSubstr("delete"))));
  });
}

TEST(ClaimsTurns, TheNodeOfAMachineThatIsDrainedAndGoneIsTheOtherClaimants) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    run_m1(world, node);
    make_with_same_id(world, "m2");
    world.settle(5s);

    world.remove(machines(), "m1");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_THAT(world.what_the_node_got(), Not(Contains(HasSubstr("delete"))));
    EXPECT_EQ(node_of(world, "m2"), "m1");
    EXPECT_EQ(node.annotation(api::annotation::kMachine), "m2");
  });
}

TEST(ClaimsTurns, ANodeThatAPoolKnowsIsNoMachines) {
  in_simulation([](MachineFixture& world) {
    OneNode node(world);
    world.make_cluster();
    world.workload_clusters.connect(kOfC1, &world.workload);
    world.make_control_plane_machine();
    node.comes();
    api::MachinePool pool;
    pool.metadata.name = Text("mp1");
    pool.metadata.namespace_ = Text("default");
    pool.spec.cluster_name = Text("c1");
    pool.spec.machine_template.spec.cluster_name = Text("c1");
    pool.spec.machine_template.spec.infrastructure_ref = {
        .api_group = Text(kDockerMachines.group), .kind = Text("DockerMachinePool"), .name = Text("mp1")};
    pool.spec.provider_id_list = {Text(kId)};
    const auto live = world.workload_clusters.get(kOfC1).value()->nodes_with(kId);
    ASSERT_EQ(live.size(), 1U);
    pool.status.node_refs.push_back(
        {.kind = Text("Node"), .name = Text("m1"), .uid = live.front()->metadata.uid});
    world.put(pool);
    world.start();

    make_with_same_id(world, "m1");
    world.settle(5s);
    const auto shown = condition_of(world, "m1", api::condition::kNodeHealthy);
    world.remove(machines(), "m1");
    world.settle(30s);

    EXPECT_THAT(shown, AllOf(HasSubstr("Unknown InstanceOfAnother"), HasSubstr("MachinePool mp1")));
    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
