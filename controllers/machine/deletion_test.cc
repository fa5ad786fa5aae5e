#include "controllers/machine/deletion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/v1beta1.h"
#include "controllers/drain/pace.h"
#include "controllers/machine/hooks.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::noon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Do = Step::Act;
using State = Known::State;

// A running Machine of a healthy cluster, deleted this minute: everything is still to be done.
struct DeletedMachine {
  api::Machine machine = a_machine("m").running().deleting(noon());
  api::Cluster cluster = a_cluster("c1").running();
  DeletionFacts facts = {.now = noon(),
                         .cluster_known = {.state = State::Present},
                         .control_plane = {.object = {.state = State::Present, .kind = "KubeadmControlPlane"},
                                           .active_machines = 3},
                         .node = "m",
                         .infrastructure = {.state = State::Present, .kind = "DockerMachine"},
                         .bootstrap = {.state = State::Present, .kind = "KubeadmConfig"}};

  const DeletionFacts& seen() {
    facts.machine = &machine;
    facts.cluster = &cluster;
    return facts;
  }
  Step step() {
    Step next = next_step(seen());
    facts.marks = next.marks;
    return next;
  }
  DeletedMachine& drained() {
    facts.drain = drain::StageReport::finished();
    return *this;
  }
  DeletedMachine& detached() {
    facts.volumes = drain::StageReport::finished();
    return *this;
  }
  DeletedMachine& without_objects() {
    facts.infrastructure.state = State::Gone;
    facts.bootstrap.state = State::Gone;
    return *this;
  }
  DeletedMachine& deleting_because(std::string_view reason, std::string_view message = {}) {
    machine = builders::MachineBuilder(a_machine("m").running().deleting(noon()))
                  .condition(api::condition::kDeleting, "True", reason, message);
    return *this;
  }
  NodeVerdict::State node() { return may_delete_node(seen()).state; }
};

drain::StageReport held_up(std::string message, Seconds recheck = Seconds(20)) {
  return {.message = std::move(message), .recheck = recheck};
}
drain::StageReport failed(std::string why) {
  return {.recheck = Seconds(20), .trouble = Error{.code = Code::NotConnected, .message = std::move(why)}};
}

// --- the whole way ---

TEST(NextStep, GoesFromDrainToFinalizerInOrder) {
  DeletedMachine world;
  std::vector<Do> acts;

  for (;;) {
    const Step step = world.step();
    ASSERT_EQ(step.answer, Step::Answer::Act) << step.message;
    acts.push_back(step.act);
    if (step.act == Do::Drain) world.drained();
    if (step.act == Do::CheckVolumes) world.detached();
    if (step.act == Do::DeleteInfra) world.facts.infrastructure.state = State::Gone;
    if (step.act == Do::DeleteBootstrap) world.facts.bootstrap.state = State::Gone;
    if (step.act == Do::DeleteNode) world.facts.node_deletion = drain::StageReport::finished();
    if (step.act == Do::RemoveFinalizer) break;
  }

  EXPECT_THAT(acts, ElementsAre(Do::Drain, Do::CheckVolumes, Do::DeleteInfra, Do::DeleteBootstrap,
                                Do::DeleteNode, Do::RemoveFinalizer));
}

// --- VolumeAttachments ---

TEST(Attachments, AreDeletedOnceTheVmIsConfirmedToBeGone) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.choices.deletes_attachments = true;
  EXPECT_EQ(world.step().act, Do::DeleteInfra) << "the Node answers";

  world.facts.delete_sent = Stage::DeleteBootstrap;
  world.facts.bootstrap.state = State::Gone;
  world.facts.infrastructure.state = State::Missing;
  EXPECT_EQ(world.step().act, Do::ConfirmInfraGone) << "so far only the cache says so";

  world.facts.infrastructure.state = State::Gone;
  EXPECT_EQ(world.step().act, Do::DeleteAttachments);
  EXPECT_EQ(world.step().reason, "DeletingNode");

  world.facts.attachments = drain::StageReport::finished();
  EXPECT_EQ(world.step().act, Do::DeleteNode);
}

TEST(Attachments, OfANodeOutOfReachGoBeforeItsVm) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.choices.deletes_attachments = true;
  world.facts.node_unreachable = true;

  EXPECT_EQ(world.step().act, Do::DeleteAttachments);
  world.facts.attachments = drain::StageReport::finished();
  EXPECT_EQ(world.step().act, Do::DeleteInfra);
}

TEST(Attachments, StayWhereNothingAsksForIt) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.node_unreachable = true;
  EXPECT_EQ(world.step().act, Do::DeleteInfra);

  world.facts.infrastructure.state = State::Gone;
  world.facts.bootstrap.state = State::Gone;

  EXPECT_EQ(world.step().act, Do::DeleteNode);
}

TEST(Attachments, AreLeftAfterAMinuteInVain) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.choices.deletes_attachments = true;
  world.facts.infrastructure.state = State::Gone;
  world.facts.bootstrap.state = State::Gone;
  world.facts.attachments = failed("no route");

  const Step held = world.step();
  EXPECT_EQ(held.answer, Step::Answer::Wait);
  EXPECT_THAT(held.message, HasSubstr("Error deleting VolumeAttachments of the Node"));

  world.facts.attachments_tried_for = Seconds(60);
  EXPECT_EQ(world.step().act, Do::DeleteNode);
}

TEST(Attachments, StayWhileCachesAreBehind) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.choices.deletes_attachments = true;
  world.facts.node_unreachable = true;
  world.facts.fresh = false;

  EXPECT_EQ(world.step().answer, Step::Answer::Wait);
}

TEST(NextStep, ChangesNothingWhenAskedTwice) {
  DeletedMachine world;
  const Step once = world.step();

  const Step twice = world.step();

  EXPECT_EQ(twice.act, once.act);
  EXPECT_EQ(twice.marks, once.marks);
}

TEST(NextStep, LetsAMachineGoThatNeverGotAnything) {
  DeletedMachine world;
  world.facts.node.clear();
  world.without_objects();

  const Step step = world.step();

  EXPECT_EQ(step.act, Do::RemoveFinalizer);
  EXPECT_EQ(step.reason, "DeletionCompleted");
  EXPECT_EQ(step.message, "Deletion completed");
  EXPECT_EQ(step.marks, api::MachineDeletionStatus());
}

TEST(NextStep, DestroysNothingWhileCachesAreBehind) {
  DeletedMachine world;
  world.facts.fresh = false;
  EXPECT_EQ(world.step().answer, Step::Answer::Wait) << "drain";

  world.drained().detached();
  EXPECT_EQ(world.step().reason, "WaitingForInfrastructureDeletion");
  EXPECT_EQ(world.step().answer, Step::Answer::Wait) << "infrastructure";

  world.facts.infrastructure.state = State::Gone;
  EXPECT_EQ(world.step().answer, Step::Answer::Wait) << "bootstrap";

  world.facts.bootstrap.state = State::Gone;
  EXPECT_EQ(world.step().reason, "DeletingNode");
  EXPECT_EQ(world.step().answer, Step::Answer::Wait) << "Node";

  world.facts.node_deletion = drain::StageReport::finished();
  EXPECT_EQ(world.step().answer, Step::Answer::Wait) << "finalizer";
}

TEST(NextStep, SaysTheSameAsBeforeWhileCachesAreBehind) {
  DeletedMachine world;
  world.deleting_because("DrainingNode", "two Pods to go");
  world.facts.fresh = false;

  EXPECT_EQ(world.step().message, "two Pods to go");
}

// --- is the Node to be touched ---

TEST(MayDeleteNode, WhenTheClusterLives) { EXPECT_EQ(DeletedMachine().node(), NodeVerdict::State::Allowed); }

TEST(MayDeleteNode, NotWhenTheClusterIsGoing) {
  DeletedMachine world;
  world.cluster.metadata.deletion_timestamp = noon();

  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);
}

TEST(MayDeleteNode, NotWhenTheClusterIsGone) {
  DeletedMachine world;
  world.facts.cluster_known.state = State::Gone;

  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);
}

TEST(MayDeleteNode, AsksBeforeItBelievesThatTheClusterIsGone) {
  DeletedMachine world;
  world.facts.cluster_known.state = State::Missing;

  EXPECT_EQ(world.step().act, Do::ConfirmClusterGone);
}

TEST(MayDeleteNode, NotWithoutANode) {
  DeletedMachine world;
  world.facts.node.clear();

  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);
}

TEST(MayDeleteNode, NotWhenAnotherInstanceHasRegisteredUnderItsName) {
  DeletedMachine world;
  world.facts.node_provider_id = "sim://other";
  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);

  world.facts.node_provider_id = world.machine.spec.provider_id.str();
  EXPECT_EQ(world.node(), NodeVerdict::State::Allowed);
}

TEST(MayDeleteNode, NotOfAnInstanceThatStaysBecauseAnotherControlsIt) {
  DeletedMachine world;
  world.facts.infrastructure = {.kind = "DockerMachine"};
  world.facts.not_its_own = "DockerMachine default/m is controlled by Machine other already";

  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);
}

TEST(MayDeleteNode, NotWhenTheControlPlaneIsGoing) {
  DeletedMachine world;
  world.facts.control_plane.object.state = State::Deleting;

  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);
}

TEST(MayDeleteNode, NotWithoutControlPlaneMachines) {
  DeletedMachine world;
  world.facts.control_plane.active_machines = 0;

  EXPECT_EQ(world.node(), NodeVerdict::State::NotAllowed);
}

TEST(MayDeleteNode, WithoutControlPlaneMachinesWhenItIsHostedElsewhere) {
  DeletedMachine world;
  world.facts.control_plane = {.object = {.state = State::Present}, .externally_managed = true};

  EXPECT_EQ(world.node(), NodeVerdict::State::Allowed);
}

TEST(MayDeleteNode, WithControlPlaneMachinesThatNobodyHasAControlPlaneFor) {
  DeletedMachine world;
  for (const State state : {State::None, State::Gone, State::Missing}) {
    world.facts.control_plane.object.state = state;
    EXPECT_EQ(world.node(), NodeVerdict::State::Allowed) << static_cast<int>(state);
  }
}

TEST(MayDeleteNode, AsksForAControlPlaneWhenNothingElseSpeaksForTheNode) {
  DeletedMachine world;
  world.facts.control_plane = {.object = {.state = State::Missing}};

  EXPECT_EQ(world.step().act, Do::ConfirmControlPlaneGone);
}

TEST(MayDeleteNode, StopsWhenItCannotBeFoundOut) {
  DeletedMachine world;
  world.facts.control_plane.object = {.state = State::Unknown, .problem = "no such CRD"};

  const Step step = world.step();

  EXPECT_EQ(step.answer, Step::Answer::Wait);
  EXPECT_EQ(step.reason, "InternalError");
  EXPECT_THAT(step.message, HasSubstr("no such CRD"));
  EXPECT_TRUE(step.trouble);
}

// --- deletion never blocks on what is gone ---

TEST(NextStep, DoesNotTouchTheNodeOfAClusterThatIsGone) {
  DeletedMachine world;
  world.facts.cluster_known.state = State::Gone;

  EXPECT_EQ(world.step().act, Do::DeleteInfra);
  world.without_objects();
  EXPECT_EQ(world.step().act, Do::RemoveFinalizer);
}

TEST(NextStep, HonoursPreTerminateHooksEvenThen) {
  DeletedMachine world;
  world.facts.cluster_known.state = State::Gone;
  world.machine.metadata.annotations.set("pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", "");

  EXPECT_EQ(world.step().reason, "WaitingForPreTerminateHook");
}

// --- hooks ---

TEST(Hooks, AreFoundByPrefixAndSorted) {
  DeletedMachine world;
  auto& annotations = world.machine.metadata.annotations;
  annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/b", "owner");
  annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io", "");
  annotations.set("pre-terminate.delete.hook.machine.cluster.x-k8s.io/c", "");

  EXPECT_THAT(pre_drain_hooks(world.machine.metadata),
              ElementsAre("pre-drain.delete.hook.machine.cluster.x-k8s.io",
                          "pre-drain.delete.hook.machine.cluster.x-k8s.io/b"));
  EXPECT_THAT(pre_terminate_hooks(world.machine.metadata),
              ElementsAre("pre-terminate.delete.hook.machine.cluster.x-k8s.io/c"));
  EXPECT_THAT(pre_drain_hooks(a_machine("n").build().metadata), IsEmpty());
}

TEST(NextStep, WaitsForPreDrainHooksAndNamesThem) {
  DeletedMachine world;
  world.machine.metadata.annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/b", "");
  world.machine.metadata.annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/a", "");

  const Step step = world.step();

  EXPECT_EQ(step.reason, "WaitingForPreDrainHook");
  EXPECT_EQ(step.message,
            "Waiting for pre-drain hooks to succeed (hooks: pre-drain.delete.hook.machine.cluster.x-k8s.io/a,"
            "pre-drain.delete.hook.machine.cluster.x-k8s.io/b)");
  EXPECT_EQ(step.marks.wait_for_pre_drain_hook_start_time, noon());
  EXPECT_FALSE(step.recheck) << "the annotation's removal is an event";
}

TEST(NextStep, IgnoresPreDrainHooksOfNodesThatAreNotDrained) {
  DeletedMachine world;
  world.facts.control_plane.active_machines = 0;
  world.machine.metadata.annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/a", "");

  EXPECT_EQ(world.step().act, Do::DeleteInfra);
}

TEST(NextStep, KeepsTheFirstStartOfAHook) {
  DeletedMachine world;
  world.machine.metadata.annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/a", "");
  world.step();
  world.facts.now = noon() + Seconds(60);

  EXPECT_EQ(world.step().marks.wait_for_pre_drain_hook_start_time, noon());
}

TEST(NextStep, WaitsForPreTerminateHooksAfterTheVolumes) {
  DeletedMachine world;
  world.machine.metadata.annotations.set("pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", "");
  EXPECT_EQ(world.step().act, Do::Drain);
  EXPECT_EQ(world.drained().step().act, Do::CheckVolumes);

  const Step step = world.detached().step();

  EXPECT_EQ(step.reason, "WaitingForPreTerminateHook");
  EXPECT_EQ(step.marks.wait_for_pre_terminate_hook_start_time, noon());
}

// --- drain ---

TEST(NextStep, StartsTheDrainOnceAndShowsItsProgress) {
  DeletedMachine world;
  EXPECT_EQ(world.step().marks.node_drain_start_time, noon());
  world.facts.drain = held_up("Drain not completed yet", Seconds(45));
  world.facts.now = noon() + Seconds(30);

  const Step step = world.step();

  EXPECT_EQ(step.reason, "DrainingNode");
  EXPECT_EQ(step.message, "Drain not completed yet");
  EXPECT_EQ(step.recheck, Seconds(45));
  EXPECT_EQ(step.marks.node_drain_start_time, noon());
}

TEST(NextStep, SkipsTheDrainOfAnExcludedMachineButWaitsForVolumes) {
  DeletedMachine world;
  world.machine.metadata.annotations.set(api::annotation::kExcludeNodeDraining, "");

  const Step step = world.step();

  EXPECT_EQ(step.act, Do::CheckVolumes);
  EXPECT_FALSE(step.marks.node_drain_start_time.is_set());
}

TEST(NextStep, SkipsTheDrainWhenTheInfrastructureIsGoing) {
  DeletedMachine world;
  world.facts.infrastructure.state = State::Deleting;

  const Step step = world.step();

  EXPECT_EQ(step.reason, "WaitingForInfrastructureDeletion");
  EXPECT_EQ(step.message, "Waiting for DockerMachine to be deleted");
}

TEST(NextStep, AsksWhetherTheInfrastructureIsGoneBeforeItSkipsTheDrain) {
  DeletedMachine world;
  world.facts.infrastructure.state = State::Missing;
  EXPECT_EQ(world.step().act, Do::ConfirmInfraGone);

  world.facts.infrastructure.state = State::Gone;
  EXPECT_EQ(world.step().act, Do::DeleteBootstrap);
}

TEST(NextStep, DrainsNothingWhenTheInfrastructureCannotBeRead) {
  DeletedMachine world;
  world.facts.infrastructure = {
      .state = State::Unknown, .kind = "DockerMachine", .problem = "no contract label"};

  const Step step = world.step();

  EXPECT_EQ(step.reason, "InternalError");
  EXPECT_THAT(step.message, HasSubstr("no contract label"));
}

TEST(NextStep, GivesADrainUpWhenItsTimeIsOver) {
  DeletedMachine world;
  world.machine.spec.deletion.node_drain_timeout_seconds = 60;
  world.step();
  world.facts.drain = held_up("held up");
  world.facts.now = noon() + Seconds(59);
  EXPECT_EQ(world.step().reason, "DrainingNode");
  EXPECT_EQ(world.step().recheck, Seconds(1)) << "looks again when the time is over";

  world.facts.now = noon() + Seconds(60);

  EXPECT_EQ(world.step().act, Do::CheckVolumes);
}

TEST(NextStep, DrainsForEverWithoutATimeout) {
  DeletedMachine world;
  for (const std::optional<std::int32_t> timeout :
       {std::optional<std::int32_t>(), std::optional<std::int32_t>(0)}) {
    world.machine.spec.deletion.node_drain_timeout_seconds = timeout;
    world.facts.marks.node_drain_start_time = noon();
    world.facts.drain = held_up("held up");
    world.facts.now = noon() + std::chrono::hours(24 * 365);

    EXPECT_EQ(world.step().reason, "DrainingNode");
  }
}

TEST(NextStep, TellsWhyADrainCannotBeTried) {
  DeletedMachine world;
  world.facts.drain = failed("workload cluster is not connected");

  const Step step = world.step();

  EXPECT_EQ(step.reason, "DrainingNode");
  EXPECT_EQ(
      step.message,
      "Error draining Node, please check controller logs for errors\n* workload cluster is not connected");
  EXPECT_TRUE(step.trouble);
  EXPECT_EQ(step.recheck, Seconds(20));
}

TEST(NextStep, ATimeoutEndsADrainThatCannotBeTried) {
  DeletedMachine world;
  world.machine.spec.deletion.node_drain_timeout_seconds = 60;
  world.facts.marks.node_drain_start_time = noon();
  world.facts.drain = failed("not connected");
  world.facts.now = noon() + Seconds(61);

  EXPECT_EQ(world.step().act, Do::CheckVolumes);
}

// Upstream drains again in every turn until the pre-terminate hooks begin.
TEST(NextStep, DoesNotStartAFinishedDrainAgain) {
  DeletedMachine waiting_for_volumes;
  waiting_for_volumes.facts.marks.node_drain_start_time = noon();
  waiting_for_volumes.facts.marks.wait_for_node_volume_detach_start_time = noon();
  EXPECT_EQ(waiting_for_volumes.step().act, Do::CheckVolumes);

  DeletedMachine waiting_for_hooks;
  waiting_for_hooks.facts.marks.wait_for_pre_terminate_hook_start_time = noon();
  EXPECT_EQ(waiting_for_hooks.step().act, Do::DeleteInfra);

  DeletedMachine drained;
  api::conditions::v1beta1::set(drained.machine.status.deprecated.ensure().v1beta1.ensure().conditions,
                                api::conditions::v1beta1::yes("DrainingSucceeded"), noon());
  EXPECT_EQ(drained.step().act, Do::CheckVolumes);
}

// --- volumes ---

TEST(NextStep, WaitsForVolumesUntilTheirTimeIsOver) {
  DeletedMachine world;
  world.machine.spec.deletion.node_volume_detach_timeout_seconds = 30;
  world.drained().step();
  world.facts.volumes = held_up("Waiting for Node volumes to be detached");
  world.facts.now = noon() + Seconds(29);
  const Step step = world.step();
  EXPECT_EQ(step.reason, "WaitingForVolumeDetach");
  EXPECT_EQ(step.marks.wait_for_node_volume_detach_start_time, noon());
  EXPECT_EQ(step.recheck, Seconds(1));

  world.facts.now = noon() + Seconds(30);

  EXPECT_EQ(world.step().act, Do::DeleteInfra);
}

TEST(NextStep, TellsWhyVolumesCannotBeLookedAt) {
  DeletedMachine world;
  world.drained().facts.volumes = failed("not connected");

  EXPECT_THAT(
      world.step().message,
      StartsWith("Error waiting for volumes to be detached from Node, please check controller logs for "
                 "errors"));
}

TEST(NextStep, DoesNotWaitForVolumesOfAnExcludedMachine) {
  DeletedMachine world;
  world.machine.metadata.annotations.set(api::annotation::kExcludeWaitForNodeVolumeDetach, "");

  EXPECT_EQ(world.drained().step().act, Do::DeleteInfra);
}

// --- what providers made ---

TEST(NextStep, WaitsUntilInfrastructureAndThenBootstrapAreGone) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.infrastructure.state = State::Deleting;
  EXPECT_EQ(world.step().message, "Waiting for DockerMachine to be deleted");

  world.facts.infrastructure.state = State::Gone;
  EXPECT_EQ(world.step().act, Do::DeleteBootstrap);

  world.facts.bootstrap.state = State::Deleting;
  const Step step = world.step();
  EXPECT_EQ(step.reason, "WaitingForBootstrapDeletion");
  EXPECT_EQ(step.message, "Waiting for KubeadmConfig to be deleted");
}

TEST(NextStep, BelievesTheCacheAboutWhatItHasToldToGo) {
  DeletedMachine world;
  world.deleting_because("WaitingForInfrastructureDeletion").drained().detached();
  world.facts.infrastructure.state = State::Missing;
  EXPECT_EQ(world.step().act, Do::DeleteBootstrap);

  world.facts.bootstrap.state = State::Missing;
  EXPECT_EQ(world.step().act, Do::ConfirmBootstrapGone) << "no DELETE was sent for that one";

  world.deleting_because("WaitingForBootstrapDeletion").drained().detached();
  EXPECT_EQ(world.step().act, Do::DeleteNode);
}

// The condition that says so is written later, or never.
TEST(NextStep, BelievesTheCacheAboutWhatThisProcessHasToldToGo) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.delete_sent = Stage::DeleteInfra;
  world.facts.infrastructure.state = State::Missing;
  EXPECT_EQ(world.step().act, Do::DeleteBootstrap);

  world.facts.bootstrap.state = State::Missing;
  EXPECT_EQ(world.step().act, Do::ConfirmBootstrapGone) << "no DELETE was sent for that one";

  world.facts.delete_sent = Stage::DeleteBootstrap;
  EXPECT_EQ(world.step().act, Do::DeleteNode);
}

TEST(NextStep, TellsWhyTheInfrastructureCannotBeDeleted) {
  DeletedMachine world;
  world.drained().detached();
  world.facts.infrastructure_trouble = Error{.code = Code::Forbidden, .message = "not allowed"};

  const Step step = world.step();

  EXPECT_EQ(step.reason, "InternalError");
  EXPECT_EQ(step.message,
            "Failed to delete DockerMachine, please check controller logs for errors\n* not allowed");
  EXPECT_TRUE(step.trouble);
}

TEST(NextStep, NeedsNoBootstrapObject) {
  DeletedMachine world;
  world.drained().detached().facts.infrastructure.state = State::Gone;
  world.facts.bootstrap = {};

  EXPECT_EQ(world.step().act, Do::DeleteNode);
}

// --- the Node object ---

struct UndeletableNode : DeletedMachine {
  explicit UndeletableNode(std::optional<std::int32_t> timeout) {
    drained().detached().without_objects();
    machine.spec.deletion.node_deletion_timeout_seconds = timeout;
    facts.node_deletion = failed("not connected");
  }
};

TEST(NextStep, TriesToDeleteTheNodeUntilItsTimeIsOver) {
  UndeletableNode world(60);
  world.facts.now = noon() + Seconds(59);
  world.facts.node_deletion_tried_for = Seconds(30);
  const Step step = world.step();
  EXPECT_EQ(step.reason, "DeletingNode");
  EXPECT_THAT(step.message, StartsWith("Error deleting Node, please check controller logs for errors"));
  EXPECT_EQ(step.recheck, Seconds(2));

  world.facts.now = noon() + Seconds(60);

  EXPECT_EQ(world.step().act, Do::RemoveFinalizer);
}

TEST(NextStep, TriesTenSecondsEvenWhenTheDrainHasUsedUpTheTime) {
  UndeletableNode world(std::nullopt);
  world.facts.now = noon() + Seconds(3600);
  world.facts.node_deletion_tried_for = Seconds(9);
  EXPECT_EQ(world.step().reason, "DeletingNode");

  world.facts.node_deletion_tried_for = Seconds(10);

  EXPECT_EQ(world.step().act, Do::RemoveFinalizer);
}

TEST(NextStep, TriesForEverWhenToldSo) {
  UndeletableNode world(0);
  world.facts.now = noon() + std::chrono::hours(1000);
  world.facts.node_deletion_tried_for = std::chrono::hours(999);

  EXPECT_EQ(world.step().reason, "DeletingNode");
}

TEST(NextStep, LeavesTheNodeOfAnotherInstanceAlone) {
  DeletedMachine world;
  world.facts.node_provider_id = "sim://other";
  world.without_objects();

  EXPECT_EQ(world.step().act, Do::RemoveFinalizer);
}

// --- the older generation of conditions ---

std::vector<std::string> v1beta1_conditions_of(DeletedMachine& world) {
  std::vector<std::string> lines;
  for (const auto& condition : v1beta1_conditions(world.seen())) {
    lines.push_back(condition.type.str() + "=" + condition.status.str() + " " + condition.severity.str() +
                    " " + condition.reason.str());
  }
  return lines;
}

TEST(OlderConditions, FollowTheDrain) {
  DeletedMachine world;
  world.facts.drain = held_up("held up");
  EXPECT_THAT(v1beta1_conditions_of(world),
              ElementsAre("PreDrainDeleteHookSucceeded=True  ", "DrainingSucceeded=False Info Draining"));

  world.facts.drain = failed("not connected");
  EXPECT_THAT(v1beta1_conditions_of(world), ElementsAre("PreDrainDeleteHookSucceeded=True  ",
                                                        "DrainingSucceeded=False Warning DrainingFailed"));

  world.drained().facts.volumes = held_up("volumes");
  EXPECT_THAT(v1beta1_conditions_of(world),
              ElementsAre("PreDrainDeleteHookSucceeded=True  ", "DrainingSucceeded=True  ",
                          "VolumeDetachSucceeded=False Info WaitingForVolumeDetach"));

  world.detached();
  EXPECT_THAT(v1beta1_conditions_of(world),
              ElementsAre("PreDrainDeleteHookSucceeded=True  ", "DrainingSucceeded=True  ",
                          "VolumeDetachSucceeded=True  ", "PreTerminateDeleteHookSucceeded=True  "));
}

TEST(OlderConditions, ShowHooksThatWait) {
  DeletedMachine world;
  world.machine.metadata.annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/a", "");
  EXPECT_THAT(v1beta1_conditions_of(world),
              ElementsAre("PreDrainDeleteHookSucceeded=False Info WaitingExternalHook"));
}

TEST(OlderConditions, SayNothingOfPreDrainHooksWhenNothingIsDrained) {
  DeletedMachine world;
  world.facts.cluster_known.state = State::Gone;

  EXPECT_THAT(v1beta1_conditions_of(world), ElementsAre("PreTerminateDeleteHookSucceeded=True  "));
}

TEST(OlderConditions, TellOfANodeThatRefusesToGo) {
  UndeletableNode world(0);

  EXPECT_THAT(v1beta1_conditions_of(world), testing::Contains("NodeHealthy=False Warning DeletionFailed"));
}

// --- pace ---

TEST(Pace, GrowsFromTwentySecondsToFiveMinutes) {
  EXPECT_EQ(drain::pause_after(Seconds(0)), Seconds(20));
  EXPECT_EQ(drain::pause_after(Seconds(60)), Seconds(20));
  EXPECT_EQ(drain::pause_after(Seconds(300)), Seconds(100));
  EXPECT_EQ(drain::pause_after(Seconds(7200)), Seconds(300));
}

TEST(Pace, TriesAtMostFortyTimesInTwoHours) {
  int tries = 0;
  for (Seconds at{0}; at < std::chrono::hours(2); at += drain::pause_after(at)) ++tries;

  EXPECT_LE(tries, 40);
  EXPECT_GE(tries, 25);
}

// --- by force ---

constexpr std::string_view kForced = "label capstan.dev/force-deletion";

DeletedMachine by_force() {
  DeletedMachine world;
  world.facts.choices.by_force = kForced;
  return world;
}

TEST(ForcedDeletion, StillDrainsButWaitsForNoVolume) {
  DeletedMachine world = by_force();
  EXPECT_EQ(world.step().act, Do::Drain);

  world.drained();

  EXPECT_EQ(world.step().act, Do::DeleteInfra);
}

TEST(ForcedDeletion, HonoursHooks) {
  DeletedMachine world = by_force();
  world.machine.metadata.annotations.set("pre-drain.delete.hook.machine.cluster.x-k8s.io/a", "");
  EXPECT_EQ(world.step().reason, "WaitingForPreDrainHook");

  world.machine.metadata.annotations = {};
  world.machine.metadata.annotations.set("pre-terminate.delete.hook.machine.cluster.x-k8s.io/a", "");
  world.drained();

  EXPECT_EQ(world.step().reason, "WaitingForPreTerminateHook");
}

TEST(ForcedDeletion, IsSaidAsLongAsItLastsAndOnce) {
  DeletedMachine world = by_force();
  world.drained().facts.infrastructure.state = State::Deleting;
  EXPECT_EQ(world.step().message,
            "Waiting for DockerMachine to be deleted\n* drain by force: label capstan.dev/force-deletion");

  world.facts.infrastructure.state = State::Present;
  world.facts.fresh = false;
  world.deleting_because("WaitingForInfrastructureDeletion",
                         "Waiting for DockerMachine to be deleted\n* drain by force: label "
                         "capstan.dev/force-deletion");

  EXPECT_EQ(world.step().message,
            "Waiting for DockerMachine to be deleted\n* drain by force: label capstan.dev/force-deletion");
}

TEST(ForcedDeletion, GoesOnWithoutWhatCouldNotBeDeletedForAMinute) {
  DeletedMachine world = by_force();
  world.facts.drain = failed("not connected");
  world.facts.force_tried_for = Seconds(59);
  EXPECT_EQ(world.step().reason, "DrainingNode");

  world.facts.force_tried_for = Seconds(60);

  EXPECT_EQ(world.step().act, Do::DeleteInfra);
}

TEST(DrainTimeout, OfTheMachineItselfWinsOverItsSpec) {
  DeletedMachine world;
  world.machine.spec.deletion.node_drain_timeout_seconds = 60;
  world.facts.choices.timeout_seconds = 600;
  world.step();
  world.facts.drain = held_up("held up");
  world.facts.now = noon() + Seconds(599);
  EXPECT_EQ(world.step().reason, "DrainingNode");

  world.facts.now = noon() + Seconds(600);

  EXPECT_EQ(world.step().act, Do::CheckVolumes);
}

TEST(DrainTimeout, OfThePolicyEndsADrainOfAMachineThatHasNone) {
  DeletedMachine world;
  world.facts.choices.default_timeout_seconds = 7200;
  world.step();
  world.facts.drain = held_up("held up");
  world.facts.now = noon() + Seconds(7199);
  EXPECT_EQ(world.step().reason, "DrainingNode");

  world.facts.now = noon() + Seconds(7200);

  EXPECT_EQ(world.step().act, Do::CheckVolumes);
}

TEST(DrainTimeout, HasWhatIsLeftDeletedWhereThePolicySaysSo) {
  DeletedMachine world;
  world.machine.spec.deletion.node_drain_timeout_seconds = 60;
  world.facts.choices.force_on_timeout = true;
  world.step();
  EXPECT_EQ(why_by_force(world.seen()), "") << "there is time left";

  world.facts.now = noon() + Seconds(60);

  EXPECT_EQ(world.step().act, Do::Drain);
  EXPECT_NE(why_by_force(world.seen()), "");
  world.drained();
  EXPECT_EQ(world.step().act, Do::CheckVolumes) << "volumes are waited for as ever";
}

TEST(DeletionRemarks, NameKeysThatMeanNothing) {
  DeletedMachine world;
  world.facts.choices.ignored = {"annotation x is ignored"};
  world.facts.drain = held_up("Drain not completed yet");

  EXPECT_EQ(world.step().message, "Drain not completed yet\n* annotation x is ignored");
}

// --- a brake ---

TEST(HeldDrain, WaitsAndSaysWhy) {
  DeletedMachine deleted;
  deleted.facts.drain_held = "the cluster is away";

  const Step step = deleted.step();

  EXPECT_EQ(step.answer, Step::Answer::Wait);
  EXPECT_EQ(step.stage, Stage::Drain);
  EXPECT_EQ(step.message, "The drain is held: the cluster is away");
  EXPECT_TRUE(step.recheck);
}

TEST(HeldDrain, BeginsItsTimeAnewWhenItGoesOn) {
  DeletedMachine deleted;
  deleted.machine.spec.deletion.node_drain_timeout_seconds = 60;
  ASSERT_EQ(deleted.step().act, Do::Drain);
  deleted.facts.drain_held = "the cluster is away";
  deleted.facts.now = noon() + Seconds(59);
  EXPECT_FALSE(deleted.step().marks.node_drain_start_time.is_set());

  deleted.facts.drain_held.clear();
  deleted.facts.now = noon() + Seconds(600);
  const Step step = deleted.step();

  EXPECT_EQ(step.act, Do::Drain);
  EXPECT_EQ(step.marks.node_drain_start_time, noon() + Seconds(600));
}

TEST(HeldDrain, HoldsNothingThatComesAfterTheDrain) {
  DeletedMachine deleted;
  deleted.drained();
  deleted.facts.drain_held = "the cluster is away";
  EXPECT_EQ(deleted.step().act, Do::CheckVolumes);
}

TEST(DeletionSteps, AreSaidInWordsBeforeTheyAreDone) {
  DeletedMachine machine;
  EXPECT_THAT(describe(machine.step()), ElementsAre("deletion, stage Drain: drain its Node"));
  machine.drained().detached();
  EXPECT_THAT(describe(machine.step()),
              ElementsAre("deletion, stage DeleteInfra: delete its infrastructure object"));
}

TEST(DeletionSteps, ThatWaitForAnEventAreLeftToTheirCondition) {
  EXPECT_THAT(describe(Step{.answer = Step::Answer::Wait}), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::machine
