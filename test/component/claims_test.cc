// A user copies a manifest and forgets a line: the Node that another object has is neither fought for nor
// lost.
#include "test/component/fleet_story.h"

namespace capstan {
namespace {

class ClaimsStory : public FleetStory {
 protected:
  // The one worker of the fleet, on its Node.
  api::Machine worker() {
    const auto listed = kube::list<api::Machine>(
        stack_->client(), {.label_selector = "!cluster.x-k8s.io/control-plane"}, soon());
    EXPECT_TRUE(listed && listed->items.size() == 1);
    return listed ? listed->items.front() : api::Machine();
  }
  api::Node node_of(const api::Machine& machine) {
    const auto client = stack_->control_planes().client(named("demo"));
    auto node = kube::get<api::Node>(*client, {.name = machine.status.node_ref->name.str()}, soon());
    EXPECT_TRUE(node) << "the Node is gone";
    return node ? *node : api::Node();
  }
  // The object says so of itself.
  template <typename T>
  auto tells(const std::string& name, std::string_view type, std::string words) {
    return [=, this](const Fleet&) {
      const auto found = kube::get<T>(stack_->client(), named(name), soon());
      if (!found) return false;
      const auto condition = api::conditions::find(found->status.conditions, type);
      return condition != nullptr && condition->message.view().find(words) != std::string_view::npos;
    };
  }
  template <typename T>
  auto gone(const std::string& name) {
    return [=, this](const Fleet&) {
      const auto found = kube::get<T>(stack_->client(), named(name), soon());
      return !found && found.error().code == Code::NotFound;
    };
  }
};

TEST_F(ClaimsStory, AMachineCopiedUnderAnotherNameLeavesTheNodeOfTheOriginalAlone) {
  start(1, 1);
  wait_for("a worker", workers(1));
  const api::Machine original = worker();
  const auto before = node_of(original).metadata.annotations;
  api::Machine copy;
  copy.metadata.name = Text("copied");
  copy.metadata.namespace_ = original.metadata.namespace_;
  copy.spec = original.spec;

  ASSERT_TRUE(kube::create(stack_->client(), copy, {}, soon()));
  wait_for("the copy is told", tells<api::Machine>("copied", api::condition::kNodeHealthy,
                                                   "Machine " + original.metadata.name.str()));
  EXPECT_EQ(node_of(original).metadata.annotations, before);
  remove<api::Machine>("copied");
  wait_for("the copy is gone", gone<api::Machine>("copied"));

  EXPECT_EQ(node_of(original).metadata.annotations, before);
  EXPECT_FALSE(node_of(original).spec.unschedulable);
}

TEST_F(ClaimsStory, APoolThatListsTheInstanceOfAWorkerLeavesItsNodeAlone) {
  start(1, 1);
  wait_for("a worker", workers(1));
  const api::Machine original = worker();
  const auto before = node_of(original).metadata.annotations;
  api::MachinePool pool;
  pool.metadata.name = Text("copied");
  pool.metadata.namespace_ = original.metadata.namespace_;
  pool.spec.cluster_name = original.spec.cluster_name;
  pool.spec.replicas = 1;
  pool.spec.provider_id_list = {original.spec.provider_id};
  auto& machine = pool.spec.machine_template.spec;
  machine.cluster_name = original.spec.cluster_name;
  machine.bootstrap.data_secret_name = Text("none");
  machine.infrastructure_ref = {.api_group = original.spec.infrastructure_ref.api_group,
                                .kind = Text("DriverMachinePool"),
                                .name = Text("none")};

  ASSERT_TRUE(kube::create(stack_->client(), pool, {}, soon()));
  wait_for("the pool is told", tells<api::MachinePool>("copied", api::condition::kInfrastructureReady,
                                                       "Machine " + original.metadata.name.str()));
  EXPECT_EQ(node_of(original).metadata.annotations, before);
  remove<api::MachinePool>("copied");
  wait_for("the pool is gone", gone<api::MachinePool>("copied"));

  EXPECT_EQ(node_of(original).metadata.annotations, before);
}

}  // namespace
}  // namespace capstan
