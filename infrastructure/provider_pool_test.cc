// Pools of both sorts, beside a core that the test plays: it makes a Machine for each DriverMachine of a
// pool, and removes the DriverMachine of a Machine that goes.
#include "api/conditions/conditions.h"
#include "infrastructure/provider_fixture.h"
#include "runtime/ownership.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> vm_names(const sim::SimCloud& cloud) {
  std::vector<std::string> names;
  for (const Vm& vm : cloud.vms()) names.push_back(vm.name);
  return names;
}

// --- VMs the group keeps itself ---

TEST(ProviderPool, GrowsAndShrinksByNamedVictims) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    EXPECT_TRUE(world.eventually([&] { return world.node("mp1-1").has_value(); }));

    world.management.resize("mp1", 4);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 4); }));
    world.management.change<api::DriverMachinePool>("mp1", [](api::DriverMachinePool& pool) {
      pool.metadata.annotations.set("capstan.dev/victims", "mp1-1,mp1-7");
    });
    world.management.resize("mp1", 3);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }));

    EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-0", "mp1-2", "mp1-3"));
    EXPECT_EQ(world.cloud.created(), 4U);
    const auto pool = world.management.get<api::DriverMachinePool>("mp1");
    EXPECT_EQ(pool->metadata.annotations.value_or_empty("capstan.dev/victims"), "mp1-7")
        << "who went is no victim of the next time";
    EXPECT_TRUE(pool->status.initialization.provisioned.value_or(false));
    EXPECT_TRUE(pool->status.ready.value_or(false));
    EXPECT_TRUE(pool->status.infrastructure_machine_kind.empty());
    EXPECT_EQ(world.management.pool_ready("mp1"), "Ready: ");
  });
}

TEST(ProviderPool, ReplacesAnInstanceThatIsLostUnderItsName) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    const auto before = world.management.get<api::DriverMachinePool>("mp1")->spec.provider_id_list;

    world.cloud.vanish("mp1-0");

    EXPECT_TRUE(
        world.eventually([&] { return world.cloud.created() == 3 && world.management.has("mp1", 2); }));
    EXPECT_TRUE(world.eventually([&] {
      return !(world.management.get<api::DriverMachinePool>("mp1")->spec.provider_id_list == before);
    }));
    EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-0", "mp1-1"));
  });
}

TEST(ProviderPool, ReplacesAnInstanceThatStoppedAtAnotherPlace) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));

    world.cloud.stop("mp1-0");

    EXPECT_TRUE(world.eventually([&] { return world.vms_named("mp1-2") == 1; }));
    EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-1", "mp1-2"));
  });
}

TEST(ProviderPool, SaysWhenTheCloudHasNoMoreAndGoesOnWhenItIsSmallerAgain) {
  sim::Script script;
  script.quota.vms = 2;
  InfrastructureFixture world(script);
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();

    world.management.add_pool("mp1", 3);

    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    EXPECT_EQ(world.management.pool_ready("mp1"),
              "ResourceExhausted: can't create a VM: ResourceExhausted: quota of 2 VMs reached");
    world.management.resize("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.pool_ready("mp1") == "Ready: "; }));
  });
}

TEST(ProviderPool, NamesTheSecretThatIsMissingAndWhatToDo) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();

    world.management.add_pool("mp1", 2, {}, false);

    EXPECT_TRUE(world.eventually([&] { return !world.management.pool_ready("mp1").empty(); }));
    EXPECT_EQ(
        world.management.pool_ready("mp1"),
        "BootstrapDataUnreadable: Secret default/mp1 with the bootstrap data does not exist; create it, "
        "or name another one in bootstrap.dataSecretName");
    EXPECT_EQ(world.cloud.created(), 0U);
    world.management.add_data_secret("mp1");
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
  });
}

TEST(ProviderPool, KeepsWhatIsThereWhenTheNumberCantBeMeant) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));

    world.management.resize("mp1", 2'000'000'000);

    EXPECT_TRUE(world.eventually(
        [&] { return world.management.pool_ready("mp1").starts_with("InvalidSize: spec.replicas of"); }));
    world.pause(2min);
    EXPECT_EQ(world.cloud.created(), 2U);
    EXPECT_THAT(vm_names(world.cloud), SizeIs(2));
  });
}

TEST(ProviderPool, WritesTheSizeTheAutoscalerChoseWhereUsersDoNotDecideIt) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    world.management.change<api::MachinePool>("mp1", [](api::MachinePool& pool) {
      pool.metadata.annotations.set(api::annotation::kReplicasManagedBy, "cloud");
    });

    world.management.change<api::DriverMachinePool>("mp1", [](api::DriverMachinePool& pool) {
      pool.metadata.annotations.set("capstan.dev/autoscaled-to", "4");
    });
    world.management.resize("mp1", 9);

    EXPECT_TRUE(world.eventually([&] {
      return world.management.has("mp1", 4) &&
             world.management.get<api::MachinePool>("mp1")->spec.replicas == 4;
    }));
    EXPECT_EQ(world.cloud.created(), 4U);
  });
}

TEST(ProviderPool, DoesNotOverwriteTheSizeOfAUserWhoTakesThePoolBack) {
  InfrastructureFixture world;
  bool taken_back = false;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    world.fault = [&](const FaultPoint& point) {
      if (point.call == Call::Patch && point.kind == "MachinePool" && !taken_back) {
        taken_back = true;
        world.management.change<api::MachinePool>("mp1", [](api::MachinePool& pool) {
          pool.metadata.annotations.erase(api::annotation::kReplicasManagedBy);
          pool.spec.replicas = 3;
        });
      }
      return Fault::None;
    };

    world.management.change<api::MachinePool>("mp1", [](api::MachinePool& pool) {
      pool.metadata.annotations.set(api::annotation::kReplicasManagedBy, "cloud");
    });
    world.management.change<api::DriverMachinePool>("mp1", [](api::DriverMachinePool& pool) {
      pool.metadata.annotations.set("capstan.dev/autoscaled-to", "4");
    });

    EXPECT_TRUE(world.eventually([&] { return taken_back && world.management.has("mp1", 3); }));
    EXPECT_EQ(world.management.get<api::MachinePool>("mp1")->spec.replicas, 3);
  });
}

TEST(ProviderPool, LeavesNoInstanceBehind) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));

    world.management.remove<api::DriverMachinePool>("mp1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachinePool>("mp1"); }));
    EXPECT_THAT(vm_names(world.cloud), IsEmpty());
  });
}

// A list that lags by half a minute shows neither what was just made nor what was just removed.
TEST(ProviderPool, IsNotConfusedByAListThatLags) {
  sim::Script script;
  script.list_lag = 40s;
  InfrastructureFixture world(script);
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 3);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }));

    for (int second = 0; second < 90; ++second) {
      world.pause(1s);
      EXPECT_TRUE(world.management.has("mp1", 3))
          << "a VM that lives was not listed after " << second << " s";
    }
    world.management.resize("mp1", 1);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 1); }));
    world.pause(2min);

    EXPECT_EQ(world.cloud.created(), 3U);
    EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-0"));
  });
}

// Shown for another while after it went, the victim counted as running, and the group as too large.
TEST(ProviderPool, AVictimThatTheListStillShowsCostsNoOtherItsLife) {
  sim::Script script;
  script.list_lag = 40s;
  InfrastructureFixture world(script);
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 4);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 4); }));
    world.pause(1min);

    world.management.change<api::DriverMachinePool>("mp1", [](api::DriverMachinePool& pool) {
      pool.metadata.annotations.set("capstan.dev/victims", "mp1-0");
    });
    world.pause(5s);  // two watches: the smaller size may be seen before the name
    world.management.resize("mp1", 3);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }));
    world.pause(2min);

    EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-1", "mp1-2", "mp1-3"));
    EXPECT_EQ(world.cloud.created(), 4U);
  });
}

TEST(ProviderPool, SaysOfACloudThatIsNotListedThatItIsUnreadable) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 3);
    ASSERT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }));

    world.cloud.add_fault(
        {.verb = sim::SimVerb::List, .code = DriverCode::ResourceExhausted, .message = "rate exceeded"});
    world.management.resize("mp1", 1);

    EXPECT_TRUE(world.eventually([&] {
      return world.management.pool_ready("mp1") ==
             "CloudUnreadable: can't list the VMs: ResourceExhausted: rate exceeded";
    }));
  });
}

// Neither its ID, which got lost with the answer, nor a list that lags shows the second VM.
TEST(ProviderPool, LeavesNoInstanceBehindOfWhichItNeverHeard) {
  sim::Script script;
  script.list_lag = 40s;
  script.faults = {
      {.verb = sim::SimVerb::Create, .code = DriverCode::Unknown, .vms = "mp1-1", .happened = true}};
  InfrastructureFixture world(script);
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.cloud.created() == 2U; }));
    world.pause(1s);

    world.management.remove<api::DriverMachinePool>("mp1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachinePool>("mp1"); }));
    EXPECT_THAT(vm_names(world.cloud), IsEmpty());
  });
}

// Whatever befalls its writes, the cloud's answers and the process: as many VMs as wanted, none of them
// twice.
TEST(ProviderPool, MakesOneVmPerPlaceWhateverHappens) {
  constexpr std::array kFaults = {Fault::CrashBefore, Fault::CrashAfter, Fault::LostReply,
                                  Fault::Conflict,    Fault::Timeout,    Fault::Late};
  std::map<Fault, int> fired;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    sim::Script script;
    script.faults = {
        {.verb = sim::SimVerb::Create, .code = DriverCode::Unknown, .times = 1, .happened = true},
        {.verb = sim::SimVerb::Remove, .code = DriverCode::Unknown, .times = 1, .happened = true}};
    InfrastructureFixture world(script, seed);
    int budget = 6;
    bool raging = false;
    world.fault = [&](const FaultPoint& point) {
      if (!raging || budget == 0 || !fakes::is_write(point.call) || world.baton.draw(3) != 0)
        return Fault::None;
      --budget;
      const Fault fault = kFaults[world.baton.draw(kFaults.size())];
      ++fired[fault];
      return fault;
    };
    world.run([&] {
      const InfrastructureFixture::Process process(world, world.management);
      world.bring_cluster_up();
      raging = true;

      world.management.add_pool("mp1", 3);
      EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 3); }, 30min)) << "seed " << seed;
      EXPECT_EQ(world.cloud.created(), 3U) << "seed " << seed;
      world.management.resize("mp1", 1);
      EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 1); }, 30min)) << "seed " << seed;
      world.pause(2min);
      EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-0")) << "seed " << seed;
      raging = false;
      world.management.remove<api::DriverMachinePool>("mp1");
      EXPECT_TRUE(
          world.eventually([&] { return !world.management.get<api::DriverMachinePool>("mp1"); }, 30min))
          << "seed " << seed;
      EXPECT_THAT(vm_names(world.cloud), IsEmpty()) << "seed " << seed;
    });
  }
  for (const Fault fault : kFaults) EXPECT_GT(fired[fault], 0) << to_string(fault);
}

TEST(ProviderPool, MakesNoSecondVmWhenItDiesInTheMiddleOfACall) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::Script script;
    script.latency.create = 4s;
    InfrastructureFixture world(script, seed);
    world.run([&] {
      const InfrastructureFixture::Process process(world, world.management);
      world.bring_cluster_up();

      world.management.add_pool("mp1", 30);
      world.pause(Nanoseconds(100ms) * static_cast<std::int64_t>(world.baton.draw(80)));
      world.baton.crash("provider");

      EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 30); })) << "seed " << seed;
      EXPECT_EQ(world.cloud.created(), 30U) << "seed " << seed;
    });
  }
}

TEST(ProviderPool, DoesNotTakeTheVmsOfThePoolItIsACopyOf) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));

    world.management.add_pool("copy", 1, world.management.get<api::DriverMachinePool>("mp1")->spec);
    EXPECT_TRUE(world.eventually(
        [&] { return world.management.pool_ready("copy").starts_with("InstanceKeyTaken: "); }));
    world.management.remove<api::DriverMachinePool>("copy");
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachinePool>("copy"); }));

    EXPECT_THAT(vm_names(world.cloud), ElementsAre("mp1-0", "mp1-1"));
  });
}

// A copied manifest brings the list, and anything may be written into it.
TEST(ProviderPool, LeavesAVmAloneThatItsListNamesAndThatIsNotOfItsGroup) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "Ready"; }));

    api::DriverMachinePoolSpec spec;
    spec.provider_id_list.push_back(Text(world.cloud.vms().front().provider_id));
    world.management.add_pool("copy", 1, spec);
    EXPECT_TRUE(world.eventually(
        [&] { return world.management.pool_ready("copy").starts_with("InstanceKeyTaken: VM "); }));
    world.management.remove<api::DriverMachinePool>("copy");
    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverMachinePool>("copy"); }));

    EXPECT_THAT(vm_names(world.cloud), ElementsAre("m1"));
  });
}

TEST(ProviderPool, FindsItsVmsAgainAfterAMove) {
  InfrastructureFixture world;
  Management target(world.baton, 2);
  world.run([&] {
    target.install();
    {
      const InfrastructureFixture::Process process(world, world.management);
      world.bring_cluster_up();
      world.management.add_pool("mp1", 2);
      EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    }
    const auto moved = world.management.get<api::DriverMachinePool>("mp1")->spec;
    target.add_cluster();
    target.provision_cluster();
    const InfrastructureFixture::Process process(world, target, "second provider");

    target.add_pool("mp1", 2, moved);

    EXPECT_TRUE(world.eventually([&] { return target.has("mp1", 2); }));
    EXPECT_TRUE(target.get<api::DriverMachinePool>("mp1")->spec.provider_id_list == moved.provider_id_list);
    EXPECT_EQ(world.cloud.created(), 2U);
  });
}

TEST(ProviderPool, IsSilentWhenNothingHappens) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 3);
    EXPECT_TRUE(world.eventually([&] { return world.management.pool_ready("mp1") == "Ready: "; }));
    world.pause(1min);
    world.writes.clear();

    world.pause(1h);

    EXPECT_THAT(world.writes, IsEmpty());
  });
}

TEST(ProviderPool, KeepsTheControlPlaneUntilItIsGone) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 1);
    EXPECT_TRUE(world.eventually([&] { return world.management.has("mp1", 1); }));

    world.management.remove<api::DriverCluster>("c1");
    world.pause(30s);
    EXPECT_TRUE(world.management.get<api::DriverCluster>("c1"));
    world.management.remove<api::DriverMachinePool>("mp1");

    EXPECT_TRUE(world.eventually([&] { return !world.management.get<api::DriverCluster>("c1"); }));
  });
}

// --- instances that are Machines ---

api::DriverMachinePoolSpec with_machines() { return {.with_machines = true}; }

// What the core does for such a pool.
class PoolCore {
 public:
  explicit PoolCore(Management& management, std::string pool = "mp1")
      : management_(management), pool_(std::move(pool)) {}

  void turn() {
    const auto machines = all<api::Machine>();
    for (const auto& object : all<api::DriverMachine>()) {
      if (object.metadata.deleting() || object.metadata.controller() != nullptr) continue;
      claim(object, machine_for(object));
    }
    for (const auto& machine : machines) {
      if (machine.metadata.deleting()) end(machine);
    }
  }
  // Of objects that do not have them as owners yet.
  void make_machines() {
    for (const auto& object : all<api::DriverMachine>()) (void)machine_for(object);
  }
  std::vector<std::string> machines() {
    std::vector<std::string> names;
    for (const auto& machine : all<api::Machine>()) names.push_back(machine.metadata.name.str());
    return names;
  }
  std::vector<api::DriverMachine> objects() { return all<api::DriverMachine>(); }
  bool has(std::size_t machines, std::int32_t instances) {
    turn();
    return all<api::Machine>().size() == machines && all<api::DriverMachine>().size() == machines &&
           management_.has(pool_, instances) && management_.pool_ready(pool_) == "Ready: ";
  }

 private:
  template <typename T>
  std::vector<T> all() {
    const auto listed = kube::list<T>(management_.user, {.namespace_ = "default"}, kNever);
    must(listed, "list");
    return listed ? listed->items : std::vector<T>();
  }
  api::Machine machine_for(const api::DriverMachine& object) {
    if (const auto present = management_.get<api::Machine>(object.metadata.name.str())) return *present;
    const auto pool = management_.get<api::MachinePool>(pool_);
    api::Machine machine =
        builders::a_machine(object.metadata.name.view()).finalized_by(api::finalizer::kMachine);
    machine.metadata.owner_references = api::OwnerReferences(
        {runtime::controller_reference(kube::resource_of<api::MachinePool>(), pool->metadata)});
    machine.spec.bootstrap.data_secret_name = Text();
    machine.spec.infrastructure_ref = {.api_group = Text(api::group::kInfrastructure),
                                       .kind = "DriverMachine"_text,
                                       .name = object.metadata.name};
    return management_.put(machine);
  }
  void claim(const api::DriverMachine& object, const api::Machine& machine) {
    api::DriverMachine after = object;
    after.metadata.owner_references = *runtime::with_controller(
        object.metadata.owner_references,
        runtime::controller_reference(kube::resource_of<api::Machine>(), machine.metadata));
    (void)kube::patch(management_.user, object, after, kNever);  // else the next turn does it
  }
  void end(const api::Machine& machine) {
    const auto name = machine.metadata.name.str();
    const auto object = management_.get<api::DriverMachine>(name);
    if (object && !object->metadata.deleting()) management_.remove<api::DriverMachine>(name);
    if (!object)
      must(kube::remove_finalizer(management_.user, machine, api::finalizer::kMachine, kNever), "end");
  }

  Management& management_;
  const std::string pool_;
};

TEST(ProviderPoolWithMachines, MakesADriverMachineForEachInstanceWithTheDataOfThePool) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();

    world.management.add_pool("mp1", 3, with_machines());

    EXPECT_TRUE(world.eventually([&] { return core.has(3, 3); }));
    const auto pool = world.management.get<api::DriverMachinePool>("mp1");
    EXPECT_EQ(pool->status.infrastructure_machine_kind, "DriverMachine");
    EXPECT_TRUE(pool->status.initialization.provisioned.value_or(false));
    EXPECT_TRUE(pool->spec.group_key.empty());
    for (const auto& name : core.machines()) {
      const auto object = world.management.get<api::DriverMachine>(name);
      EXPECT_THAT(name, StartsWith("mp1-"));
      EXPECT_EQ(object->metadata.labels.value_or_empty("cluster.x-k8s.io/pool-name"), "mp1");
      EXPECT_EQ(object->metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
      EXPECT_EQ(object->metadata.controller()->kind, "Machine");
      EXPECT_TRUE(world.eventually([&] { return world.node(name).has_value(); }));
      EXPECT_EQ(world.node(name)->status.node_info->kubelet_version, "v1.35.0")
          << "the pool's, not the Machine's";
    }
  });
}

TEST(ProviderPoolWithMachines, ShrinksByDeletingTheMarkedMachineAndKeepsItListedUntilItIsGone) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 3, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(3, 3); }));
    const auto names = core.machines();
    world.management.change<api::Machine>(names[1], [](api::Machine& machine) {
      machine.metadata.annotations.set(api::annotation::kDeleteMachine, "");
    });

    world.management.resize("mp1", 2);
    EXPECT_TRUE(
        world.eventually([&] { return world.management.get<api::Machine>(names[1])->metadata.deleting(); }));
    world.pause(1min);  // it drains
    EXPECT_TRUE(world.management.has("mp1", 3));
    EXPECT_THAT(world.management.pool_ready("mp1"), StartsWith("Resizing: "));

    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2); }));
    EXPECT_THAT(core.machines(), ElementsAre(names[0], names[2]));
  });
}

// While the request to delete it is on its way.
TEST(ProviderPoolWithMachines, AnInstanceThatAMachineHasJustTakenIsNotDeletedUnderIt) {
  InfrastructureFixture world;
  bool taken = false;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    world.pause(1min);
    EXPECT_EQ(core.objects().size(), 2U);
    world.fault = [&](const FaultPoint& point) {
      if (point.call == Call::Remove && point.kind == "DriverMachine" && !std::exchange(taken, true))
        core.turn();
      return Fault::None;
    };

    world.management.resize("mp1", 1);
    world.pause(1min);

    EXPECT_TRUE(taken);
    const auto going = [](const auto& object) { return object.metadata.deleting(); };
    EXPECT_EQ(std::ranges::count_if(core.objects(), going), 0);
    EXPECT_EQ(core.machines().size(), 2U) << "one of them is on its way out, as its core is to see to";
    EXPECT_TRUE(world.eventually([&] { return core.has(1, 1); }));
  });
}

TEST(ProviderPoolWithMachines, AnInstanceWhoseMachineIsNotItsOwnerYetGoesByThatMachine) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    world.pause(1min);
    core.make_machines();

    world.management.resize("mp1", 1);
    world.pause(1min);

    const auto going = [](const auto& object) { return object.metadata.deleting(); };
    EXPECT_EQ(std::ranges::count_if(core.objects(), going), 0);
    const auto is_going = [&](const auto& name) {
      return world.management.get<api::Machine>(name)->metadata.deleting();
    };
    EXPECT_EQ(std::ranges::count_if(core.machines(), is_going), 1);
    EXPECT_TRUE(world.eventually([&] { return core.has(1, 1); }));
  });
}

TEST(ProviderPoolWithMachines, AMachineOfAnotherThatNamesItsInstanceIsNotDeletedWithIt) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    world.pause(1min);
    core.make_machines();
    for (const auto& name : core.machines())
      world.management.change<api::Machine>(
          name, [](api::Machine& machine) { machine.metadata.owner_references = api::OwnerReferences(); });

    world.management.resize("mp1", 1);
    world.pause(1min);

    for (const auto& name : core.machines())
      EXPECT_FALSE(world.management.get<api::Machine>(name)->metadata.deleting()) << name;
    EXPECT_EQ(core.machines().size(), 2U);
  });
}

TEST(ProviderPoolWithMachines, ReplacesAMachineWhoseVmIsLostByOneOfAnotherName) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2); }));
    const auto names = core.machines();

    world.cloud.vanish(names[0]);

    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2) && world.cloud.created() == 3; }));
    EXPECT_FALSE(world.management.get<api::Machine>(names[0]));
    EXPECT_TRUE(world.management.get<api::Machine>(names[1]));
  });
}

TEST(ProviderPoolWithMachines, ReplacesAMachineThatSomebodyDeleted) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2); }));
    const auto names = core.machines();

    world.management.remove<api::Machine>(names[0]);

    EXPECT_TRUE(
        world.eventually([&] { return core.has(2, 2) && !world.management.get<api::Machine>(names[0]); }));
    EXPECT_EQ(world.cloud.created(), 3U);
  });
}

// What the core and a health check say of a Machine.
void say(Management& management, const std::string& name,
         const std::function<void(builders::MachineBuilder&)>& what) {
  const auto before = management.get<api::Machine>(name);
  if (!before) return;
  builders::MachineBuilder said(name);
  said.on_node(name);
  what(said);
  api::Machine after = *before;
  after.status = said.build().status;
  must(kube::patch_status(management.user, *before, after, kNever), "write the Machine's status");
}
void joins(builders::MachineBuilder& machine) { machine.healthy(); }
void is_handed_over(builders::MachineBuilder& machine) { machine.awaiting_remediation(); }

TEST(ProviderPoolWithMachines, ReplacesOneAfterTheOtherWhomAHealthCheckHandedOver) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 3, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(3, 3); }));
    const auto names = core.machines();
    say(world.management, names[0], joins);
    const auto goes = [&](const std::string& name) {
      const auto machine = world.management.get<api::Machine>(name);
      return !machine || machine->metadata.deleting();
    };

    say(world.management, names[1], is_handed_over);
    say(world.management, names[2], is_handed_over);
    EXPECT_TRUE(world.eventually([&] { return goes(names[1]) || goes(names[2]); }));
    world.pause(1min);  // the first one drains
    EXPECT_NE(goes(names[1]), goes(names[2])) << "never both at once";
    EXPECT_TRUE(world.eventually([&] { return core.has(3, 3); }));
    world.pause(1min);  // it is gone, and who came for it has not joined
    EXPECT_NE(goes(names[1]), goes(names[2]));
    for (const auto& name : core.machines()) {
      if (std::ranges::find(names, name) == names.end()) say(world.management, name, joins);
    }

    EXPECT_TRUE(world.eventually([&] { return core.has(3, 3) && goes(names[1]) && goes(names[2]); }));
    world.pause(1min);  // the second one may have been deleted in the last moment
    EXPECT_TRUE(world.eventually([&] { return core.has(3, 3); }));
    EXPECT_FALSE(goes(names[0]));
    EXPECT_EQ(world.cloud.created(), 5U);
  });
}

TEST(ProviderPoolWithMachines, KeepsAMachineWhoseMarksAreTakenBackJustBeforeItGoes) {
  InfrastructureFixture world;
  bool taken_back = false;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2); }));
    const auto names = core.machines();
    say(world.management, names[0], joins);
    world.fault = [&](const FaultPoint& point) {
      if (point.call == Call::Read && point.kind == "Machine" && !taken_back) {
        taken_back = true;
        say(world.management, names[1], joins);
      }
      return Fault::None;
    };

    say(world.management, names[1], is_handed_over);
    world.pause(2min);
    core.turn();

    EXPECT_TRUE(taken_back);
    EXPECT_FALSE(world.management.get<api::Machine>(names[1])->metadata.deleting());
    EXPECT_EQ(world.cloud.created(), 2U);
  });
}

TEST(ProviderPoolWithMachines, TakesItsMarkOffAMachineThatIsWellAgain) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 1, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(1, 1); }));
    const auto name = core.machines().front();

    say(world.management, name,
        [](builders::MachineBuilder& machine) { machine.awaiting_remediation().healthy(); });
    world.pause(1min);

    const auto machine = world.management.get<api::Machine>(name);
    EXPECT_EQ(api::conditions::find(machine->status.conditions, "OwnerRemediated"), nullptr);
    EXPECT_TRUE(api::conditions::is_true(machine->status.conditions, "HealthCheckSucceeded"));
    EXPECT_FALSE(machine->metadata.deleting());
    EXPECT_EQ((world.writes[{Call::Patch, "Machine"}]), 1);
  });
}

TEST(ProviderPoolWithMachines, OfAFrozenClusterMakesNoMachineAndReplacesNone) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2); }));
    const auto names = core.machines();
    say(world.management, names[0], joins);

    world.management.freeze<api::Cluster>("c1");
    say(world.management, names[1], is_handed_over);
    world.pause(2min);
    EXPECT_THAT(world.management.pool_ready("mp1"), HasSubstr("none is: Cluster c1 is frozen"));
    world.management.resize("mp1", 4);
    world.pause(2min);
    core.turn();

    EXPECT_EQ(core.machines(), names);
    EXPECT_EQ(world.management.pool_ready("mp1"),
              "Resizing: 2 instances are missing; none is made: Cluster c1 is frozen by the annotation "
              "capstan.dev/freeze; take it off");
    world.management.thaw<api::Cluster>("c1");
    EXPECT_TRUE(world.eventually([&] { return core.has(4, 4); }));
  });
}

TEST(ProviderPoolWithMachines, SpreadsInstancesOverTheFailureDomains) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 0, with_machines());
    world.management.change<api::MachinePool>("mp1", [](api::MachinePool& pool) {
      pool.spec.failure_domains = std::vector<Text>{"a"_text, "b"_text};
      pool.spec.replicas = 4;
    });

    EXPECT_TRUE(world.eventually([&] { return core.has(4, 4); }));

    std::multiset<std::string> domains;
    for (const Vm& vm : world.cloud.vms()) domains.insert(vm.failure_domain);
    EXPECT_THAT(domains, ElementsAre("a", "a", "b", "b"));
  });
}

TEST(ProviderPoolWithMachines, SaysWhichInstanceTheCloudRefuses) {
  sim::Script script;
  script.quota.vms = 1;
  InfrastructureFixture world(script);
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();

    world.management.add_pool("mp1", 2, with_machines());

    EXPECT_TRUE(world.eventually([&] {
      core.turn();
      return world.management.has("mp1", 1) &&
             world.management.pool_ready("mp1").starts_with("InstanceNotReady: DriverMachine mp1-");
    }));
    EXPECT_THAT(world.management.pool_ready("mp1"), HasSubstr("quota of 1 VMs reached"));
  });
}

TEST(ProviderPoolWithMachines, DeletesTheMachinesBeforeItGoes) {
  InfrastructureFixture world;
  world.run([&] {
    const InfrastructureFixture::Process process(world, world.management);
    PoolCore core(world.management);
    world.bring_cluster_up();
    world.management.add_pool("mp1", 2, with_machines());
    EXPECT_TRUE(world.eventually([&] { return core.has(2, 2); }));

    world.management.remove<api::DriverMachinePool>("mp1");
    world.pause(1min);
    EXPECT_TRUE(world.management.get<api::DriverMachinePool>("mp1"));
    EXPECT_THAT(vm_names(world.cloud), SizeIs(2)) << "nobody drained them yet";

    EXPECT_TRUE(world.eventually([&] {
      core.turn();
      return !world.management.get<api::DriverMachinePool>("mp1");
    }));
    EXPECT_THAT(core.machines(), IsEmpty());
    EXPECT_THAT(vm_names(world.cloud), IsEmpty());
  });
}

TEST(ProviderPoolWithMachines, MakesNoInstanceTooManyWhateverBefallsItsWrites) {
  constexpr std::array kFaults = {Fault::CrashBefore, Fault::CrashAfter, Fault::LostReply,
                                  Fault::Conflict,    Fault::Timeout,    Fault::Late};
  std::map<Fault, int> fired;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    InfrastructureFixture world({}, seed);
    int budget = 6;
    bool raging = false;
    world.fault = [&](const FaultPoint& point) {
      if (!raging || budget == 0 || !fakes::is_write(point.call) || world.baton.draw(3) != 0)
        return Fault::None;
      --budget;
      const Fault fault = kFaults[world.baton.draw(kFaults.size())];
      ++fired[fault];
      return fault;
    };
    world.run([&] {
      const InfrastructureFixture::Process process(world, world.management);
      PoolCore core(world.management);
      world.bring_cluster_up();
      raging = true;

      world.management.add_pool("mp1", 3, with_machines());
      EXPECT_TRUE(world.eventually([&] { return core.has(3, 3); }, 30min)) << "seed " << seed;
      EXPECT_EQ(world.cloud.created(), 3U) << "seed " << seed;
      world.management.resize("mp1", 1);
      EXPECT_TRUE(world.eventually([&] { return core.has(1, 1); }, 30min)) << "seed " << seed;
      world.pause(2min);
      EXPECT_THAT(vm_names(world.cloud), SizeIs(1)) << "seed " << seed;
      EXPECT_EQ(world.cloud.created(), 3U) << "seed " << seed;
    });
  }
  for (const Fault fault : kFaults) EXPECT_GT(fired[fault], 0) << to_string(fault);
}

}  // namespace
}  // namespace capstan::infrastructure
