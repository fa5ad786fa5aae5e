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

api::Machine with_data(std::string_view name = "m1") {
  api::Machine machine = builders::a_machine(name);
  machine.spec.bootstrap.data_secret_name = Text(name);
  return machine;
}

// A DriverMachine whose turn it is: owner, cluster and data are there.
struct Seen {
  api::DriverMachine object = {};
  std::optional<api::Machine> machine = with_data();
  std::optional<api::Cluster> cluster = builders::a_cluster("c1").infrastructure_provisioned().build();
  Seconds age{0};
  bool fresh = true;
  bool doubted = false;

  Seen() {
    object.metadata.name = "m1"_text;
    object.metadata.namespace_ = "default"_text;
    object.metadata.creation_timestamp = builders::noon();
  }
  Seen& keyed() {
    object.spec.instance_key = "k"_text;
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
            .machine = machine ? std::make_shared<const api::Machine>(*machine) : nullptr,
            .cluster = cluster ? std::make_shared<const api::Cluster>(*cluster) : nullptr};
  }
};

TEST(Decide, MintsAKeyBeforeItAsksForAVm) {
  const Plan plan = decide(Seen());

  EXPECT_EQ(plan.step, Step::Create);
  EXPECT_TRUE(plan.mint_key);
  EXPECT_FALSE(plan.look_first) << "a key nobody knew can't have a VM";
}

TEST(Decide, LooksForTheVmOfAnOldKeyFirst) {
  const Plan plan = decide(Seen().keyed());

  EXPECT_EQ(plan.step, Step::Create);
  EXPECT_FALSE(plan.mint_key);
  EXPECT_TRUE(plan.look_first);
}

TEST(Decide, PutsALostFinalizerBackBeforeItGoesOn) {
  Seen seen;
  seen.keyed().object.metadata.finalizers = {};

  const Plan plan = decide(seen);

  EXPECT_TRUE(plan.mint_key);
  EXPECT_TRUE(plan.look_first);
}

TEST(Decide, PutsALostFinalizerBackAlsoWhileItWaitsAndWhenAllIsDone) {
  Seen provisioned;
  provisioned.provisioned().object.metadata.finalizers = {};
  Seen waiting;
  waiting.keyed().object.metadata.finalizers = {};
  waiting.machine.reset();
  Seen fresh;
  fresh.machine.reset();

  EXPECT_EQ(decide(provisioned).step, Step::Protect);
  EXPECT_EQ(decide(waiting).step, Step::Protect);
  EXPECT_EQ(decide(fresh).step, Step::Wait) << "no cloud was asked for anything yet";
  EXPECT_EQ(decide(provisioned.deleting()).step, Step::Rest)
      << "too late: the API server takes none any more";
}

TEST(Decide, WaitsForWhoeverComesFirst) {
  Seen nobody;
  nobody.machine.reset();
  Seen no_cluster;
  no_cluster.cluster.reset();
  Seen bare;
  bare.cluster = builders::a_cluster("c1").build();
  Seen no_data;
  no_data.machine = builders::a_machine("m1").build();
  Seen pool;
  pool.machine->spec.bootstrap.data_secret_name = ""_text;

  EXPECT_EQ(decide(nobody).reason, "WaitingForOwner");
  EXPECT_EQ(decide(no_cluster).reason, "WaitingForCluster");
  EXPECT_EQ(decide(bare).reason, "WaitingForClusterInfrastructure");
  EXPECT_EQ(decide(no_data).reason, "WaitingForBootstrapData");
  EXPECT_EQ(decide(pool).reason, "WaitingForBootstrapData");
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
  pool.spec.machine_template.spec.version = "v1.35.0"_text;
  observed.pool = std::make_shared<const api::MachinePool>(pool);
  const Plan with_pool = decide(observed);

  EXPECT_EQ(with_pool.step, Step::Create);
  EXPECT_EQ(data_secret_of(observed), "data");
  EXPECT_EQ(version_for(observed), "v1.35.0");
  EXPECT_EQ(without_pool.step, Step::Wait);
  EXPECT_EQ(without_pool.reason, "WaitingForBootstrapData");
}

TEST(Decide, SpeaksOfWaitingOnlyWhenItTakesLong) {
  Seen seen;
  seen.machine.reset();
  seen.age = Seconds(4);
  const Plan early = decide(seen);
  seen.age = Seconds(10);
  const Plan late = decide(seen);

  EXPECT_FALSE(early.report_wait);
  EXPECT_EQ(early.recheck, Seconds(6));
  EXPECT_TRUE(late.report_wait);
  EXPECT_EQ(late.recheck, std::nullopt);
}

TEST(Decide, MakesNothingForAnOwnerThatLeaves) {
  Seen seen;
  seen.machine = builders::a_machine("m1").deleting().build();
  Seen cluster;
  cluster.cluster->metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen).step, Step::Rest);
  EXPECT_EQ(decide(cluster).step, Step::Rest);
}

TEST(Decide, NeitherMakesNorRemovesWhileTheCacheIsBehind) {
  Seen create;
  create.fresh = false;
  Seen remove;
  remove.provisioned().deleting().fresh = false;

  EXPECT_EQ(decide(create).step, Step::Rest);
  EXPECT_EQ(decide(remove).step, Step::Rest);
}

TEST(Decide, AsksTheCloudAboutAVmInDoubtOnly) {
  Seen calm;
  calm.provisioned();
  Seen doubted = calm;
  doubted.doubted = true;

  EXPECT_EQ(decide(calm).step, Step::Rest);
  EXPECT_EQ(decide(doubted).step, Step::Verify);
}

TEST(Decide, RemovesAVmEvenWhenOwnerAndClusterAreGone) {
  Seen seen;
  seen.provisioned().deleting();
  seen.machine.reset();
  seen.cluster.reset();

  EXPECT_EQ(decide(seen).step, Step::Remove);
}

TEST(Decide, ReleasesWhatNeverAskedForAVm) {
  Seen seen;
  seen.deleting().object.metadata.finalizers = api::Finalizers({Text(finalizer::kMachine)});
  Seen strange;
  strange.deleting();

  EXPECT_EQ(decide(seen).step, Step::Release);
  EXPECT_EQ(decide(strange).step, Step::Rest) << "somebody else's finalizer holds it";
}

TEST(Decide, DoesNothingWhilePaused) {
  Seen by_cluster;
  by_cluster.cluster->spec.paused = true;
  Seen by_annotation;
  by_annotation.provisioned().deleting().object.metadata.annotations.set("cluster.x-k8s.io/paused", "");

  EXPECT_EQ(decide(by_cluster).step, Step::Rest);
  EXPECT_EQ(decide(by_annotation).step, Step::Rest);
  EXPECT_TRUE(decide(by_annotation).paused.paused);
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

  const auto once = report(first, decide(first), effects);
  Seen again = seen;
  again.object = once;
  again.age = Seconds(100);
  const Observation second = again;
  const auto twice = report(second, decide(second), effects);

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
  const Effects effects{.trouble = Trouble{.reason = "CreateFailed", .message = "x", .quiet = true}};
  const Observation young = seen;
  seen.age = Seconds(60);
  const Observation old = seen;

  EXPECT_EQ(report(young, decide(young), effects), *young.object);
  const auto after = report(old, decide(old), effects);
  EXPECT_TRUE(api::conditions::is_false(after.status.conditions, "Ready"));
}

TEST(Report, AVmThatRunsIsNotSaidToHaveFailedBecauseTheCloudDoesNotAnswer) {
  Seen seen;
  seen.provisioned().doubted = true;
  seen.age = Seconds(3600);
  const Observation observed = seen;
  const Effects effects{.trouble = Trouble{.reason = "CreateFailed", .message = "x", .quiet = true}};

  const auto after = report(observed, decide(observed), effects);

  EXPECT_FALSE(api::conditions::is_false(after.status.conditions, "Ready"));
}

TEST(Report, SaysThatAVmIsGoneAndKeepsWhatWasTrueOnce) {
  Seen seen;
  seen.provisioned().doubted = true;
  const Observation observed = seen;

  const auto after = report(observed, decide(observed), {.vm_gone = true});

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

  const auto after = report(observed, decide(observed), {.vm = stopped});

  EXPECT_EQ(api::conditions::find(after.status.conditions, "Ready")->reason, "VMStopped");
}

}  // namespace
}  // namespace capstan::infrastructure::machine
