#include "infrastructure/controller/machine/decide.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/machine/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure::machine {
namespace {

namespace finalizer = api::driver::finalizer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

api::Machine with_data(std::string_view name = "m1") {
  api::Machine machine = builders::a_machine(name).version("v1.35.0").in_failure_domain("a");
  machine.spec.bootstrap.data_secret_name = Text(name);
  return machine;
}

// A DriverMachine whose turn it is: owner, cluster and data are there.
struct Seen {
  api::DriverMachine object = {};
  std::optional<api::Machine> machine = with_data();
  std::optional<api::Cluster> cluster = builders::a_cluster("c1").infrastructure_provisioned().build();
  std::optional<api::DriverCluster> driver_cluster = {};
  Seconds age{0};
  bool fresh = true;
  bool doubted = false;
  bool claimed_twice = false;

  Seen() {
    object.metadata.name = "m1"_text;
    object.metadata.namespace_ = "default"_text;
    object.metadata.creation_timestamp = builders::noon();
    object.spec.vm_class = "small"_text;
  }
  Seen& keyed() {
    object.spec.instance_key = "k"_text;
    object.spec.account = "a1"_text;
    object.metadata.finalizers = api::Finalizers({Text(finalizer::kMachine)});
    return *this;
  }
  Seen& provisioned() {
    keyed();
    object.spec.provider_id = "sim:///i-1"_text;
    object.status.initialization.provisioned = true;
    return *this;
  }
  Seen& deleting() {
    object.metadata.deletion_timestamp = builders::noon();
    return *this;
  }
  operator Observation() const {  // NOLINT(google-explicit-constructor): read as what is observed
    return {.now = builders::noon() + age,
            .fresh = fresh,
            .doubted = doubted,
            .object = std::make_shared<const api::DriverMachine>(object),
            .claimed_twice = claimed_twice,
            .machine = machine ? std::make_shared<const api::Machine>(*machine) : nullptr,
            .cluster = cluster ? std::make_shared<const api::Cluster>(*cluster) : nullptr,
            .driver_cluster =
                driver_cluster ? std::make_shared<const api::DriverCluster>(*driver_cluster) : nullptr};
  }
};

std::string planned(const Observation& seen) { return describe(decide(seen)); }
std::string_view reason_of(const Plan& plan) {
  return plan.waiting ? api::reason_of(plan.waiting->code) : std::string_view();
}

TEST(Decide, MintsAKeyBeforeItAsksForAVm) {
  EXPECT_EQ(planned(Seen()),
            "sign on: mint an instance key, finalizers none -> drivermachine.capstan.dev\n"
            "make VM m1 of class \"small\", version \"v1.35.0\", in \"a\", with Secret default/m1")
      << "a key that was never known can't have a VM";
}

TEST(Decide, LooksForTheVmOfAnOldKeyFirst) {
  EXPECT_THAT(planned(Seen().keyed()), StartsWith("find or make VM m1 of class"));
}

// --- what holds the making of VMs ---

void freeze(Seen& seen) { seen.cluster->metadata.annotations.set("capstan.dev/freeze", "audit"); }
void lose_api_server(Seen& seen) {
  seen.cluster->status.initialization.control_plane_initialized = true;
  seen.cluster->status.conditions = {
      api::conditions::make(api::condition::kRemoteConnectionProbe, api::status::kFalse, "Test")};
}

TEST(Decide, MakesNoVmWhileItsClusterIsFrozenAndSaysSo) {
  Seen seen;
  freeze(seen);
  seen.age = Seconds(3600);

  EXPECT_EQ(planned(seen),
            "wait (WaitingForCluster): no VM is made: Cluster c1 is frozen by the annotation "
            "capstan.dev/freeze; take it off");
}

TEST(Decide, MakesNoVmWhileTheApiServerIsOutOfReach) {
  Seen seen;
  lose_api_server(seen);
  seen.age = Seconds(3600);

  EXPECT_EQ(planned(seen),
            "wait (WaitingForCluster): no VM is made: the core does not reach the API server of Cluster c1, "
            "see its condition RemoteConnectionProbe");
}

TEST(Decide, LooksForTheVmOfAWrittenKeyWhateverIsHeld) {
  for (const auto& hold : {freeze, lose_api_server}) {
    Seen seen;
    hold(seen.keyed());

    EXPECT_THAT(planned(seen), StartsWith("find VM m1 of class"));
  }
}

TEST(Decide, HoldsNoVmOfAControlPlane) {
  for (const auto& hold : {freeze, lose_api_server}) {
    Seen seen;
    hold(seen);
    seen.machine->metadata.labels.set(api::label::kControlPlane, "");

    EXPECT_THAT(planned(seen), HasSubstr("make VM m1"));
  }
}

TEST(Decide, LooksAfterAndRemovesWhatIsThereWhateverIsHeld) {
  Seen seen;
  freeze(seen.provisioned());
  Seen leaving;
  freeze(leaving.provisioned().deleting());

  EXPECT_EQ(planned(seen), "nothing");
  EXPECT_THAT(planned(leaving), HasSubstr("remove VM"));
}

TEST(Decide, PutsALostFinalizerBackBeforeItGoesOn) {
  Seen seen;
  seen.keyed().object.metadata.finalizers = {};

  EXPECT_THAT(planned(seen), StartsWith("sign on: finalizers none -> drivermachine.capstan.dev\n"
                                        "find or make VM m1 of class"));
}

TEST(Decide, PutsALostFinalizerBackAlsoWhileItWaitsAndWhenAllIsDone) {
  const std::string restored = "put the finalizer back: none -> drivermachine.capstan.dev";
  Seen provisioned;
  provisioned.provisioned().object.metadata.finalizers = {};
  Seen in_doubt = provisioned;
  in_doubt.doubted = true;
  Seen waiting;
  waiting.keyed().object.metadata.finalizers = {};
  waiting.machine.reset();
  Seen fresh;
  fresh.machine.reset();

  EXPECT_EQ(planned(provisioned), restored);
  EXPECT_EQ(planned(in_doubt), restored);
  EXPECT_EQ(planned(waiting), restored);
  EXPECT_THAT(planned(fresh), StartsWith("wait")) << "no cloud was asked for anything yet";
  EXPECT_EQ(planned(provisioned.deleting()), "nothing") << "too late: the API server takes none any more";
}

TEST(Decide, WaitsForTheKeyOfItsCluster) {
  Seen seen;
  seen.driver_cluster.emplace().metadata.name = "c1"_text;
  const Plan waiting = decide(seen);
  seen.driver_cluster->spec.cluster_key = "ck"_text;
  const Plan ready = decide(seen);
  const auto& made = std::get<ProvideVm>(ready.actions.back());

  EXPECT_EQ(waiting.waiting->message, "waiting for DriverCluster c1 to have its spec.clusterKey");
  EXPECT_EQ(made.tags.at("capstan.dev/cluster-key"), "ck");
}

TEST(Decide, WritesDownTheAccountOfAVmThatIsOlder) {
  Seen older;
  older.provisioned().object.spec.account = {};
  Seen in_doubt = older;
  in_doubt.doubted = true;
  Seen leaving = older;
  leaving.deleting();
  Seen before_the_key = older;
  before_the_key.driver_cluster.emplace().metadata.name = "c1"_text;
  Seen with_the_key = before_the_key;
  with_the_key.driver_cluster->spec.cluster_key = "ck"_text;

  EXPECT_EQ(planned(Seen().provisioned()), "nothing");
  EXPECT_EQ(planned(older), "write down the account of VM sim:///i-1 (key k)");
  EXPECT_EQ(planned(in_doubt), "ask about VM sim:///i-1 (key k)") << "first of all it must be there";
  EXPECT_THAT(planned(leaving), StartsWith("remove VM"));
  EXPECT_EQ(planned(before_the_key), "nothing") << "the VM is to get the key, too";
  EXPECT_EQ(planned(with_the_key), planned(older));
}

TEST(Report, LeavesAVmReadyWhoseAccountCanNotBeFoundOut) {
  Seen older;
  older.provisioned().object.spec.account = {};
  const Observation seen = older;

  const auto [after, notes] =
      report(seen, decide(seen), {.trouble = Trouble{.code = api::NoteCode::VmNotCreated, .message = "no"}});

  EXPECT_EQ(api::conditions::find(after.status.conditions, "Ready"), nullptr);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(Decide, KeepsTheFinalizersOfOthers) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text("example.com/b")});

  EXPECT_THAT(planned(seen), HasSubstr("example.com/b -> example.com/b, drivermachine.capstan.dev"));
}

TEST(Decide, WaitsForWhateverComesFirst) {
  Seen ownerless;
  ownerless.machine.reset();
  Seen no_cluster;
  no_cluster.cluster.reset();
  Seen bare;
  bare.cluster = builders::a_cluster("c1").build();
  Seen no_data;
  no_data.machine = builders::a_machine("m1").build();
  Seen pool;
  pool.machine->spec.bootstrap.data_secret_name = ""_text;

  EXPECT_EQ(planned(ownerless), "wait silently (WaitingForOwner): waiting for a Machine to own this object");
  EXPECT_EQ(reason_of(decide(no_cluster)), "WaitingForCluster");
  EXPECT_EQ(reason_of(decide(bare)), "WaitingForClusterInfrastructure");
  EXPECT_EQ(reason_of(decide(no_data)), "WaitingForBootstrapData");
  EXPECT_EQ(reason_of(decide(pool)), "WaitingForBootstrapData");
}

TEST(Decide, TakesDataAndVersionOfThePoolForAMachineOfIt) {
  Seen seen;
  seen.machine->spec.bootstrap.data_secret_name = Text();
  seen.machine->spec.version = {};
  Observation observed = seen;
  observed.in_pool = true;
  const Plan without_pool = decide(observed);
  api::MachinePool pool;
  pool.spec.machine_template.spec.bootstrap.data_secret_name = "data"_text;
  pool.spec.machine_template.spec.version = "v1.34.0"_text;
  observed.pool = std::make_shared<const api::MachinePool>(pool);

  EXPECT_EQ(reason_of(without_pool), "WaitingForBootstrapData");
  EXPECT_THAT(planned(observed), HasSubstr("version \"v1.34.0\", in \"a\", with Secret default/data"));
}

TEST(Decide, SpeaksOfWaitingOnlyWhenItTakesLong) {
  Seen seen;
  seen.machine.reset();
  seen.age = Seconds(4);
  const Plan early = decide(seen);
  seen.age = Seconds(10);
  const Plan late = decide(seen);

  EXPECT_FALSE(early.waiting->shown);
  EXPECT_EQ(early.recheck, Seconds(6));
  EXPECT_TRUE(late.waiting->shown);
  EXPECT_EQ(late.recheck, std::nullopt);
}

TEST(Decide, MakesNothingForAnOwnerThatLeaves) {
  Seen seen;
  seen.machine = builders::a_machine("m1").deleting().build();
  Seen cluster;
  cluster.cluster->metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen), Plan());
  EXPECT_EQ(decide(cluster), Plan());
}

TEST(Decide, NeitherMakesNorRemovesWhileTheCacheIsBehind) {
  Seen create;
  create.fresh = false;
  Seen remove;
  remove.provisioned().deleting().fresh = false;

  EXPECT_EQ(decide(create), Plan());
  EXPECT_EQ(decide(remove), Plan());
}

TEST(Decide, AsksTheCloudAboutAVmInDoubtOnly) {
  Seen calm;
  calm.provisioned();
  Seen doubted = calm;
  doubted.doubted = true;

  EXPECT_EQ(planned(calm), "nothing");
  EXPECT_EQ(planned(doubted), "ask about VM sim:///i-1 (key k)");
}

TEST(Decide, RemovesAVmEvenWhenOwnerAndClusterAreGone) {
  Seen seen;
  seen.provisioned().deleting();
  seen.machine.reset();
  seen.cluster.reset();

  EXPECT_EQ(planned(seen), "remove VM sim:///i-1 (key k)\ndrop the finalizer");
}

TEST(Decide, LetsTheTagsSayWhoseVmItIsWhenTheObjectMayBeACopy) {
  Seen never_provisioned;
  never_provisioned.keyed().deleting();
  Seen claimed_twice;
  claimed_twice.provisioned().deleting().claimed_twice = true;

  EXPECT_EQ(planned(never_provisioned), "remove VM without ID (key k) if it is ours\ndrop the finalizer");
  EXPECT_EQ(planned(claimed_twice), "remove VM sim:///i-1 (key k) if it is ours\ndrop the finalizer");
}

TEST(Decide, ReleasesWhatNeverAskedForAVm) {
  Seen seen;
  seen.deleting().object.metadata.finalizers = api::Finalizers({Text(finalizer::kMachine)});
  Seen strange;
  strange.deleting();

  EXPECT_EQ(planned(seen), "drop the finalizer");
  EXPECT_EQ(planned(strange), "nothing") << "the finalizer of another controller holds it";
}

TEST(Decide, DoesNothingWhilePaused) {
  Seen by_cluster;
  by_cluster.cluster->spec.paused = true;
  Seen by_annotation;
  by_annotation.provisioned().deleting().object.metadata.annotations.set("cluster.x-k8s.io/paused", "");

  EXPECT_EQ(planned(by_cluster), "paused: Cluster spec.paused is set to true");
  EXPECT_EQ(planned(by_annotation), "paused: DriverMachine has the cluster.x-k8s.io/paused annotation");
}

// --- report ---

Vm running() {
  return {.provider_id = "sim:///i-1",
          .name = "m1",
          .state = VmState::Running,
          .addresses = {{.type = "InternalIP"_text, .address = "10.0.0.1"_text}},
          .failure_domain = "a"};
}

TEST(Report, TakesOverWhatTheCloudSaysAndChangesNothingTheSecondTime) {
  Seen seen;
  seen.keyed();
  const Observation first = seen;
  const Effects effects{.vm = running()};

  const auto once = report(first, decide(first), effects).after;
  Seen again = seen;
  again.object = once;
  again.age = Seconds(100);
  const Observation second = again;
  const auto twice = report(second, decide(second), effects).after;

  EXPECT_TRUE(once.status.initialization.provisioned.value_or(false));
  EXPECT_EQ(once.status.addresses.at(0).address, "10.0.0.1");
  EXPECT_EQ(once.status.failure_domain, "a");
  EXPECT_TRUE(api::conditions::is_true(once.status.conditions, "Ready"));
  EXPECT_TRUE(api::conditions::is_false(once.status.conditions, "Paused"));
  EXPECT_EQ(twice, once);
}

TEST(Report, HasNothingToSayOfAPassingTrouble) {
  Seen seen;
  seen.keyed();
  const Effects effects{.trouble = Trouble{.message = "x", .quiet = true}};
  const Observation young = seen;
  seen.age = Seconds(60);
  const Observation old = seen;

  EXPECT_EQ(report(young, decide(young), effects).after, *young.object);
  const auto after = report(old, decide(old), effects).after;
  EXPECT_TRUE(api::conditions::is_false(after.status.conditions, "Ready"));
}

TEST(Report, AVmThatRunsIsNotSaidToHaveFailedBecauseTheCloudDoesNotAnswer) {
  Seen seen;
  seen.provisioned().doubted = true;
  seen.age = Seconds(3600);
  const Observation observed = seen;
  const Effects effects{.trouble = Trouble{.message = "x", .quiet = true}};

  const auto after = report(observed, decide(observed), effects).after;

  EXPECT_FALSE(api::conditions::is_false(after.status.conditions, "Ready"));
}

TEST(Report, SaysThatAVmIsGoneAndKeepsWhatWasTrueOnce) {
  Seen seen;
  seen.provisioned().doubted = true;
  const Observation observed = seen;

  const auto after = report(observed, decide(observed), {.vm_gone = true}).after;

  const auto ready = api::conditions::find(after.status.conditions, "Ready");
  ASSERT_NE(ready, nullptr);
  EXPECT_EQ(ready->reason, "VMGone");
  EXPECT_TRUE(after.status.initialization.provisioned.value_or(false));
}

TEST(Report, TellsAStoppedVmFromARunningOne) {
  Seen seen;
  seen.provisioned().doubted = true;
  const Observation observed = seen;
  Vm stopped = running();
  stopped.state = VmState::Stopped;

  const auto after = report(observed, decide(observed), {.vm = stopped}).after;

  EXPECT_EQ(api::conditions::find(after.status.conditions, "Ready")->reason, "VMStopped");
}

TEST(Report, RecordsOnceWhyAMachineIsNotReady) {
  Seen seen;
  seen.provisioned().doubted = true;
  const Observation first = seen;
  const Reported gone = report(first, decide(first), {.vm_gone = true});
  seen.object = gone.after;
  const Observation second = seen;

  EXPECT_THAT(gone.notes,
              ElementsAre(runtime::Note{.code = api::NoteCode::VmGone,
                                        .text = "the cloud has no VM sim:///i-1 any more; a new one is made "
                                                "for a new Machine only"}));
  EXPECT_THAT(report(second, decide(second), {.vm_gone = true}).notes, IsEmpty());
}

}  // namespace
}  // namespace capstan::infrastructure::machine
