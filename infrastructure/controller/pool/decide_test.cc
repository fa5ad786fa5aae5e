#include "infrastructure/controller/pool/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/pool/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::infrastructure::pool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Pool mp1 whose turn it is: owner, cluster and data are there.
struct Seen {
  api::DriverMachinePool object = {};
  api::MachinePool owner = {};
  std::optional<api::Cluster> cluster = builders::a_cluster("c1").infrastructure_provisioned().build();
  std::vector<Member> members = {};
  bool fresh = true;

  explicit Seen(std::int32_t replicas = 3) {
    object.metadata.name = "mp1"_text;
    object.metadata.namespace_ = "default"_text;
    object.spec.group_key = "k"_text;
    owner.metadata.name = "mp1"_text;
    owner.spec.cluster_name = "c1"_text;
    owner.spec.replicas = replicas;
    owner.spec.machine_template.spec.bootstrap.data_secret_name = Text("data");
  }
  // An instance that is a Machine, running since `age` ago.
  Seen& with(std::string_view name, Seconds age = {},
             const std::function<void(api::DriverMachine&, api::Machine&)>& how = {}) {
    object.spec.with_machines = true;
    api::DriverMachine instance;
    instance.metadata.name = Text(name);
    instance.metadata.creation_timestamp = Time::from_unix(builders::noon().unix_seconds() - age.count());
    instance.spec.provider_id = Text("sim:///" + std::string(name));
    instance.status.initialization.provisioned = true;
    api::Machine machine = builders::a_machine(name).ready();
    if (how) how(instance, machine);
    members.push_back({.object = std::make_shared<const api::DriverMachine>(instance),
                       .machine = std::make_shared<const api::Machine>(machine)});
    return *this;
  }
  operator Observation() const {  // NOLINT(google-explicit-constructor): read as what is observed
    return {.now = builders::noon(),
            .fresh = fresh,
            .object = std::make_shared<const api::DriverMachinePool>(object),
            .owner = std::make_shared<const api::MachinePool>(owner),
            .cluster = cluster ? std::make_shared<const api::Cluster>(*cluster) : nullptr,
            .members = members};
  }
};

std::vector<Vm> vms(const std::vector<std::string>& names) {
  std::vector<Vm> all;
  for (const auto& name : names)
    all.push_back({.provider_id = "sim:///" + name, .name = name, .state = VmState::Running});
  return all;
}
std::vector<std::string> names(const std::vector<Vm>& all) {
  std::vector<std::string> found;
  for (const Vm& vm : all) found.push_back(vm.name);
  return found;
}

std::vector<std::string> names(const std::vector<Member>& all) {
  std::vector<std::string> found;
  for (const Member& member : all) found.push_back(member.object->metadata.name.str());
  return found;
}
Sizing size(const Observation& seen, const std::vector<Vm>& there) { return size(seen, decide(seen), there); }

TEST(DecidePool, SizesAGroupThatHasAllItNeeds) {
  const Plan plan = decide(Seen(3));

  EXPECT_EQ(plan.step, Step::Size);
  EXPECT_EQ(plan.wanted, 3U);
  EXPECT_TRUE(plan.sign_on) << "it has no finalizer yet";
}

TEST(DecidePool, SignsOnOnlyOnce) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});

  EXPECT_FALSE(decide(seen).sign_on);
}

TEST(DecidePool, TakesOneInstanceForGrantedWhenNobodySaysHowMany) {
  Seen seen;
  seen.owner.spec.replicas.reset();

  EXPECT_EQ(decide(seen).wanted, 1U);
}

TEST(DecidePool, FollowsTheCloudsAutoscalerWhereOthersDecideTheSize) {
  Seen seen(5);
  seen.object.metadata.annotations.set("capstan.dev/autoscaled-to", "2");
  const Plan by_user = decide(seen);
  seen.owner.metadata.annotations.set(api::annotation::kReplicasManagedBy, "cloud");
  const Plan by_cloud = decide(seen);
  seen.owner.spec.replicas = 2;
  const Plan told = decide(seen);
  seen.owner.metadata.annotations.set(api::annotation::kReplicasManagedBy, "false");
  seen.owner.spec.replicas = 5;
  const Plan by_user_again = decide(seen);

  EXPECT_EQ(by_user.wanted, 5U);
  EXPECT_FALSE(by_user.tell_owner);
  EXPECT_EQ(by_cloud.wanted, 2U);
  EXPECT_TRUE(by_cloud.tell_owner);
  EXPECT_FALSE(told.tell_owner);
  EXPECT_EQ(by_user_again.wanted, 5U);
}

TEST(DecidePool, KeepsItsSizeUntilTheAutoscalerSpeaks) {
  Seen seen(5);
  seen.owner.metadata.annotations.set(api::annotation::kReplicasManagedBy, "");
  const Plan first = decide(seen);
  seen.object.status.initialization.provisioned = true;
  seen.object.status.replicas = 3;
  const Plan later = decide(seen);
  seen.object.metadata.annotations.set("capstan.dev/autoscaled-to", "many");

  EXPECT_EQ(first.wanted, 5U);
  EXPECT_EQ(later.wanted, 3U);
  EXPECT_TRUE(later.tell_owner);
  EXPECT_EQ(decide(seen).wanted, 3U) << "what is no number says nothing";
}

TEST(DecidePool, RefusesANumberThatCantBeMeant) {
  for (const std::int32_t replicas : {-1, 10'001, 2'147'483'647}) {
    const Plan plan = decide(Seen(replicas));

    EXPECT_EQ(plan.step, Step::Size) << "the list of what is there is kept true";
    EXPECT_FALSE(plan.wanted);
    EXPECT_EQ(plan.reason, "InvalidSize");
    EXPECT_THAT(plan.message, HasSubstr(std::to_string(replicas) + ": a pool has between 0 and 10000"));
  }
  EXPECT_EQ(decide(Seen(10'000)).wanted, 10'000U);
}

TEST(DecidePool, WaitsForTheBootstrapData) {
  Seen seen;
  seen.owner.spec.machine_template.spec.bootstrap.data_secret_name.reset();

  const Plan plan = decide(seen);

  EXPECT_EQ(plan.step, Step::Wait);
  EXPECT_EQ(plan.reason, "WaitingForBootstrapData");
}

TEST(DecidePool, WaitsForTheClustersInfrastructure) {
  Seen seen;
  seen.cluster->status.initialization.infrastructure_provisioned.reset();

  EXPECT_EQ(decide(seen).reason, "WaitingForClusterInfrastructure");
}

TEST(DecidePool, DoesNothingWhilePausedOrBehind) {
  Seen paused;
  paused.object.metadata.annotations.set("cluster.x-k8s.io/paused", "");
  Seen behind;
  behind.fresh = false;

  EXPECT_EQ(decide(paused).step, Step::Rest);
  EXPECT_EQ(decide(behind).step, Step::Rest);
}

TEST(DecidePool, MakesNothingForAPoolThatGoes) {
  Seen seen;
  seen.owner.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen).step, Step::Rest);
}

TEST(DecidePool, RemovesWhatItHasWhenItGoesItself) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen).step, Step::Remove);
}

TEST(DecidePool, ReleasesWhatNeverAskedForAnInstance) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();
  seen.object.spec.group_key = {};
  Seen with_machines = seen;
  with_machines.object.spec.with_machines = true;

  EXPECT_EQ(decide(seen).step, Step::Release);
  EXPECT_EQ(decide(with_machines).step, Step::Release);
}

TEST(DecidePool, SpeaksOfWaitingOnlyWhenItTakesLong) {
  Seen seen;
  seen.owner.spec.machine_template.spec.bootstrap.data_secret_name.reset();
  seen.object.metadata.creation_timestamp = builders::noon();
  const Plan young = decide(seen);
  seen.object.metadata.creation_timestamp = Time::from_unix(builders::noon().unix_seconds() - 10);
  const Plan old = decide(seen);

  EXPECT_FALSE(young.report_wait);
  EXPECT_EQ(young.recheck, Seconds(10));
  EXPECT_TRUE(old.report_wait);
}

TEST(DecidePoolWithMachines, CountsNoneThatLeaveOrHaveLostTheirVm) {
  Seen seen(3);
  seen.with("a").with("b", {},
                      [](auto&, auto& machine) { machine.metadata.deletion_timestamp = builders::noon(); });
  seen.with("c", {}, [](auto& object, auto&) {
    api::conditions::set(object.status.conditions, api::conditions::make("Ready", "False", "VMGone"), 1,
                         builders::noon());
  });

  const Plan plan = decide(seen);

  EXPECT_EQ(plan.missing, 2U);
  EXPECT_THAT(names(plan.victims), ElementsAre("c"));
}

TEST(DecidePoolWithMachines, TakesMarkedThenNamedThenBrokenThenTheYoungest) {
  Seen seen(5);
  seen.with("oldest", Seconds(90)).with("old", Seconds(80)).with("young", Seconds(10));
  seen.with("marked", Seconds(99), [](auto&, auto& machine) {
    machine.metadata.annotations.set(api::annotation::kDeleteMachine, "");
  });
  seen.with("named", Seconds(99)).with("broken", Seconds(99), [](auto&, auto& machine) {
    machine = builders::a_machine("broken").not_ready("no node");
  });
  seen.object.metadata.annotations.set("capstan.dev/victims", "named");
  const auto victims_at = [&](std::int32_t replicas) {
    seen.owner.spec.replicas = replicas;
    return names(decide(seen).victims);
  };

  EXPECT_THAT(victims_at(6), IsEmpty());
  EXPECT_THAT(victims_at(5), ElementsAre("marked"));
  EXPECT_THAT(victims_at(2), ElementsAre("marked", "named", "broken", "young"));
  EXPECT_THAT(victims_at(0), ElementsAre("marked", "named", "broken", "young", "old", "oldest"));
}

TEST(DecidePoolWithMachines, TakesNobodyWhenTheNumberCantBeMeant) {
  const Plan plan = decide(Seen(-7).with("a"));

  EXPECT_THAT(plan.victims, IsEmpty());
  EXPECT_EQ(plan.missing, 0U);
}

// What a health check writes; of a Machine that has joined.
void handed_over(api::DriverMachine& object, api::Machine& machine) {
  const std::string name = object.metadata.name.str();
  machine = builders::a_machine(name).running().not_ready("sick").awaiting_remediation();
}
void joined(api::DriverMachine& object, api::Machine& machine) {
  machine = builders::a_machine(object.metadata.name.str()).running();
}
std::vector<std::string> sick(const Plan& plan) {
  if (plan.sick) return {plan.sick->object->metadata.name.str()};
  return {};
}

TEST(DecidePoolWithMachines, ReplacesWhomAHealthCheckHandedOver) {
  Seen seen(3);
  seen.with("a", Seconds(900), joined).with("b", Seconds(900), handed_over).with("c", Seconds(900), joined);

  const Plan plan = decide(seen);

  EXPECT_THAT(sick(plan), ElementsAre("b"));
  EXPECT_THAT(plan.victims, IsEmpty()) << "who goes without a second look";
  EXPECT_EQ(plan.missing, 0U) << "it is made when the other goes";
}

TEST(DecidePoolWithMachines, KeepsWhomNoHealthCheckHandedOver) {
  Seen seen(4);
  seen.with("well", Seconds(900), joined).with("found sick", Seconds(900), [](auto&, auto& machine) {
    machine = builders::a_machine("found sick").running().not_ready("sick").unhealthy();
  });
  seen.with("not ready", Seconds(900), [](auto&, auto& machine) {
    machine = builders::a_machine("not ready").running().not_ready("sick");
  });
  seen.with("well again", Seconds(900), [](auto&, auto& machine) {
    machine = builders::a_machine("well again").running().awaiting_remediation().healthy();
  });

  EXPECT_THAT(sick(decide(seen)), IsEmpty());
}

TEST(DecidePoolWithMachines, TakesTheMarkOffWhoIsWellAgain) {
  Seen seen(3);
  seen.with("well", Seconds(900), joined).with("sick", Seconds(900), handed_over);
  seen.with("well again", Seconds(900), [](auto&, auto& machine) {
    machine = builders::a_machine("well again").running().awaiting_remediation().healthy();
  });
  seen.with("leaves", Seconds(900), [](auto&, auto& machine) {
    machine = builders::a_machine("leaves").running().awaiting_remediation().healthy();
    machine.metadata.deletion_timestamp = builders::noon();
  });

  EXPECT_THAT(names(decide(seen).well_again), ElementsAre("well again"));
}

TEST(DecidePoolWithMachines, ReplacesThemOneAfterTheOther) {
  const auto two_and = [](const std::function<void(api::DriverMachine&, api::Machine&)>& third) {
    return Seen(3)
        .with("older", Seconds(900), handed_over)
        .with("younger", Seconds(800), handed_over)
        .with("third", Seconds(100), third);
  };
  const auto leaving = [](api::DriverMachine& object, api::Machine& machine) {
    handed_over(object, machine);
    machine.metadata.deletion_timestamp = builders::noon();
  };
  Seen one_leaves = two_and(leaving);
  one_leaves.with("its replacement", Seconds(900), joined);
  Seen somebody_else_leaves = two_and([](auto& object, auto& machine) {
    joined(object, machine);
    machine.metadata.deletion_timestamp = builders::noon();
  });
  somebody_else_leaves.with("its replacement", Seconds(900), joined);
  const Plan comes = decide(two_and([](auto&, auto&) {}));

  EXPECT_THAT(sick(decide(two_and(joined))), ElementsAre("younger"));
  EXPECT_THAT(sick(decide(one_leaves)), IsEmpty());
  EXPECT_THAT(sick(decide(somebody_else_leaves)), ElementsAre("younger"));
  EXPECT_THAT(sick(comes), IsEmpty()) << "who came for the last one has no Node yet";
  EXPECT_EQ(comes.recheck, Seconds(500));
}

TEST(DecidePoolWithMachines, WaitsNotForEverForANewInstance) {
  Seen seen(2);
  seen.with("sick", Seconds(900), handed_over).with("never joins", Seconds(600));

  EXPECT_THAT(sick(decide(seen)), ElementsAre("sick"));
}

TEST(DecidePoolWithMachines, ReplacesFirstWhomAPersonAskedFor) {
  Seen seen(2);
  seen.with("asked", Seconds(990), [](auto& object, auto& machine) {
    handed_over(object, machine);
    machine.metadata.annotations.set(api::annotation::kRemediateMachine, "");
  });
  seen.with("younger", Seconds(900), handed_over);

  EXPECT_THAT(sick(decide(seen)), ElementsAre("asked"));
}

TEST(DecidePoolWithMachines, TakesTheSickFirstWhenItShrinksAndReplacesNobodyThen) {
  Seen seen(1);
  seen.with("sick", Seconds(900), handed_over).with("broken", Seconds(10), [](auto&, auto& machine) {
    machine = builders::a_machine("broken").running().not_ready("no node");
  });

  const Plan plan = decide(seen);

  EXPECT_THAT(names(plan.victims), ElementsAre("sick"));
  EXPECT_THAT(sick(plan), IsEmpty());
}

TEST(DecidePoolWithMachines, ReplacesNobodyWhileInstancesAreMissingOrTheNumberCantBeMeant) {
  Seen too_few(3);
  too_few.with("a", Seconds(900), joined).with("b", Seconds(900), handed_over);
  Seen senseless(-7);
  senseless.with("b", Seconds(900), handed_over);

  EXPECT_THAT(sick(decide(too_few)), IsEmpty());
  EXPECT_EQ(decide(too_few).missing, 1U);
  EXPECT_THAT(sick(decide(senseless)), IsEmpty());
}

TEST(DecidePoolWithMachines, RemovesTheMachinesThatDoNotLeaveYet) {
  Seen seen;
  seen.with("a").with("b", {},
                      [](auto& object, auto&) { object.metadata.deletion_timestamp = builders::noon(); });
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();

  const Plan plan = decide(seen);

  EXPECT_EQ(plan.step, Step::Remove);
  EXPECT_THAT(names(plan.victims), ElementsAre("a"));
}

TEST(Size, FillsTheLowestFreePlaces) {
  const auto sizing = size(Seen(4), vms({"mp1-1", "mp1-3"}));

  EXPECT_THAT(sizing.missing, ElementsAre(0U, 2U));
  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-1", "mp1-3"));
  EXPECT_THAT(sizing.victims, IsEmpty());
}

TEST(Size, TakesTheHighestPlacesFirst) {
  const auto sizing = size(Seen(1), vms({"mp1-0", "mp1-1", "mp1-10"}));

  EXPECT_THAT(names(sizing.victims), ElementsAre("mp1-10", "mp1-1"));
  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-0"));
}

TEST(Size, TakesNamedVictimsBeforeAnyOther) {
  Seen seen(1);
  seen.object.metadata.annotations.set("capstan.dev/victims", "mp1-0,mp1-9");

  const auto sizing = size(seen, vms({"mp1-0", "mp1-1", "mp1-2"}));

  EXPECT_THAT(names(sizing.victims), ElementsAre("mp1-0", "mp1-2"));
  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-1"));
}

TEST(Size, TakesNoNamedVictimOfAGroupThatIsNotTooLarge) {
  Seen seen(2);
  seen.object.metadata.annotations.set("capstan.dev/victims", "mp1-0");

  EXPECT_THAT(size(seen, vms({"mp1-0", "mp1-1"})).victims, IsEmpty());
}

TEST(Size, DoesNotCountWhatIsOnItsWayOut) {
  auto there = vms({"mp1-0"});
  there[0].state = VmState::Stopping;

  EXPECT_THAT(size(Seen(1), there).missing, ElementsAre(1U)) << "its place is free when it is gone";
}

TEST(Size, ReplacesWhatDoesNotRun) {
  auto there = vms({"mp1-0", "mp1-1"});
  there[0].state = VmState::Stopped;

  const auto sizing = size(Seen(2), there);

  EXPECT_THAT(names(sizing.victims), ElementsAre("mp1-0"));
  EXPECT_THAT(sizing.missing, ElementsAre(2U));
}

TEST(Size, ChangesNothingWhenTheNumberCantBeMeant) {
  const auto sizing = size(Seen(-1), vms({"mp1-0", "mp1-3"}));

  EXPECT_THAT(names(sizing.staying), ElementsAre("mp1-0", "mp1-3"));
  EXPECT_THAT(sizing.missing, IsEmpty());
  EXPECT_THAT(sizing.victims, IsEmpty());
}

TEST(Size, LeavesVmsAloneThatAreNoneOfItsOwn) {
  const auto sizing = size(Seen(0), vms({"other-0", "mp1-x"}));

  EXPECT_THAT(sizing.victims, IsEmpty());
}

TEST(Size, OfAPoolThatWantsNoneLeavesNone) {
  EXPECT_THAT(names(size(Seen(0), vms({"mp1-0"})).victims), ElementsAre("mp1-0"));
}

TEST(Size, GivesEachPlaceOneKey) {
  const Seen seen;

  EXPECT_EQ(vm_name(seen.object, 7), "mp1-7");
  EXPECT_EQ(instance_key(seen.object, 7), "k-7");
}

TEST(Size, ForgetsVictimsThatAreGone) {
  EXPECT_EQ(victims_left("mp1-1, mp1-2,mp1-3", {"mp1-2"}), "mp1-1,mp1-3");
  EXPECT_EQ(victims_left("mp1-1", {"mp1-1"}), "");
}

TEST(Size, GoesToTheEmptiestDomain) {
  const api::List<Text> domains = std::vector<Text>{"a"_text, "b"_text};

  EXPECT_EQ(emptiest(domains, {}), "a");
  EXPECT_EQ(emptiest(domains, {"a", "a", "b"}), "b");
  EXPECT_EQ(emptiest({}, {"a"}), "");
}

// --- report ---

std::string ready_of(const api::DriverMachinePool& pool) {
  const auto ready = api::conditions::find(pool.status.conditions, "Ready");
  return ready == nullptr ? ""
                          : ready->status.str() + " " + ready->reason.str() + ": " + ready->message.str();
}

api::DriverMachinePool told(Seen seen, Effects effects, std::size_t listed) {
  std::vector<Text> ids;
  for (std::size_t i = 0; i < listed; ++i) ids.emplace_back("sim:///" + std::to_string(i));
  seen.object.spec.provider_id_list = std::move(ids);
  effects.object = std::make_shared<const api::DriverMachinePool>(seen.object);
  const Observation observed = seen;
  return report(observed, decide(observed), effects);
}

TEST(ReportPool, CountsWhatIsListedAndIsReadyWhenThatIsWanted) {
  const auto after = told(Seen(3), {.there = 3}, 3);

  EXPECT_EQ(after.status.replicas, 3);
  EXPECT_EQ(after.status.initialization.provisioned, true);
  EXPECT_EQ(after.status.ready, true) << "cores that read the older contract's field";
  EXPECT_EQ(ready_of(after), "True Ready: ");
}

TEST(ReportPool, IsNotProvisionedBeforeThereIsAnInstance) {
  EXPECT_FALSE(told(Seen(3), {.there = 0}, 0).status.initialization.provisioned.has_value());
  EXPECT_EQ(told(Seen(0), {.there = 0}, 0).status.initialization.provisioned, true) << "none is all it wants";
}

TEST(ReportPool, StaysProvisionedWhenAllInstancesAreLost) {
  Seen seen(3);
  seen.object.status.initialization.provisioned = true;

  EXPECT_EQ(told(seen, {.there = 0}, 0).status.initialization.provisioned, true);
}

TEST(ReportPool, SaysHowFarItIs) {
  EXPECT_EQ(ready_of(told(Seen(3), {.there = 1}, 1)), "False Resizing: 1 of 3 instances are there");
  EXPECT_EQ(ready_of(told(Seen(1), {.there = 1}, 2)), "False Resizing: 2 instances are there, 1 are wanted");
  EXPECT_THAT(ready_of(told(Seen(-1), {.there = 1}, 1)), HasSubstr("False InvalidSize: "));
}

TEST(ReportPool, KeepsAPassingTroubleToItself) {
  Seen young(3);
  young.object.metadata.creation_timestamp = builders::noon();
  Seen old(3);
  old.object.metadata.creation_timestamp = Time::from_unix(builders::noon().unix_seconds() - 60);
  const Effects effects{.trouble = Trouble{.reason = "CreateFailed", .message = "slow", .quiet = true}};

  EXPECT_EQ(ready_of(told(young, effects, 0)), "");
  EXPECT_EQ(ready_of(told(old, effects, 0)), "False CreateFailed: slow");
}

}  // namespace
}  // namespace capstan::infrastructure::pool
