#include "infrastructure/controller/pool/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/pool/member_actions.h"
#include "infrastructure/controller/pool/report.h"
#include "infrastructure/controller/pool/sizing.h"
#include "infrastructure/controller/pool/victims.h"
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

// What the plan does with instances, each with its name.
template <typename Does>
std::vector<std::string> members(const Plan& plan) {
  std::vector<std::string> found;
  for (const Action& action : plan.actions) {
    if (const auto* does = std::get_if<Does>(&action))
      found.push_back(does->member.object->metadata.name.str());
  }
  return found;
}
std::vector<std::string> victims(const Plan& plan) { return members<RemoveMember>(plan); }
std::vector<std::string> sick(const Plan& plan) { return members<ReplaceMember>(plan); }
template <typename Does>
std::size_t count(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.actions, [](const Action& action) { return std::holds_alternative<Does>(action); }));
}
std::size_t missing(const Plan& plan) { return count<CreateMember>(plan); }

std::string planned(const Observation& seen) { return describe(decide(seen)); }
Sizing size(const Observation& seen, const std::vector<Vm>& there) {
  return sizing(*seen.object, decide(seen).wanted, there);
}

TEST(DecidePool, SizesAGroupThatHasAllItNeeds) {
  EXPECT_EQ(planned(Seen(3)),
            "sign on: finalizers none -> drivermachinepool.capstan.dev\nsize the group to 3");
}

TEST(DecidePool, SignsOnOnlyOnceAndMintsAKeyWhereThereIsNone) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  Seen nameless = seen;
  nameless.object.spec.group_key = {};

  EXPECT_EQ(planned(seen), "size the group to 3");
  EXPECT_THAT(planned(nameless), testing::StartsWith("sign on: mint a group key, finalizers"));
}

TEST(DecidePool, TakesOneInstanceForGrantedWhenTheOwnerDoesNotSayHowMany) {
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
  const Plan followed = decide(seen);
  seen.owner.metadata.annotations.set(api::annotation::kReplicasManagedBy, "false");
  seen.owner.spec.replicas = 5;
  const Plan by_user_again = decide(seen);

  EXPECT_EQ(by_user.wanted, 5U);
  EXPECT_EQ(count<SetReplicas>(by_user), 0U);
  EXPECT_EQ(by_cloud.wanted, 2U);
  EXPECT_THAT(describe(by_cloud),
              HasSubstr("set spec.replicas of MachinePool mp1: 5 -> 2\nsize the group to 2"));
  EXPECT_EQ(count<SetReplicas>(followed), 0U);
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
  EXPECT_THAT(describe(later), HasSubstr("spec.replicas of MachinePool mp1: 5 -> 3"));
  EXPECT_EQ(decide(seen).wanted, 3U) << "what is no number says nothing";
}

TEST(DecidePool, RefusesANumberThatCantBeMeant) {
  for (const std::int32_t replicas : {-1, 10'001, 2'147'483'647}) {
    const Plan plan = decide(Seen(replicas));

    EXPECT_THAT(describe(plan), testing::EndsWith("keep the size of the group"))
        << "the list of what is there is kept true";
    EXPECT_FALSE(plan.wanted);
    EXPECT_EQ(plan.flaw->obstacle, api::NoteCode::SizeInvalid);
    EXPECT_THAT(plan.flaw->message, HasSubstr(std::to_string(replicas) + ": a pool has between 0 and 10000"));
  }
  EXPECT_EQ(decide(Seen(10'000)).wanted, 10'000U);
}

TEST(DecidePool, WaitsForTheBootstrapData) {
  Seen seen;
  seen.owner.spec.machine_template.spec.bootstrap.data_secret_name.reset();

  EXPECT_EQ(planned(seen),
            "wait silently (WaitingForBootstrapData): waiting for "
            "spec.template.spec.bootstrap.dataSecretName of MachinePool mp1");
}

TEST(DecidePool, WaitsForTheClustersInfrastructure) {
  Seen seen;
  seen.cluster->status.initialization.infrastructure_provisioned.reset();

  EXPECT_EQ(decide(seen).waiting->code, api::NoteCode::WaitingForClusterInfrastructure);
}

// --- brakes ---

void freeze(Seen& seen) { seen.owner.metadata.annotations.set("capstan.dev/freeze", "audit"); }
void overshoot(Seen& seen) {
  seen.owner.status.conditions = {
      api::conditions::make("capstan.dev/Frozen", api::status::kTrue, "OvershootingReplicaCount")};
}
void lose_api_server(Seen& seen) {
  seen.cluster->status.initialization.control_plane_initialized = true;
  seen.cluster->status.conditions = {
      api::conditions::make(api::condition::kRemoteConnectionProbe, api::status::kFalse, "Test")};
}
Sizing held_size(const Observation& seen, const std::vector<Vm>& there) {
  const Plan plan = decide(seen);
  Sizing held = sizing(*seen.object, plan.wanted, there);
  hold_back(plan.brakes, held);
  return held;
}

TEST(DecidePool, MakesNoneAndRemovesNoneWhileABrakeHoldsIt) {
  for (const auto& hold : {freeze, lose_api_server}) {
    Seen few(3);
    hold(few);
    Seen many(1);
    hold(many);
    auto stopped = vms({"mp1-0", "mp1-1"});
    stopped.front().state = VmState::Stopped;

    EXPECT_THAT(planned(few), HasSubstr("size the group to 3, make none, remove none"));
    EXPECT_THAT(held_size(few, vms({"mp1-0"})).missing, IsEmpty());
    EXPECT_THAT(names(held_size(many, vms({"mp1-0", "mp1-1"})).staying), ElementsAre("mp1-0", "mp1-1"));
    EXPECT_THAT(held_size(many, vms({"mp1-0", "mp1-1"})).victims, IsEmpty());
    EXPECT_THAT(names(held_size(few, stopped).kept), ElementsAre("mp1-0")) << "listed, and not counted";
  }
}

TEST(DecidePool, WithTooManyInstancesMakesNoneAndRemovesSome) {
  Seen many(1);
  overshoot(many);

  EXPECT_THAT(planned(many), HasSubstr("size the group to 1, make none"));
  EXPECT_THAT(names(held_size(many, vms({"mp1-0", "mp1-1"})).victims), ElementsAre("mp1-1"));
}

TEST(DecidePool, HoldsCreationRemovalAndReplacementOfMachinesAndSaysSo) {
  const auto in = [](Seen seen) {
    freeze(seen);
    return decide(seen);
  };
  Seen sick(2);
  sick.with("a").with("b", {}, [](auto&, api::Machine& machine) {
    machine = builders::a_machine("b").on_node("b").awaiting_remediation();
  });
  sick.members.front().machine =
      std::make_shared<const api::Machine>(builders::a_machine("a").on_node("a").ready());
  ASSERT_EQ(pool::sick(decide(sick)).size(), 1U);

  const Plan few = in(Seen(3).with("a"));
  const Plan many = in(Seen(1).with("a").with("b"));
  const Plan replaced = in(sick);

  EXPECT_EQ(missing(few), 0U);
  EXPECT_THAT(victims(many), IsEmpty());
  EXPECT_THAT(pool::sick(replaced), IsEmpty());
  const std::string why = "MachinePool mp1 is frozen by the annotation capstan.dev/freeze; take it off";
  EXPECT_EQ(few.flaw->message, "2 instances are missing; none is made: " + why);
  EXPECT_EQ(many.flaw->message, "1 instances are to go; none is removed: " + why);
  EXPECT_EQ(replaced.flaw->message, "instance b is to be replaced; none is: " + why);
  EXPECT_FALSE(in(Seen(1).with("a")).flaw) << "what needs nothing is ready";
}

TEST(DecidePool, GoesWhenAUserDeletesItWhileItIsFrozen) {
  Seen seen;
  freeze(seen);
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(planned(seen), "remove all VMs of the group\ndrop the finalizer");
}

TEST(DecidePool, DoesNothingWhilePausedOrBehind) {
  Seen paused;
  paused.object.metadata.annotations.set("cluster.x-k8s.io/paused", "");
  Seen behind;
  behind.fresh = false;

  EXPECT_EQ(planned(paused), "paused: DriverMachinePool has the cluster.x-k8s.io/paused annotation");
  EXPECT_EQ(decide(behind), Plan());
}

TEST(DecidePool, MakesNothingForAPoolThatGoes) {
  Seen seen;
  seen.owner.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen), Plan());
}

TEST(DecidePool, RemovesWhatItHasWhenItGoesItself) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(planned(seen), "remove all VMs of the group\ndrop the finalizer");
}

TEST(DecidePool, ReleasesWhatNeverAskedForAnInstance) {
  Seen seen;
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();
  seen.object.spec.group_key = {};
  Seen with_machines = seen;
  with_machines.object.spec.with_machines = true;

  EXPECT_EQ(planned(seen), "drop the finalizer");
  EXPECT_EQ(planned(with_machines), "drop the finalizer");
}

TEST(DecidePool, SpeaksOfWaitingOnlyWhenItTakesLong) {
  Seen seen;
  seen.owner.spec.machine_template.spec.bootstrap.data_secret_name.reset();
  seen.object.metadata.creation_timestamp = builders::noon();
  const Plan young = decide(seen);
  seen.object.metadata.creation_timestamp = Time::from_unix(builders::noon().unix_seconds() - 10);
  const Plan old = decide(seen);

  EXPECT_FALSE(young.waiting->shown);
  EXPECT_EQ(young.recheck, Seconds(10));
  EXPECT_TRUE(old.waiting->shown);
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

  EXPECT_EQ(missing(plan), 2U);
  EXPECT_THAT(victims(plan), ElementsAre("c"));
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
    return victims(decide(seen));
  };

  EXPECT_THAT(victims_at(6), IsEmpty());
  EXPECT_THAT(victims_at(5), ElementsAre("marked"));
  EXPECT_THAT(victims_at(2), ElementsAre("marked", "named", "broken", "young"));
  EXPECT_THAT(victims_at(0), ElementsAre("marked", "named", "broken", "young", "old", "oldest"));
}

TEST(DecidePoolWithMachines, TakesNoneWhenTheNumberCantBeMeant) {
  EXPECT_EQ(planned(Seen(-7).with("a")),
            "sign on: finalizers none -> drivermachinepool.capstan.dev\n"
            "list provider IDs: none -> sim:///a");
}

TEST(DecidePoolWithMachines, RemovesCreatesAndListsInThisOrder) {
  Seen seen(2);
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.spec.provider_id_list = std::vector<Text>{"sim:///gone"_text};
  seen.owner.spec.failure_domains = std::vector<Text>{"east"_text, "west"_text};
  seen.with("lost", {}, [](auto& object, auto&) {
    object.metadata.annotations.set("capstan.dev/failure-domain", "east");
    api::conditions::set(object.status.conditions, api::conditions::make("Ready", "False", "VMGone"), 1,
                         builders::noon());
  });

  EXPECT_EQ(planned(seen),
            "remove instance lost\n"
            "create an instance in west\n"
            "create an instance in east\n"
            "list provider IDs: sim:///gone -> sim:///lost, forget victims lost");
}

// What a health check writes; of a Machine that has joined.
void handed_over(api::DriverMachine& object, api::Machine& machine) {
  const std::string name = object.metadata.name.str();
  machine = builders::a_machine(name).running().not_ready("sick").awaiting_remediation();
}
void joined(api::DriverMachine& object, api::Machine& machine) {
  machine = builders::a_machine(object.metadata.name.str()).running();
}

TEST(DecidePoolWithMachines, ReplacesWhomAHealthCheckHandedOver) {
  Seen seen(3);
  seen.with("a", Seconds(900), joined).with("b", Seconds(900), handed_over).with("c", Seconds(900), joined);

  const Plan plan = decide(seen);

  EXPECT_THAT(sick(plan), ElementsAre("b"));
  EXPECT_THAT(victims(plan), IsEmpty()) << "those that go without a second look";
  EXPECT_EQ(missing(plan), 0U) << "it is made when the other goes";
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

  EXPECT_EQ(count<DropMark>(decide(seen)), 1U);
  EXPECT_THAT(planned(seen), testing::EndsWith("drop the mark of Machine well again"));
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

  EXPECT_THAT(victims(plan), ElementsAre("sick"));
  EXPECT_THAT(sick(plan), IsEmpty());
}

TEST(DecidePoolWithMachines, ReplacesNobodyWhileInstancesAreMissingOrTheNumberCantBeMeant) {
  Seen too_few(3);
  too_few.with("a", Seconds(900), joined).with("b", Seconds(900), handed_over);
  Seen senseless(-7);
  senseless.with("b", Seconds(900), handed_over);

  EXPECT_THAT(sick(decide(too_few)), IsEmpty());
  EXPECT_EQ(missing(decide(too_few)), 1U);
  EXPECT_THAT(sick(decide(senseless)), IsEmpty());
}

TEST(DecidePoolWithMachines, RemovesTheMachinesThatDoNotLeaveYet) {
  Seen seen;
  seen.with("a").with("b", {},
                      [](auto& object, auto&) { object.metadata.deletion_timestamp = builders::noon(); });
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(planned(seen),
            "remove instance a\n"
            "wait silently (Deleting): waiting for 2 instances to go, Machines first");
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

std::string ready_of(const Reported& reported) {
  const auto ready = api::conditions::find(reported.after.status.conditions, "Ready");
  return ready == nullptr ? ""
                          : ready->status.str() + " " + ready->reason.str() + ": " + ready->message.str();
}

Reported reported(Seen seen, Effects effects, std::size_t listed) {
  std::vector<Text> ids;
  for (std::size_t i = 0; i < listed; ++i) ids.emplace_back("sim:///" + std::to_string(i));
  seen.object.spec.provider_id_list = std::move(ids);
  effects.object = std::make_shared<const api::DriverMachinePool>(seen.object);
  const Observation observed = seen;
  return report(observed, decide(observed), effects);
}

TEST(ReportPool, CountsWhatIsListedAndIsReadyWhenThatIsWanted) {
  const Reported whole = reported(Seen(3), {.there = 3}, 3);

  EXPECT_EQ(whole.after.status.replicas, 3);
  EXPECT_EQ(whole.after.status.initialization.provisioned, true);
  EXPECT_EQ(whole.after.status.ready, true) << "cores that read the older contract's field";
  EXPECT_EQ(ready_of(whole), "True Ready: ");
}

TEST(ReportPool, IsNotProvisionedBeforeThereIsAnInstance) {
  EXPECT_FALSE(reported(Seen(3), {.there = 0}, 0).after.status.initialization.provisioned.has_value());
  EXPECT_EQ(reported(Seen(0), {.there = 0}, 0).after.status.initialization.provisioned, true)
      << "none is all it wants";
}

TEST(ReportPool, StaysProvisionedWhenAllInstancesAreLost) {
  Seen seen(3);
  seen.object.status.initialization.provisioned = true;

  EXPECT_EQ(reported(seen, {.there = 0}, 0).after.status.initialization.provisioned, true);
}

TEST(ReportPool, SaysHowFarItIs) {
  EXPECT_EQ(ready_of(reported(Seen(3), {.there = 1}, 1)), "False Resizing: 1 of 3 instances are there");
  EXPECT_EQ(ready_of(reported(Seen(1), {.there = 1}, 2)),
            "False Resizing: 2 instances are there, 1 are wanted");
  EXPECT_THAT(ready_of(reported(Seen(-1), {.there = 1}, 1)), HasSubstr("False InvalidSize: "));
}

TEST(ReportPool, KeepsAPassingTroubleToItself) {
  Seen young(3);
  young.object.metadata.creation_timestamp = builders::noon();
  Seen old(3);
  old.object.metadata.creation_timestamp = Time::from_unix(builders::noon().unix_seconds() - 60);
  const Effects effects{.trouble = Trouble{.message = "slow", .quiet = true}};

  EXPECT_EQ(ready_of(reported(young, effects, 0)), "");
  EXPECT_EQ(ready_of(reported(old, effects, 0)), "False CreateFailed: slow");
}

TEST(ReportPool, RecordsWhyItDoesNotGrowButNotThatItGrows) {
  const Effects full{.there = 1,
                     .trouble = Trouble{.code = api::NoteCode::ResourceExhausted, .message = "no quota"}};

  EXPECT_THAT(reported(Seen(3), {.there = 1}, 1).notes, IsEmpty());
  EXPECT_THAT(reported(Seen(3), full, 1).notes,
              ElementsAre(runtime::Note{.code = api::NoteCode::ResourceExhausted, .text = "no quota"}));
}

TEST(ReportPool, NamesAnInstanceThatIsNotReady) {
  Seen seen(1);
  seen.with("a", {}, [](auto& object, auto&) {
    api::conditions::set(object.status.conditions,
                         api::conditions::make("Ready", "False", "CreateFailed", "the cloud refuses"), 1,
                         builders::noon());
  });

  EXPECT_EQ(ready_of(reported(seen, {.there = 0}, 0)),
            "False InstanceNotReady: DriverMachine a: the cloud refuses");
}

TEST(ReportPool, SaysAfterAMinuteWhichInstancesHoldItsDeletionUp) {
  Seen seen(1);
  seen.with("a");
  seen.object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kMachinePool)});
  seen.object.metadata.deletion_timestamp = Time::from_unix(builders::noon().unix_seconds() - 60);

  EXPECT_EQ(ready_of(reported(seen, {}, 0)), "False Deleting: waiting for 1 instances to go, Machines first");
  EXPECT_EQ(ready_of(reported(seen, {.error = Error{.code = Code::Timeout}}, 0)), "")
      << "no Machine was told to go";
}

}  // namespace
}  // namespace capstan::infrastructure::pool
