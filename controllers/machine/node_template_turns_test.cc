#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machine/turn_fixture.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using builders::NodeBuilder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const kube::ObjectKey kItsCluster{"default", "c1"};
const kube::Resource kItsPolicies = kube::resource_of<api::MachineLifecyclePolicy>();
constexpr std::string_view kRemembered =
    R"({"labels":["tier"],"virtualCapacity":{"example.com/licence":"4"}})";

// As the Machine controller leaves it, but for what the test adds.
NodeBuilder node_of_it() {
  return a_node("m1")
      .annotated("cluster.x-k8s.io/cluster-name", "c1")
      .annotated("cluster.x-k8s.io/cluster-namespace", "default")
      .annotated("cluster.x-k8s.io/machine", "m1")
      .annotated("cluster.x-k8s.io/owner-kind", "MachineSet")
      .annotated("cluster.x-k8s.io/owner-name", "ms1");
}

api::MachineLifecyclePolicy template_policy() {
  return builders::a_policy("care").selecting("team", "a").with([](api::MachineLifecyclePolicy& policy) {
    policy.spec.node_template = api::PolicyNodeTemplate{.labels = {{"tier", "front"}},
                                                        .virtual_capacity = {{"example.com/licence", "4"}}};
  });
}

// m1 of a MachineSet that a policy may select.
void m1_has_a_set(MachineFixture& world, NodeBuilder node) {
  world.make_cluster();
  world.workload_clusters.connect(kItsCluster, &world.workload);
  world.make(builders::a_machine_set("ms1").labelled("team", "a").build());
  world.start();
  world.make_clones();
  auto machine = builders::a_machine("m1").in_set("ms1").finalized_by(api::finalizer::kMachine).build();
  auto owners = *machine.metadata.owner_references;
  owners.front().uid = world.read<api::MachineSet>("ms1").metadata.uid;
  machine.metadata.owner_references = api::OwnerReferences(std::move(owners));
  world.put(machine);
  world.bootstrap_is_done();
  world.infrastructure_is_done();
  world.workload_clusters.put_node(kItsCluster, node.build());
  world.settle();
  world.forget_what_happened();
}

void node_becomes(MachineFixture& world, NodeBuilder node) {
  world.workload_clusters.put_node(kItsCluster, node.version_number(900'001).build());
  world.settle(std::chrono::minutes(1));  // the write counts as seen by then
  world.forget_what_happened();
}

TEST(NodeTemplateTurns, TakeOnePatchAndOneOfTheStatusAndNoneAfterThat) {
  in_simulation([](MachineFixture& world) {
    m1_has_a_set(world, node_of_it());

    world.make(kItsPolicies, api::to_json(template_policy()));
    world.settle();

    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes/status m1", "patch nodes m1"));
    EXPECT_THAT(world.what_was_written(), IsEmpty());
    node_becomes(world,
                 node_of_it().labelled("tier", "front").annotated("capstan.dev/node-template", kRemembered));

    world.settle(std::chrono::hours(1));

    EXPECT_THAT(world.what_the_node_got(), IsEmpty());
  });
}

TEST(NodeTemplateTurns, TakeAllBackWhenThePolicyIsDeleted) {
  in_simulation([](MachineFixture& world) {
    m1_has_a_set(world, node_of_it());
    world.make(kItsPolicies, api::to_json(template_policy()));
    world.settle();
    node_becomes(world,
                 node_of_it().labelled("tier", "front").annotated("capstan.dev/node-template", kRemembered));

    world.remove(kItsPolicies, "care");
    world.settle();

    EXPECT_THAT(world.what_the_node_got(), ElementsAre("patch nodes/status m1", "patch nodes m1"));
  });
}

TEST(NodeTemplateTurns, SayOnceThatTheNodeRememberedWhatCantBeRead) {
  in_simulation([](MachineFixture& world) {
    m1_has_a_set(world, node_of_it());

    world.workload_clusters.put_node(kItsCluster,
                                     node_of_it().annotated("capstan.dev/node-template", "{").build());
    world.settle();

    EXPECT_THAT(world.events.events, Contains(HasSubstr("NodeTemplateForgotten")));
    node_becomes(world, node_of_it());
    world.settle(std::chrono::hours(1));
    EXPECT_THAT(world.events.events, IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
