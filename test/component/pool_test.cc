// MachinePools of both sorts: "demo-pool", whose instances only the cloud knows one by one, and
// "demo-machine-pool", each of whose instances is a Machine.
#include "api/policy/fleet_policy.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/policy/names.h"
#include "api/v1beta2/machine_health_check.h"
#include "test/component/fleet_story.h"

namespace capstan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class PoolStory : public FleetStory {
 protected:
  // Every pool of that size and settled, and everything else as well.
  static auto pools(std::int32_t instances) {
    return [instances](const Fleet& fleet) {
      const auto right = [&](const dev::GroupRow& row) {
        return row.kind == "MachinePool" && row.desired == instances && row.ready == instances;
      };
      return fleet.settled() && std::ranges::count_if(fleet.groups, right) == 2;
    };
  }
  void resize(std::int32_t instances) {
    for (const auto* name : {"demo-pool", "demo-machine-pool"})
      change<api::MachinePool>(name, {{"spec", {{"replicas", instances}}}});
  }
  std::vector<std::string> vms(const std::string& prefix) {
    std::vector<std::string> names;
    for (const auto& vm : stack_->cloud().vms()) {
      if (vm.name.starts_with(prefix)) names.push_back(vm.name);
    }
    return names;
  }
  // Names of Nodes that are there and whose VM is there, too.
  std::vector<std::string> nodes(const std::string& prefix) {
    std::set<std::string> ids;
    for (const auto& vm : stack_->cloud().vms()) ids.insert(vm.provider_id);
    const auto client = stack_->control_planes().client(named("demo"));
    const auto listed = kube::list<api::Node>(*client, {}, soon());
    EXPECT_TRUE(listed);
    std::vector<std::string> names;
    for (const auto& node : listed->items) {
      if (!node.metadata.name.view().starts_with(prefix)) continue;
      EXPECT_TRUE(ids.contains(node.spec.provider_id.str())) << node.metadata.name.view() << " has no VM";
      names.push_back(node.metadata.name.str());
    }
    return names;
  }
  api::MachinePool pool(const std::string& name) {
    return kube::get<api::MachinePool>(stack_->client(), named(name), soon()).value();
  }
  template <typename T>
  void make(const kube::ObjectKey& key, const json::value& spec) {
    const kube::Resource resource = kube::resource_of<T>();
    json::object metadata{{"name", key.name}};
    if (resource.namespaced) metadata["namespace"] = key.namespace_;
    const json::value object = {{"apiVersion", resource.api_version()},
                                {"kind", resource.kind},
                                {"metadata", metadata},
                                {"spec", spec}};
    const auto made = stack_->client().create(resource, key, object, {}, soon());
    ASSERT_TRUE(made) << made.error().describe();
  }
  std::int32_t waiting_for_a_place() {
    const kube::ObjectKey key{.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)};
    return kube::get<api::FleetPolicy>(stack_->client(), key, soon()).value().status.waiting;
  }
};

TEST_F(PoolStory, BothSortsComeUpGrowShrinkAndLeaveNothingBehind) {
  start({.machines = 1, .pool = 2, .pool_machines = 2});
  wait_for("two instances each", pools(2));
  EXPECT_THAT(nodes("demo-pool-"), ElementsAre("demo-pool-0", "demo-pool-1"));

  resize(4);
  wait_for("four instances each", pools(4));
  EXPECT_THAT(nodes("demo-pool-"), SizeIs(4));
  EXPECT_THAT(nodes("demo-machine-pool-"), SizeIs(4));
  EXPECT_EQ(pool("demo-pool").status.node_refs.size(), 4U);

  resize(1);
  wait_for("one instance each", pools(1));
  EXPECT_THAT(vms("demo-pool-"), ElementsAre("demo-pool-0"));
  EXPECT_THAT(vms("demo-machine-pool-"), SizeIs(1));
  EXPECT_THAT(nodes("demo-machine-pool-"), SizeIs(1));

  remove<api::MachinePool>("demo-pool");
  remove<api::MachinePool>("demo-machine-pool");
  wait_for("no pool any more", [](const Fleet& fleet) { return fleet.groups.size() == 1; });
  EXPECT_THAT(vms("demo-pool-"), IsEmpty());
  EXPECT_THAT(vms("demo-machine-pool-"), IsEmpty());
  EXPECT_THAT(nodes("demo-machine-pool-"), IsEmpty());
  EXPECT_THAT(nodes("demo-pool-"), IsEmpty());
}

TEST_F(PoolStory, WhatTheCloudLosesIsReplacedAndItsNodeGoes) {
  start({.machines = 0, .pool = 2, .pool_machines = 2});
  wait_for("two instances each", pools(2));
  const auto before = pool("demo-pool").spec.provider_id_list;
  const auto machines = vms("demo-machine-pool-");

  stack_->cloud().vanish("demo-pool-0");
  stack_->cloud().vanish(machines.front());

  wait_for("two others", [&](const Fleet& fleet) {
    return pools(2)(fleet) && !(pool("demo-pool").spec.provider_id_list == before) &&
           std::ranges::none_of(fleet.machines,
                                [&](const auto& row) { return row.name == "default/" + machines.front(); });
  });
  EXPECT_THAT(nodes("demo-pool-"), ElementsAre("demo-pool-0", "demo-pool-1"));
  EXPECT_THAT(nodes("demo-machine-pool-"), SizeIs(2));
  EXPECT_THAT(vms("demo-machine-pool-"), Not(testing::Contains(machines.front())));
}

TEST_F(PoolStory, AMachineThatAHealthCheckHandsOverIsReplaced) {
  start({.machines = 0, .pool = 2, .pool_machines = 2});
  wait_for("two instances each", pools(2));
  const auto machines = vms("demo-machine-pool-");
  ASSERT_THAT(machines, SizeIs(2));
  const json::value check = {
      {"apiVersion", api::kApiVersion},
      {"kind", api::kind::kMachineHealthCheck},
      {"metadata", {{"name", "pool"}, {"namespace", "default"}}},
      {"spec",
       {{"clusterName", "demo"},
        {"selector", {{"matchLabels", {{"cluster.x-k8s.io/pool-name", "demo-machine-pool"}}}}}}}};
  const auto made =
      stack_->client().create(kube::resource_of<api::MachineHealthCheck>(), named("pool"), check, {}, soon());
  ASSERT_TRUE(made) << made.error().describe();

  change<api::Machine>(machines.front(),
                       {{"metadata", {{"annotations", {{"cluster.x-k8s.io/remediate-machine", ""}}}}}});

  wait_for("another instead", [&](const Fleet& fleet) {
    const auto of_pool = [](const auto& row) { return row.name.starts_with("default/demo-machine-pool-"); };
    return pools(2)(fleet) && std::ranges::count_if(fleet.machines, of_pool) == 2 &&
           std::ranges::none_of(fleet.machines,
                                [&](const auto& row) { return row.name == "default/" + machines.front(); });
  });
  EXPECT_THAT(vms("demo-machine-pool-"), testing::AllOf(SizeIs(2), testing::Contains(machines.back()),
                                                        Not(testing::Contains(machines.front()))));
  EXPECT_THAT(nodes("demo-machine-pool-"), SizeIs(2));
}

TEST_F(PoolStory, OfTwoNamedMachinesTheFleetPolicyLetsOneGoAndTheOtherWaits) {
  start({.machines = 0, .pool = 2, .pool_machines = 2});
  wait_for("two instances each", pools(2));
  const auto before = vms("demo-machine-pool-");
  ASSERT_THAT(before, SizeIs(2));
  make<api::MachineLifecyclePolicy>(
      named("all"), {{"selector", json::object()}, {"health", {{"sharedCause", json::object()}}}});
  make<api::FleetPolicy>({.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)},
                         {{"limits", json::array{{{"max", 1}}}}});

  json::object annotations;
  annotations[api::policy::annotation::kVictims] = before.front() + "," + before.back();
  change<api::MachinePool>("demo-machine-pool", {{"metadata", {{"annotations", annotations}}}});

  const auto is_old = [&](const auto& row) {
    return std::ranges::any_of(before, [&](const auto& name) { return row.name == "default/" + name; });
  };
  wait_for("another instead of one", [&](const Fleet& fleet) {
    return pools(2)(fleet) && std::ranges::count_if(fleet.machines, is_old) == 1;
  });
  EXPECT_EQ(waiting_for_a_place(), 1);
}

TEST_F(PoolStory, ADeletedClusterTakesItsPoolsAlong) {
  start({.machines = 1, .pool = 2, .pool_machines = 2});
  wait_for("two instances each", pools(2));

  remove<api::Cluster>("demo");

  wait_for("nothing left", [](const Fleet& fleet) {
    return fleet.clusters.empty() && fleet.groups.empty() && fleet.machines.empty();
  });
  EXPECT_THAT(stack_->cloud().vms(), IsEmpty());
}

}  // namespace
}  // namespace capstan
