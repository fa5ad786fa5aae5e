// Whole deletions with a workload cluster that has Pods: the Machine controller against two embedded API
// servers, in virtual time.
#include "controllers/machine/deletion_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "controllers/machine/turn_fixture.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/gated_client.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

const kube::ObjectKey kTheCluster{"default", "c1"};

const kube::Resource kAttachments{.group = "storage.k8s.io",
                                  .version = "v1",
                                  .plural = "volumeattachments",
                                  .kind = "VolumeAttachment",
                                  .namespaced = false};

// The other API server: one Node, and what the test puts on it.
struct Workload {
  explicit Workload(MachineFixture& world)
      : api({.clock = world.baton}), memory(api, world.baton), client(memory), world_(world) {
    make(kube::resources::nodes(), {},
         {{"kind", "Node"}, {"apiVersion", "v1"}, {"metadata", {{"name", "m1"}}}});
    world.workload_clusters.connect(kTheCluster, &client);
  }

  ~Workload() { world_.stop(); }  // its drains hold watches
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  void make(const kube::Resource& resource, std::string namespace_, const json::value& object) {
    const std::string name(object.at("metadata").at("name").as_string());
    const auto made = memory.create(resource, {std::move(namespace_), name}, object, {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
  }
  void pod(std::string_view name) {
    make(kube::resources::pods(), "default",
         {{"kind", "Pod"},
          {"apiVersion", "v1"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", "x"}}}}},
          {"spec",
           {{"nodeName", "m1"},
            {"terminationGracePeriodSeconds", 0},
            {"containers", {{{"name", "c"}, {"image", "i"}}}}}}});
    const auto running = memory.patch(
        kube::resources::pods(), {"default", std::string(name)},
        {{"status",
          {{"phase", "Running"}, {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}},
        {.subresource = "status"}, Deadline::never());
    ASSERT_TRUE(running) << running.error().describe();
  }
  void budget_that_allows_nothing() {
    make(kube::resources::pod_disruption_budgets(), "default",
         {{"kind", "PodDisruptionBudget"},
          {"apiVersion", "policy/v1"},
          {"metadata", {{"name", "b"}, {"namespace", "default"}}},
          {"spec", {{"maxUnavailable", 0}, {"selector", {{"matchLabels", {{"app", "x"}}}}}}}});
    while (api.run_controllers()) {
    }
  }
  // A volume of an unknown driver: it holds the Machine up once its Pods are gone.
  void attach_a_disk() {
    make(
        kAttachments, {},
        {{"kind", "VolumeAttachment"},
         {"apiVersion", "storage.k8s.io/v1"},
         {"metadata", {{"name", "va"}}},
         {"spec", {{"attacher", "disk"}, {"nodeName", "m1"}, {"source", {{"persistentVolumeName", "pv"}}}}}});
    const auto attached = memory.patch(kAttachments, {.name = "va"}, {{"status", {{"attached", true}}}},
                                       {.subresource = "status"}, Deadline::never());
    ASSERT_TRUE(attached) << attached.error().describe();
  }
  // As the Node's status has it.
  void mount_a_disk() {
    const auto mounted =
        memory.patch(kube::resources::nodes(), {.name = "m1"},
                     {{"status", {{"volumesAttached", json::array{{{"name", "disk"}, {"devicePath", ""}}}}}}},
                     {.subresource = "status"}, Deadline::never());
    ASSERT_TRUE(mounted) << mounted.error().describe();
  }
  void unmount_the_disk() {
    const auto gone =
        memory.patch(kube::resources::nodes(), {.name = "m1"}, {{"status", {{"volumesAttached", nullptr}}}},
                     {.subresource = "status"}, Deadline::never());
    ASSERT_TRUE(gone) << gone.error().describe();
  }
  void detach_the_disk() {
    const auto detached = memory.remove(kAttachments, {.name = "va"}, {}, Deadline::never());
    ASSERT_TRUE(detached) << detached.error().describe();
  }
  // In the cache, under the uid it has here.
  void seen(api::Node node) {
    const auto live = kube::get<api::Node>(memory, {.name = "m1"}, Deadline::never());
    ASSERT_TRUE(live);
    node.metadata.uid = live->metadata.uid;
    world_.workload_clusters.put_node(kTheCluster, std::move(node));
  }
  // The VM under the Node's name is another one now; `cached`: the cache has the Node before still.
  void another_machine_takes_the_name(bool cached) {
    ASSERT_TRUE(memory.remove(kube::resources::nodes(), {.name = "m1"}, {}, Deadline::never()));
    make(kube::resources::nodes(), {},
         {{"kind", "Node"},
          {"apiVersion", "v1"},
          {"metadata", {{"name", "m1"}}},
          {"spec", {{"providerID", "docker:////another"}}}});
    if (!cached) world_.workload_clusters.remove_node(kTheCluster, "m1");
  }
  bool has(const kube::Resource& resource, std::string namespace_, std::string name) {
    return memory.get(resource, {std::move(namespace_), std::move(name)}, Deadline::never()).has_value();
  }
  int evictions() const { return client.count("evict"); }

  apiserver::Api api;
  fakes::MemoryClient memory;
  fakes::RecordingClient client;

 private:
  MachineFixture& world_;
};

void running(MachineFixture& world) {
  world.make_cluster();
  world.make_control_plane_machine();
  world.start();
  world.make_machine();
  world.settle(200ms);
  world.bootstrap_is_done();
  world.infrastructure_is_done();
  world.node_is_there();
  world.settle();
  ASSERT_EQ(world.machine().status.phase, "Running");
  world.forget_what_happened();
}

// ... and the cache has its Node as the other API server has it.
void running(MachineFixture& world, Workload& workload) {
  running(world);
  workload.seen(builders::a_node("m1"));
  world.settle();
  world.forget_what_happened();
}

void rule(MachineFixture& world, std::string_view name, const json::value& drain) {
  world.put(kube::resource_of<api::MachineDrainRule>(),
            {{"kind", "MachineDrainRule"},
             {"apiVersion", "cluster.x-k8s.io/v1beta2"},
             {"metadata", {{"name", name}, {"namespace", "default"}}},
             {"spec", {{"drain", drain}}}});
}

std::string deleting(const MachineFixture& world) {
  const api::Machine machine = world.machine();
  const auto found = api::conditions::find(machine.status.conditions, api::condition::kDeleting);
  return found == nullptr ? "nothing" : found->reason.str() + ": " + found->message.str();
}

void impatient(MachineFixture& world, int drain, int volumes) {
  world.patch(
      machines(), "m1",
      {{"spec",
        {{"deletion", {{"nodeDrainTimeoutSeconds", drain}, {"nodeVolumeDetachTimeoutSeconds", volumes}}}}}});
  world.settle();
}

TEST(DeletionTurns, EmptyTheNodeBeforeAnythingElseGoes) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");

    world.remove(machines(), "m1");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_FALSE(workload.has(kube::resources::pods(), "default", "p"));
    EXPECT_FALSE(workload.has(kube::resources::nodes(), {}, "m1"));
    EXPECT_THAT(world.events.events,
                Contains("Normal SuccessfulDrainNode: success draining Machine's node \"m1\""));
    EXPECT_THAT(world.events.events, Each(Not(StartsWith("Normal NodeVolumesDetached"))))
        << "there were none";
  });
}

// The reference was pointed at the object of another Machine, which is gone by now: the VM runs on behind the
// object that this Machine was made with.
TEST(DeletionTurns, KeepTheNodeWhileItsVmIsBehindAnotherObjectThanItNames) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    world.patch(machines(), "m1", {{"spec", {{"infrastructureRef", {{"name", "another"}}}}}});
    world.settle();

    world.remove(machines(), "m1");
    world.settle(40s);
    const bool kept = workload.has(kube::resources::nodes(), {}, "m1");
    const std::string why = world.exists(machines(), "m1") ? deleting(world) : "the Machine is gone";
    const bool drained = !workload.has(kube::resources::pods(), "default", "p");
    world.remove(kDockerMachines, "m1");
    world.settle(40s);

    EXPECT_TRUE(kept) << "its VM runs";
    EXPECT_THAT(why, HasSubstr("DockerMachine default/m1"));
    EXPECT_THAT(why, HasSubstr("names DockerMachine another, which does not exist"));
    EXPECT_TRUE(drained);
    EXPECT_FALSE(workload.has(kube::resources::nodes(), {}, "m1"));
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

// The turn that ends a drain also deletes the VM, and its status waits: what it knows is not lost by then.
TEST(DeletionTurns, SayWhatBecameOfTheDrainWhileTheVmGoes) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    workload.pod("p");

    world.remove(machines(), "m1");
    world.settle(60s);

    EXPECT_THAT(deleting(world), StartsWith("WaitingForInfrastructureDeletion: "));
    const api::Machine machine = world.machine();
    const auto& older = machine.status.deprecated->v1beta1->conditions;
    EXPECT_TRUE(api::conditions::v1beta1::is_true(older, api::v1beta1_condition::kDrainingSucceeded));
    EXPECT_TRUE(api::conditions::v1beta1::is_true(older, api::v1beta1_condition::kVolumeDetachSucceeded));
    EXPECT_TRUE(machine.status.deletion->node_drain_start_time.is_set());
    EXPECT_TRUE(machine.status.deletion->wait_for_node_volume_detach_start_time.is_set());
  });
}

// Its time is noted once, however long the VM takes.
TEST(DeletionTurns, WaitForAHookThatComesWhileTheVmGoes) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    world.remove(machines(), "m1");
    world.settle(10s);

    world.patch(
        machines(), "m1",
        {{"metadata", {{"annotations", {{"pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", ""}}}}}});
    world.settle(10s);
    const auto since = world.machine().status.deletion->wait_for_pre_terminate_hook_start_time;
    world.forget_what_happened();
    world.settle(60s);

    EXPECT_TRUE(since.is_set());
    EXPECT_EQ(world.machine().status.deletion->wait_for_pre_terminate_hook_start_time, since);
    EXPECT_THAT(world.what_was_written(), testing::IsEmpty());
  });
}

TEST(DeletionTurns, SayWhenTheVolumesTheyWaitedForAreDetached) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.attach_a_disk();
    world.remove(machines(), "m1");
    world.settle(30s);
    EXPECT_THAT(deleting(world), StartsWith("WaitingForVolumeDetach: "));

    workload.detach_the_disk();
    world.settle(60s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_THAT(
        world.events.events,
        Contains("Normal NodeVolumesDetached: success waiting for node volumes detaching Machine's node "
                 "\"m1\"")
            .Times(1));
  });
}

TEST(DeletionTurns, ShowWhichBudgetHoldsUpTheMachineUntilTheDrainTimesOut) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    workload.budget_that_allows_nothing();
    impatient(world, 60, 60);

    world.remove(machines(), "m1");
    world.settle(50s);
    const std::string held = deleting(world);
    world.settle(40s);

    EXPECT_THAT(held, StartsWith("DrainingNode: Drain not completed yet (started at "));
    EXPECT_THAT(
        held, HasSubstr("* Pod default/p: cannot evict pod as it would violate the pod's disruption budget. "
                        "The disruption budget b needs 1 healthy pods and has 1 currently"));
    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_TRUE(workload.has(kube::resources::pods(), "default", "p"));
  });
}

TEST(DeletionTurns, WatchPodsAndBudgetsOnlyWhileTheNodeIsDrained) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    workload.budget_that_allows_nothing();
    workload.attach_a_disk();
    impatient(world, 60, 0);

    world.remove(machines(), "m1");
    world.settle(50s);
    const int meanwhile = workload.client.open_watches();
    world.settle(40s);

    EXPECT_EQ(meanwhile, 2);
    EXPECT_THAT(deleting(world), StartsWith("WaitingForVolumeDetach: "));
    EXPECT_EQ(workload.client.open_watches(), 1)
        << "the drain has run out of time, the Node's volumes are left";
  });
}

TEST(DeletionTurns, WatchNothingForAMachineThatIsPaused) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    workload.budget_that_allows_nothing();
    world.remove(machines(), "m1");
    world.settle(30s);
    ASSERT_EQ(workload.client.open_watches(), 2);
    const auto pause = [&](const json::value& value) {
      world.patch(machines(), "m1", {{"metadata", {{"annotations", {{"cluster.x-k8s.io/paused", value}}}}}});
      world.settle(30s);
    };

    pause("");
    EXPECT_EQ(workload.client.open_watches(), 0);

    pause(nullptr);
    EXPECT_EQ(workload.client.open_watches(), 2);
  });
}

TEST(DeletionTurns, TellOfDrainRulesThatContradictEachOtherAndGoOnWhenTheyDoNoMore) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    rule(world, "a", {{"behavior", "WaitCompleted"}});
    rule(world, "b", {{"behavior", "Drain"}, {"order", 5}});
    world.settle();

    world.remove(machines(), "m1");
    world.settle(600s);
    const std::string held = deleting(world);
    world.remove(kube::resource_of<api::MachineDrainRule>(), "a");
    world.settle(10s);

    const std::string_view remedy =
        "MachineDrainRules a (WaitCompleted) and b (Drain, order 5) contradict each other about Pod "
        "default/p: a counts, its name comes first; "
        "change spec.pods so that only one of them matches, or delete one";
    EXPECT_THAT(held, HasSubstr("* Pod default/p: waiting for completion\n* " + std::string(remedy)));
    EXPECT_EQ(std::ranges::count(world.events.events, "Warning DrainRulesContradict: " + std::string(remedy)),
              1);
    EXPECT_FALSE(world.exists(machines(), "m1")) << "without waiting for the next look";
  });
}

TEST(DeletionTurns, LeaveTheNodeOfAnotherMachineThatTookTheName) {
  for (const bool cached : {true, false}) {
    in_simulation([&](MachineFixture& world) {
      Workload workload(world);
      running(world, workload);
      const auto hook = [](const json::value& value) -> json::value {
        return {{"metadata",
                 {{"annotations", {{"pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", value}}}}}};
      };
      world.patch(machines(), "m1", hook(""));
      world.remove(machines(), "m1");
      world.settle(30s);
      ASSERT_THAT(deleting(world), StartsWith("WaitingForPreTerminateHook: "));

      workload.another_machine_takes_the_name(cached);
      world.patch(machines(), "m1", hook(nullptr));
      world.settle(30s);

      EXPECT_FALSE(world.exists(machines(), "m1"));
      EXPECT_TRUE(workload.has(kube::resources::nodes(), {}, "m1"));
    });
  }
}

TEST(DeletionTurns, DoNotDrainTwice) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    world.patch(
        machines(), "m1",
        {{"metadata", {{"annotations", {{"pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", ""}}}}}});
    workload.pod("p");
    world.remove(machines(), "m1");
    world.settle(30s);
    ASSERT_THAT(deleting(world), StartsWith("WaitingForPreTerminateHook: "));
    ASSERT_EQ(workload.evictions(), 1);

    workload.pod("late");
    world.patch(machines(), "m1", {{"metadata", {{"labels", {{"something", "changed"}}}}}});
    world.settle(60s);
    EXPECT_EQ(workload.evictions(), 1);

    world.patch(machines(), "m1",
                {{"metadata",
                  {{"annotations", {{"pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", nullptr}}}}}});
    world.settle(30s);
    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_EQ(workload.evictions(), 1);
  });
}

TEST(DeletionTurns, WaitForPreDrainHooksBeforeTheFirstEviction) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    const auto hook = [](const json::value& value) -> json::value {
      return {{"metadata", {{"annotations", {{"pre-drain.delete.hook.machine.cluster.x-k8s.io/a", value}}}}}};
    };
    world.patch(machines(), "m1", hook(""));
    world.remove(machines(), "m1");
    world.settle(60s);
    EXPECT_THAT(deleting(world), StartsWith("WaitingForPreDrainHook: "));
    EXPECT_EQ(workload.evictions(), 0);
    EXPECT_TRUE(world.machine().status.deletion->wait_for_pre_drain_hook_start_time.is_set());

    world.patch(machines(), "m1", hook(nullptr));
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

TEST(DeletionTurns, GetPastAClusterThatIsOutOfReachWhenAllTimeoutsAreOver) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    impatient(world, 30, 30);
    world.workload_clusters.lose(kTheCluster);

    world.remove(machines(), "m1");
    world.settle(10s);
    const std::string held = deleting(world);
    world.settle(120s);

    EXPECT_THAT(held,
                StartsWith("DrainingNode: Error draining Node, please check controller logs for errors"));
    EXPECT_THAT(held, HasSubstr("probe failed"));
    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_THAT(world.events.events, Contains(StartsWith("Warning FailedDrainNode: ")));
    EXPECT_THAT(world.events.events, Contains(StartsWith("Warning FailedDeleteNode: ")));
  });
}

TEST(DeletionTurns, GoOnWhenTheClusterIsInReachAgain) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    world.workload_clusters.lose(kTheCluster);
    world.remove(machines(), "m1");
    world.settle(600s);
    ASSERT_TRUE(world.exists(machines(), "m1"));

    world.workload_clusters.connect(kTheCluster, &workload.client);
    world.settle(60s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_FALSE(workload.has(kube::resources::pods(), "default", "p"));
  });
}

// A thousand Machines of one cluster go at once: that one finds no free place at its API server is no
// failure, but what it waits for.
TEST(DeletionTurns, TellAtOnceOfAPlaceInTheQueueAndComeBackSoon) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world);
    workload.client.refuse("list", {.code = Code::RateLimited,
                                    .message = "4 in flight",
                                    .retry_after = Seconds(1),
                                    .reason = std::string(kubeconfig::kCrowdedOut)});

    world.remove(machines(), "m1");
    world.settle(500ms);
    const std::string meanwhile = deleting(world);
    world.settle(5s);
    const auto written = world.what_was_written();
    workload.client.allow();
    world.settle(5s);

    EXPECT_THAT(meanwhile,
                StartsWith("DrainingNode: Waiting for a free place at the API server of Cluster c1"));
    EXPECT_EQ(std::ranges::count(written, "patch machines/status m1"), 1) << "shown once";
    EXPECT_THAT(world.events.events, Not(Contains(StartsWith("Warning FailedDrainNode"))));
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

// The attach-detach controller takes the volume off the Node's status, and that is an event.
TEST(DeletionTurns, GoOnAsSoonAsTheNodeHasNoVolumeAnyMore) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.mount_a_disk();
    world.remove(machines(), "m1");
    world.settle(200s);  // until it looks once a minute only
    ASSERT_THAT(deleting(world), StartsWith("WaitingForVolumeDetach: "));
    workload.client.forget();
    world.settle(100s);
    const int polls = workload.client.reads();

    workload.unmount_the_disk();
    world.settle(2s);

    EXPECT_LE(polls, 6) << "Node, attachments and volumes, once a minute";
    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_EQ(workload.client.open_watches(), 0);
  });
}

// With a Status, or with the line of text that an overloaded one has left.
TEST(DeletionTurns, TellOfAServerThatRefusesForItself) {
  for (const auto* reason : {"TooManyRequests", ""}) {
    in_simulation([reason](MachineFixture& world) {
      Workload workload(world);
      running(world);
      workload.client.refuse("list", {.code = Code::RateLimited,
                                      .message = "too many requests",
                                      .retry_after = Seconds(1),
                                      .reason = reason});

      world.remove(machines(), "m1");
      world.settle(5s);

      EXPECT_THAT(deleting(world), HasSubstr("too many requests"));
      EXPECT_THAT(world.events.events, Contains(StartsWith("Warning FailedDrainNode")));
    });
  }
}

TEST(DeletionTurns, ReadLittleForANodeWithoutPods) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.client.forget();

    world.remove(machines(), "m1");
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_EQ(workload.client.reads(), 3)
        << "Node (the cached one has another version here), Pods, attachments";
    EXPECT_EQ(workload.client.count("delete nodes m1"), 1);
  });
}

// --- by force ---

void by_force(MachineFixture& world) {
  world.patch(machines(), "m1", {{"metadata", {{"labels", {{"capstan.dev/force-deletion", "true"}}}}}});
}

TEST(DeletionTurns, DeletePodsByForceWhereALabelSaysSoAndWaitForNoVolume) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    workload.pod("p");
    workload.budget_that_allows_nothing();
    workload.attach_a_disk();
    by_force(world);

    world.remove(machines(), "m1");
    world.settle(60s);

    EXPECT_FALSE(workload.has(kube::resources::pods(), "default", "p"));
    EXPECT_EQ(workload.evictions(), 0);
    EXPECT_EQ(deleting(world),
              "WaitingForInfrastructureDeletion: Waiting for DockerMachine to be deleted\n"
              "* drain by force: label capstan.dev/force-deletion");
    EXPECT_THAT(world.events.events,
                Contains("Warning NodeDrainedByForce: drained Machine's node \"m1\" by force (label "
                         "capstan.dev/force-deletion): deleted Pods default/p"));
    EXPECT_EQ(std::ranges::count_if(world.events.events,
                                    [](const auto& each) { return each.contains("NodeDrainedByForce"); }),
              1);
  });
}

TEST(DeletionTurns, ByForceDeleteVolumeAttachmentsOnceTheVmIsGone) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}}});
    workload.attach_a_disk();
    by_force(world);

    world.remove(machines(), "m1");
    world.settle(60s);
    EXPECT_TRUE(workload.has(kAttachments, "", "va")) << "the VM is there";
    world.patch(kDockerMachines, "m1", {{"metadata", {{"finalizers", json::array()}}}});
    world.settle(60s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_FALSE(workload.has(kAttachments, "", "va"));
    EXPECT_THAT(world.events.events, Contains("Warning VolumeAttachmentsDeleted: deleted VolumeAttachments "
                                              "va of Machine's node \"m1\""));
  });
}

// It was forced half way: a user has seen that the budget never opens.
TEST(DeletionTurns, TurnIntoDeletionsByForceOnceTheLabelComes) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    workload.budget_that_allows_nothing();
    world.remove(machines(), "m1");
    world.settle(60s);
    ASSERT_TRUE(workload.has(kube::resources::pods(), "default", "p"));

    by_force(world);
    world.settle(30s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_FALSE(workload.has(kube::resources::pods(), "default", "p"));
  });
}

TEST(DeletionTurns, ByForceGetPastAClusterThatIsOutOfReach) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    by_force(world);
    world.workload_clusters.lose(kTheCluster);

    world.remove(machines(), "m1");
    world.settle(30s);
    const std::string held = deleting(world);
    world.settle(120s);

    EXPECT_THAT(held, StartsWith("DrainingNode: Error draining Node"));
    EXPECT_FALSE(world.exists(machines(), "m1"));
  });
}

TEST(DeletionTurns, GoByTheMachinesOwnDrainTimeoutAndNameOneThatMeansNothing) {
  in_simulation([](MachineFixture& world) {
    Workload workload(world);
    running(world, workload);
    workload.pod("p");
    workload.budget_that_allows_nothing();
    const auto own = [](std::string_view value) -> json::value {
      return {{"metadata", {{"annotations", {{"capstan.dev/drain-timeout-seconds", value}}}}}};
    };
    world.patch(machines(), "m1", own("soon"));
    world.remove(machines(), "m1");
    world.settle(60s);
    EXPECT_THAT(deleting(world), HasSubstr("\n* annotation capstan.dev/drain-timeout-seconds: \"soon\" is "
                                           "ignored, a whole number of seconds"));

    world.patch(machines(), "m1", own("90"));
    world.settle(60s);

    EXPECT_FALSE(world.exists(machines(), "m1"));
    EXPECT_TRUE(workload.has(kube::resources::pods(), "default", "p"))
        << "without a policy it is left running";
  });
}

}  // namespace
}  // namespace capstan::controllers::machine
