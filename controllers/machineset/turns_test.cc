// Whole turns of the MachineSet controller: making, scaling, deleting and repairing Machines.
#include "controllers/machineset/turn_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/conditions/conditions.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_set;
using builders::kNamespace;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// --- creating ---

TEST(Turns, ThreeMachinesAreMadeWithTheirBootstrapAndInfrastructure) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());

    stage.start();

    const auto machines = stage.machine_names();
    EXPECT_THAT(machines, SizeIs(3));
    EXPECT_EQ(stage.names_of(kInfraMachines), machines);
    EXPECT_EQ(stage.names_of(kConfigs), machines);
    EXPECT_EQ(stage.set().status.replicas, 3);
    EXPECT_EQ(stage.says("ScalingUp"), "False NotScalingUp: ");
    EXPECT_EQ(stage.says("Paused"), "False NotPaused: ");
    EXPECT_THAT(stage.events.events, testing::Each(StartsWith("Normal SuccessfulCreate: Created Machine")));
  });
}

// Of three Machines one can't be decoded when the manager starts: it is there all the same.
TEST(Turns, NoMachineIsMadeInThePlaceOfOneThatCannotBeDecoded) {
  in_simulation([](MachineSetFixture& stage) {
    const auto kMachines = kube::resource_of<api::Machine>();
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());
    for (const auto* name : {"ms1-aaaaa", "ms1-bbbbb"}) stage.make_as_a_set_does(name);
    stage.take_any_machine();
    stage.patch(kMachines, "ms1-bbbbb", {{"spec", {{"deletion", "later"}}}});

    stage.start();
    const auto there = stage.machine_names();
    const std::string scaling = stage.says("ScalingUp");
    const auto counted = stage.set().status.replicas;
    stage.patch(kMachines, "ms1-bbbbb", {{"spec", {{"deletion", nullptr}}}});
    stage.settle();

    EXPECT_THAT(there, ElementsAre("ms1-aaaaa", "ms1-bbbbb"));
    EXPECT_EQ(counted, 2) << "its MachineDeployment reckons with both";
    EXPECT_THAT(scaling, AllOf(HasSubstr("Machine default/ms1-bbbbb can't be read: spec.deletion: expected"),
                               HasSubstr("no Machine is made in its place")));
    EXPECT_THAT(stage.machine_names(), SizeIs(3));
  });
}

TEST(Turns, ASetThatGoesWaitsForAMachineThatCannotBeDecoded) {
  in_simulation([](MachineSetFixture& stage) {
    const auto kMachines = kube::resource_of<api::Machine>();
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.make_as_a_set_does("ms1-aaaaa");
    stage.take_any_machine();
    stage.patch(kMachines, "ms1-aaaaa", {{"spec", {{"deletion", "later"}}}});
    stage.start();

    stage.remove(kube::resource_of<api::MachineSet>(), "ms1");
    stage.settle();
    const std::string waits = stage.says("Deleting");
    stage.patch(kMachines, "ms1-aaaaa", {{"spec", {{"deletion", nullptr}}}});
    stage.settle();
    stage.let_go_of_deleted();
    stage.settle(1min);

    EXPECT_THAT(waits, HasSubstr("Machine default/ms1-aaaaa can't be read: spec.deletion"));
    EXPECT_THAT(stage.machine_names(), IsEmpty());
    EXPECT_THAT(stage.names_of(kube::resource_of<api::MachineSet>()), IsEmpty());
  });
}

TEST(Turns, AMachineCostsThreeWritesAndTheSetAHandful) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());

    stage.start();

    EXPECT_EQ(count_of(stage.writes, "patch KubeadmConfig"), 3U);
    EXPECT_EQ(count_of(stage.writes, "patch DockerMachine"), 3U);
    EXPECT_EQ(count_of(stage.writes, "patch Machine"), 3U);
    EXPECT_EQ(count_of(stage.writes, "patch MachineSet"), 5U);
    EXPECT_EQ(count_of(stage.writes, "patch KubeadmConfigTemplate"), 1U);
    EXPECT_EQ(count_of(stage.writes, "patch DockerMachineTemplate"), 1U);
  });
}

TEST(Turns, AMachineIsBornWithFinalizerOwnerAndLabels) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).in_deployment("md1").build());
    stage.make(kube::resource_of<api::MachineDeployment>(),
               {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                {"kind", "MachineDeployment"},
                {"metadata", {{"name", "md1"}, {"namespace", kNamespace}}},
                {"spec",
                 {{"clusterName", "c1"},
                  {"selector", {{"matchLabels", {{"a", "b"}}}}},
                  {"template", api::to_json(builders::machine_template_of("ms1"))}}}});

    stage.start();

    ASSERT_THAT(stage.machines(), SizeIs(1));
    const auto machine = stage.machines().front();
    EXPECT_TRUE(machine.metadata.has_finalizer("machine.cluster.x-k8s.io"));
    ASSERT_NE(machine.metadata.controller(), nullptr);
    EXPECT_EQ(machine.metadata.controller()->name, "ms1");
    EXPECT_EQ(machine.metadata.labels.value_or_empty("cluster.x-k8s.io/set-name"), "ms1");
    EXPECT_EQ(machine.metadata.labels.value_or_empty("cluster.x-k8s.io/deployment-name"), "md1");
    EXPECT_EQ(machine.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
    EXPECT_EQ(machine.spec.infrastructure_ref.kind, "DockerMachine");
    EXPECT_EQ(machine.spec.infrastructure_ref.name, machine.metadata.name);
    EXPECT_EQ(machine.spec.deletion.node_deletion_timeout_seconds, 10);
    EXPECT_NE(machine.metadata.managed_fields.applied_by("capi-machineset"), nullptr);
  });
}

TEST(Turns, WhatIsMadeForAMachineIsBornAsItsOwn) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());

    stage.start();

    const std::string owner = "Machine " + stage.machine_names().front() + ", controller";
    EXPECT_THAT(stage.owners_of(kInfraMachines), ElementsAre(owner));
    EXPECT_THAT(stage.owners_of(kConfigs), ElementsAre(owner));
  });
}

TEST(Turns, AtRestNothingIsSent) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());
    stage.start();
    stage.settle(2min);
    const auto reads = stage.network.calls(Call::Read);
    stage.writes.clear();

    stage.settle(30min);

    EXPECT_THAT(stage.writes, IsEmpty());
    EXPECT_EQ(stage.network.calls(Call::Read), reads);
  });
}

TEST(Turns, ALostConnectionChangesNoNumberUntilNodesAreSeenAgain) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());
    stage.start();
    const kube::ObjectKey cluster{std::string(kNamespace), "c1"};
    stage.put_nodes(cluster);
    const auto counted = [&stage] {
      const auto read = stage.set();
      const auto& old = *read.status.deprecated->v1beta1;
      return std::pair(old.ready_replicas, old.available_replicas);
    };
    EXPECT_EQ(counted(), std::pair(0, 0));

    stage.workload_clusters.connect(cluster);
    stage.settle(2min);
    EXPECT_EQ(counted(), std::pair(3, 3));

    stage.writes.clear();
    stage.workload_clusters.lose(cluster);
    stage.settle(1h);
    EXPECT_THAT(stage.writes, IsEmpty());

    stage.workload_clusters.remove_node(cluster, stage.machine_names().front());
    stage.workload_clusters.connect(cluster);
    stage.settle();
    EXPECT_EQ(counted(), std::pair(2, 2));
  });
}

TEST(Turns, AWaveOfCreationsGoesOnUntilAllAreThere) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(40).build());

    stage.start();

    EXPECT_THAT(stage.machine_names(), SizeIs(40));
    EXPECT_EQ(count_of(stage.writes, "patch Machine"), 40U);
  });
}

TEST(Turns, AReplyThatIsLostMakesNoSecondMachine) {
  in_simulation([](MachineSetFixture& stage) {
    int creations = 0;
    stage.choose = [&](const FaultPoint& at) {
      const bool creation = at.call == Call::Patch && (at.kind == "Machine" || at.kind == "DockerMachine");
      if (creation) ++creations;
      return creation && creations % 3 == 0 && creations < 10 ? Fault::LostReply : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());

    stage.start();
    stage.settle(5min);

    EXPECT_THAT(stage.machine_names(), SizeIs(3));
    EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names());
    EXPECT_EQ(stage.names_of(kConfigs), stage.machine_names());
  });
}

TEST(Turns, ARefusedMachineLeavesNothingBehind) {
  in_simulation([](MachineSetFixture& stage) {
    int refused = 0;
    stage.choose = [&](const FaultPoint& at) {
      return at.call == Call::Patch && at.kind == "Machine" && refused++ < 2 ? Fault::Unavailable
                                                                             : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());

    stage.start();
    stage.settle(1min);

    EXPECT_THAT(stage.machine_names(), SizeIs(1));
    EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names());
    EXPECT_EQ(stage.names_of(kConfigs), stage.machine_names());
  });
}

// A policy may guard what has nothing to do with how many Machines there are.
TEST(Turns, ATemplateThatMayNotBeOwnedKeepsNoMachineFromBeingMade) {
  in_simulation([](MachineSetFixture& stage) {
    stage.choose = [](const FaultPoint& at) {
      return at.call == Call::Patch && at.kind == "DockerMachineTemplate" ? Fault::Unavailable : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());

    stage.start();

    EXPECT_THAT(stage.machine_names(), SizeIs(2));
  });
}

// --- Machines without their objects ---

// The Machines of one turn at a time: no further Machine is made while one lacks an object of its own.
TEST(Turns, AMachineWhoseObjectsAreRefusedStaysAndIsFinishedOnceTheyAreNot) {
  for (const std::string kind : {"DockerMachine", "KubeadmConfig"}) {
    in_simulation([&kind](MachineSetFixture& stage) {
      bool refusing = true;
      stage.choose = [&](const FaultPoint& at) {
        return refusing && at.call == Call::Patch && at.kind == kind ? Fault::Unavailable : Fault::None;
      };
      stage.make_surroundings();
      stage.make(a_machine_set().replicas(3).build());

      stage.start();
      stage.settle(3min);
      const auto unfinished = stage.machine_names();
      EXPECT_THAT(unfinished, SizeIs(1)) << kind;
      EXPECT_EQ(count_of(stage.writes, "patch Machine"), 1U) << kind;
      EXPECT_THAT(stage.says("ScalingUp"),
                  AllOf(StartsWith("True ScalingUp: Scaling up from 0 to 3 replicas is blocked because:\n"
                                   "* failed to create " +
                                   kind),
                        testing::Not(HasSubstr(unfinished.front()))));
      EXPECT_THAT(stage.events.events, Contains(StartsWith("Warning FailedCreate: Scaling up")).Times(1));

      refusing = false;
      stage.settle(20min);
      EXPECT_THAT(stage.machine_names(), SizeIs(3)) << kind;
      EXPECT_THAT(stage.machine_names(), Contains(unfinished.front())) << kind;
      EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names()) << kind;
      EXPECT_EQ(stage.names_of(kConfigs), stage.machine_names()) << kind;
      EXPECT_THAT(stage.owners_of(kInfraMachines),
                  Contains("Machine " + unfinished.front() + ", controller"));
    });
  }
}

// A webhook that fails is a 500: the request may have taken effect or not, and the set waits before it asks
// again. Meanwhile it does not say that all is well.
TEST(Turns, WhileItIsUnknownWhatBecameOfAnObjectTheSetIsStillScalingUp) {
  in_simulation([](MachineSetFixture& stage) {
    bool failing = true;
    stage.choose = [&](const FaultPoint& at) {
      return failing && at.call == Call::Patch && at.kind == "DockerMachine" ? Fault::Timeout : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();

    for (int i = 0; i < 20; ++i) {
      stage.settle(10s);
      EXPECT_THAT(stage.says("ScalingUp"), StartsWith("True ScalingUp: Scaling up from 0 to 1 replicas"));
    }
    failing = false;
    stage.settle(5min);

    EXPECT_THAT(stage.machine_names(), SizeIs(1));
    EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names());
    EXPECT_EQ(stage.says("ScalingUp"), "False NotScalingUp: ");
  });
}

TEST(Turns, AMachineOfAProcessThatDiedInBetweenIsFinishedByTheNext) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.make_as_a_set_does("ms1-hlfhl");

    stage.start();

    EXPECT_THAT(stage.machine_names(), ElementsAre("ms1-hlfhl"));
    EXPECT_THAT(stage.owners_of(kInfraMachines), ElementsAre("Machine ms1-hlfhl, controller"));
    EXPECT_THAT(stage.owners_of(kConfigs), ElementsAre("Machine ms1-hlfhl, controller"));
  });
}

// It had a VM, or data that a VM was made from: a second one would be more than spec.replicas asks for.
TEST(Turns, WhatHasServedItsMachineIsNotMadeAgain) {
  const std::vector<json::value> signs = {
      {{"spec", {{"providerID", "docker:////a"}, {"bootstrap", {{"dataSecretName", "data"}}}}}},
      {{"status",
        {{"initialization", {{"infrastructureProvisioned", true}, {"bootstrapDataSecretCreated", true}}}}}}};
  for (const auto& sign : signs) {
    in_simulation([&sign](MachineSetFixture& stage) {
      stage.make_surroundings();
      stage.make(a_machine_set().replicas(1).build());
      stage.start();
      const std::string name = stage.machine_names().front();
      stage.patch(kube::resource_of<api::Machine>(), name, sign,
                  sign.as_object().contains("status") ? "status" : "");
      stage.settle();

      stage.remove(kInfraMachines, name);
      stage.remove(kConfigs, name);
      stage.settle(30min);

      EXPECT_THAT(stage.names_of(kInfraMachines), IsEmpty());
      EXPECT_THAT(stage.names_of(kConfigs), IsEmpty());
      EXPECT_THAT(stage.machine_names(), ElementsAre(name));
    });
  }
}

TEST(Turns, WhatAUsersOwnMachineRefersToIsLeftToTheUser) {
  for (const auto* reference : {"stray", "box-of-mine"}) {
    in_simulation([reference](MachineSetFixture& stage) {
      stage.make_surroundings();
      auto own = a_machine("stray").labelled("cluster.x-k8s.io/set-name", "ms1").build();
      own.spec.infrastructure_ref.name = Text(reference);
      stage.make(own);
      stage.make(a_machine_set().replicas(1).build());

      stage.start();
      stage.settle(30min);

      EXPECT_THAT(stage.machine_names(), ElementsAre("stray"));
      EXPECT_THAT(stage.names_of(kInfraMachines), IsEmpty());
      EXPECT_THAT(stage.names_of(kConfigs), IsEmpty());
    });
  }
}

// Of a Machine whose making was cut short, and that a user has written since.
std::vector<std::string> made_after(const json::value& users_patch) {
  std::vector<std::string> made;
  in_simulation([&](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.make_as_a_set_does("ms1-hlfhl");
    stage.patch(kube::resource_of<api::Machine>(), "ms1-hlfhl", users_patch);

    stage.start();
    stage.settle(30min);

    made = stage.names_of(kInfraMachines);
  });
  return made;
}

TEST(Turns, AMachineThatAUserHasMarkedIsFinishedAllTheSame) {
  EXPECT_THAT(made_after({{"metadata", {{"annotations", {{"cluster.x-k8s.io/delete-machine", "yes"}}}}}}),
              ElementsAre("ms1-hlfhl"));
}

TEST(Turns, AMachineThatAUserGaveAnotherReferenceIsNotFinished) {
  EXPECT_THAT(made_after({{"spec", {{"infrastructureRef", {{"name", "box-of-mine"}}}}}}), IsEmpty());
}

// Its name is refused, and the remedy is another way of naming. What was made under the old one is neither
// finished nor counted, and its condition says what to do with it.
TEST(Turns, AnUnfinishedMachineOfAnOlderNamingIsSaidToBeInTheWay) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.make_as_a_set_does("ms1-hlfhl");
    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"spec", {{"machineNaming", {{"template", "w-{{ .random }}"}}}}}});

    stage.start();
    stage.settle(3min);
    const std::string told = stage.says("ScalingUp");
    stage.remove(kube::resource_of<api::Machine>(), "ms1-hlfhl");
    stage.let_go_of_deleted();
    stage.settle(3min);

    EXPECT_EQ(
        told,
        "True ScalingUp: Scaling up from 0 to 1 replicas is blocked because:\n"
        "* Machine ms1-hlfhl has no KubeadmConfig and no DockerMachine, and is not what "
        "spec.machineNaming and spec.template make now: give it what it lacks, or delete it, another one "
        "will be made");
    EXPECT_THAT(stage.machine_names(), ElementsAre(StartsWith("w-")));
    EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names());
    EXPECT_EQ(stage.says("ScalingUp"), "False NotScalingUp: ");
  });
}

TEST(Turns, AMachineThatHasTheNameAlreadyKeepsItsObjects) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    stage.settle();
    const std::string name = stage.machine_names().front();
    const auto infra = stage.all(kInfraMachines).front().at("metadata").at("uid");
    const auto config = stage.all(kConfigs).front().at("metadata").at("uid");
    bool refused = false;
    stage.choose = [&](const FaultPoint& at) {
      const bool refuse = at.call == Call::Patch && at.kind == "Machine" && !std::exchange(refused, true);
      return refuse ? Fault::Unavailable : Fault::None;
    };
    stage.generated_names.first = {name.substr(name.size() - kNameSuffixLength)};

    stage.scale(2);
    stage.settle(3min);

    EXPECT_THAT(stage.machine_names(), SizeIs(2));
    EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names());
    EXPECT_EQ(stage.names_of(kConfigs), stage.machine_names());
    for (const auto& [resource, uid] : {std::pair(kInfraMachines, infra), std::pair(kConfigs, config)}) {
      const auto metadata = stage.user.get(resource, {std::string(kNamespace), name}, Deadline::never());
      ASSERT_TRUE(metadata) << resource.kind;
      EXPECT_EQ(metadata->at("metadata").at("uid"), uid) << resource.kind;
    }
  });
}

TEST(Turns, AStrangersObjectOfThatNameIsLeftAlone) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.make(kInfraMachines, {{"apiVersion", kInfraMachines.api_version()},
                                {"kind", kInfraMachines.kind},
                                {"metadata", {{"name", "ms1-taken"}, {"namespace", kNamespace}}}});
    stage.generated_names.first = {"taken"};

    stage.start();

    const auto stranger =
        stage.user.get(kInfraMachines, {std::string(kNamespace), "ms1-taken"}, Deadline::never());
    ASSERT_TRUE(stranger);
    EXPECT_FALSE(stranger->at("metadata").as_object().contains("labels"));
    EXPECT_FALSE(stranger->at("metadata").as_object().contains("ownerReferences"));
    EXPECT_THAT(stage.machine_names(), SizeIs(1));
    EXPECT_THAT(stage.machine_names(), testing::Not(Contains("ms1-taken")));
  });
}

// It is made since our caches last heard, so the answer alone shows it.
void make_before_the_clone(MachineSetFixture& stage, const json::value& metadata) {
  stage.choose = [&stage, metadata, made = false](const FaultPoint& at) mutable {
    const bool first = at.call == Call::Patch && at.kind == "DockerMachine" && !std::exchange(made, true);
    if (!first) return Fault::None;
    stage.make(kInfraMachines, {{"apiVersion", kInfraMachines.api_version()},
                                {"kind", kInfraMachines.kind},
                                {"metadata", metadata}});
    return Fault::None;
  };
}

TEST(Turns, AnObjectThatNobodyControlsAndThatWasMadeMeanwhileIsNotTakenAway) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    make_before_the_clone(stage, {{"name", "ms1-xxxxc"}, {"namespace", kNamespace}});

    stage.start();
    stage.let_go_of_deleted();
    stage.settle(3min);

    const auto stranger =
        stage.user.get(kInfraMachines, {std::string(kNamespace), "ms1-xxxxc"}, Deadline::never());
    ASSERT_TRUE(stranger);
    EXPECT_FALSE(stranger->at("metadata").as_object().contains("labels"));
    EXPECT_FALSE(stranger->at("metadata").as_object().contains("ownerReferences"));
    EXPECT_THAT(stage.machine_names(), SizeIs(1));
    EXPECT_THAT(stage.machine_names(), testing::Not(Contains("ms1-xxxxc")));
  });
}

TEST(Turns, AStrangersObjectThatWasMadeMeanwhileIsNotTakenAway) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    make_before_the_clone(stage,
                          {{"name", "ms1-xxxxc"},
                           {"namespace", kNamespace},
                           {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                            {"kind", "Machine"},
                                                            {"name", "elsewhere"},
                                                            {"uid", "8c8ea0f1-9ad6-4b3e-9b8c-0d6f2f6a7b11"},
                                                            {"controller", true}}}}});

    stage.start();
    stage.let_go_of_deleted();
    stage.settle(3min);

    EXPECT_THAT(stage.names_of(kInfraMachines), Contains("ms1-xxxxc"));
    EXPECT_THAT(stage.owners_of(kInfraMachines), Contains("Machine elsewhere, controller"));
    EXPECT_THAT(stage.machine_names(), SizeIs(1));
    EXPECT_THAT(stage.machine_names(), testing::Not(Contains("ms1-xxxxc")));
  });
}

TEST(Turns, AMissingTemplateIsNamedInConditionAndEventUntilItIsThere) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make(a_cluster().without_control_plane_ref().build());
    stage.make_template(kConfigTemplates, "ms1");
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    const std::string blocked = stage.says("ScalingUp");

    stage.make_template(kInfraTemplates, "ms1");
    stage.settle(1min);

    EXPECT_EQ(
        blocked,
        "True ScalingUp: Scaling up from 0 to 1 replicas is blocked because:\n* DockerMachineTemplate does "
        "not exist (spec.template.spec.infrastructureRef names \"ms1\": create it, or correct the "
        "reference)");
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Warning FailedCreate: Scaling up from 0 to 1 replicas is blocked")));
    EXPECT_THAT(stage.machine_names(), SizeIs(1));
  });
}

TEST(Turns, ASelectorThatMissesItsOwnTemplateMakesNothingAndSaysSo) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    auto set = a_machine_set().replicas(2).build();
    set.spec.selector.match_labels.set("colour", "blue");
    stage.make(set);

    stage.start();

    EXPECT_THAT(stage.machine_names(), IsEmpty());
    EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("spec.selector"));
    EXPECT_THAT(stage.says("ScalingUp"),
                HasSubstr("does not match the labels in spec.template.metadata.labels"));
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("spec.selector")));
  });
}

TEST(Turns, ANegativeNumberOfReplicasDeletesNobodyAndIsNamed) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();

    stage.scale(-2);
    stage.settle();

    ASSERT_THAT(stage.machines(), SizeIs(2));
    for (const auto& machine : stage.machines()) EXPECT_FALSE(machine.metadata.deleting());
    EXPECT_THAT(stage.says("ScalingDown"), HasSubstr("spec.replicas: -2 is negative"));
    EXPECT_LT(stage.set().status.observed_generation, stage.set().metadata.generation);
    stage.scale(1);
    stage.settle();
    EXPECT_THAT(
        stage.machines(),
        Contains(testing::Truly([](const api::Machine& machine) { return machine.metadata.deleting(); })));
  });
}

TEST(Turns, AShutBrakeKeepsMachinesFromBeingMade) {
  in_simulation(
      [](MachineSetFixture& stage) {
        stage.make_surroundings();
        stage.make(a_machine_set().replicas(2).build());

        stage.start();

        EXPECT_THAT(stage.machine_names(), IsEmpty());
        EXPECT_THAT(stage.says("ScalingUp"), HasSubstr("the brake is shut"));
      },
      true);
}

TEST(Turns, AControlPlaneThatIsProvisioningHoldsNewMachinesBack) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.patch(
        kube::resource_of<api::Cluster>(), "c1",
        {{"spec",
          {{"controlPlaneRef",
            {{"apiGroup", api::group::kControlPlane}, {"kind", "KubeadmControlPlane"}, {"name", "cp"}}}}}});
    stage.make(kControlPlanes, {{"apiVersion", kControlPlanes.api_version()},
                                {"kind", kControlPlanes.kind},
                                {"metadata", {{"name", "cp"}, {"namespace", kNamespace}}},
                                {"spec", {{"version", "v1.30.0"}}}});
    stage.make(a_machine_set().replicas(1).version("v1.30.0").build());
    stage.start();
    const std::string held = stage.says("ScalingUp");
    stage.patch(kControlPlanes, "cp", {{"status", {{"version", "v1.30.0"}}}}, "status");

    stage.settle(1min);

    EXPECT_THAT(held, HasSubstr("KubeadmControlPlane default/cp is provisioning (\"ControlPlaneIsStable\" "
                                "preflight check failed)"));
    EXPECT_THAT(stage.machine_names(), SizeIs(1));
  });
}

// --- scaling ---

TEST(Turns, ScalesUpAndThenDownByTheMark) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());
    stage.start();
    stage.scale(5);
    stage.settle();
    ASSERT_THAT(stage.machine_names(), SizeIs(5));
    const auto names = stage.machine_names();
    for (const auto at : {0U, 2U, 4U}) {
      stage.patch(kube::resource_of<api::Machine>(), names[at],
                  {{"metadata", {{"annotations", {{"cluster.x-k8s.io/delete-machine", ""}}}}}});
    }
    stage.settle();

    stage.scale(2);
    stage.settle();
    stage.let_go_of_deleted();
    stage.settle();

    EXPECT_THAT(stage.machine_names(), ElementsAre(names[1], names[3]));
    EXPECT_EQ(stage.set().status.replicas, 2);
    EXPECT_EQ(count_of(stage.writes, "remove Machine"), 3U);
  });
}

TEST(Turns, WhileNobodyAnswersWhatBecameOfADeletionTheSetSaysSoOnce) {
  in_simulation([](MachineSetFixture& stage) {
    stage.choose = [](const FaultPoint& at) {
      if (at.kind != "Machine") return Fault::None;
      if (at.call == Call::Remove) return Fault::Timeout;
      return at.call == Call::Read ? Fault::Unavailable : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    stage.settle(2min);
    stage.writes.clear();

    stage.scale(1);
    stage.settle(10min);

    EXPECT_THAT(stage.says(api::condition::kScalingDown), HasSubstr("no answer yet to the deletion of"));
    EXPECT_LE(count_of(stage.writes, "patch MachineSet"), 4U) << "by the third look all has been said";
  });
}

TEST(Turns, WhileADeletedMachineIsThereNothingTakesItsPlace) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();
    must(stage.user.remove(kube::resource_of<api::Machine>(), {std::string(kNamespace), names[0]}, {},
                           Deadline::never()));
    stage.settle();
    const auto meanwhile = stage.machine_names();

    stage.let_go_of_deleted();
    stage.settle();

    EXPECT_EQ(meanwhile, names);
    EXPECT_THAT(stage.machine_names(), SizeIs(2));
    EXPECT_NE(stage.machine_names(), names);
  });
}

TEST(Turns, DisabledCreationMakesNothing) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(
        a_machine_set().replicas(2).annotated("cluster.x-k8s.io/disable-machine-create", "true").build());

    stage.start();

    EXPECT_THAT(stage.machine_names(), IsEmpty());
  });
}

// --- whose Machines ---

TEST(Turns, AMatchingMachineWithoutControllerIsAdopted) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine("stray").labelled("cluster.x-k8s.io/set-name", "ms1").build());
    stage.make(a_machine_set().replicas(1).build());

    stage.start();

    ASSERT_THAT(stage.machines(), SizeIs(1));
    ASSERT_NE(stage.machines().front().metadata.controller(), nullptr);
    EXPECT_EQ(stage.machines().front().metadata.controller()->kind, "MachineSet");
    EXPECT_THAT(stage.events.events, Contains("Normal SuccessfulAdopt: Adopted Machine \"stray\""));
  });
}

TEST(Turns, AnySelectorWorks) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine("stray").labelled("tier", "web").build());
    stage.make(a_machine_set()
                   .replicas(1)
                   .template_label("tier", "web")
                   .with([](api::MachineSet& set) {
                     set.spec.selector = {
                         .match_expressions = {{.key = "tier"_text, .operator_ = "Exists"_text}}};
                   })
                   .build());

    stage.start();

    EXPECT_THAT(stage.machine_names(), ElementsAre("stray"));
  });
}

TEST(Turns, AMachineWhoseLabelsMoveAwayIsReleasedAndReplaced) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set()
                   .replicas(1)
                   .template_label("tier", "web")
                   .with([](api::MachineSet& set) { set.spec.selector.match_labels.set("tier", "web"); })
                   .build());
    stage.start();
    const std::string name = stage.machine_names().front();

    stage.patch(kube::resource_of<api::Machine>(), name, {{"metadata", {{"labels", {{"tier", "debug"}}}}}});
    stage.settle();

    ASSERT_THAT(stage.machines(), SizeIs(2));
    for (const auto& machine : stage.machines()) {
      EXPECT_EQ(machine.metadata.controller() == nullptr, machine.metadata.name == name);
    }
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("Released Machine \"" + name + "\"")));
  });
}

// --- the end ---

TEST(Turns, DeletionTakesTheMachinesAlongAndLetsGoLast) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());
    stage.start();

    must(stage.user.remove(kube::resource_of<api::MachineSet>(), {std::string(kNamespace), "ms1"}, {},
                           Deadline::never()));
    stage.settle();
    const std::string deleting = stage.says("Deleting");
    const auto still_there = stage.names_of(kube::resource_of<api::MachineSet>());
    stage.let_go_of_deleted();
    stage.settle();

    EXPECT_EQ(deleting, "True Deleting: Deleting 3 Machines");
    EXPECT_THAT(still_there, ElementsAre("ms1"));
    EXPECT_THAT(stage.machine_names(), IsEmpty());
    EXPECT_THAT(stage.names_of(kube::resource_of<api::MachineSet>()), IsEmpty());
  });
}

TEST(Turns, ASetWhoseClusterIsGoneStillGoes) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    must(stage.user.remove(kube::resource_of<api::Cluster>(), {std::string(kNamespace), "c1"}, {},
                           Deadline::never()));
    stage.settle();

    must(stage.user.remove(kube::resource_of<api::MachineSet>(), {std::string(kNamespace), "ms1"}, {},
                           Deadline::never()));
    stage.settle();
    stage.let_go_of_deleted();
    stage.settle();

    EXPECT_THAT(stage.names_of(kube::resource_of<api::MachineSet>()), IsEmpty());
  });
}

TEST(Turns, APausedSetDoesNothingButSaySo) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).paused().build());

    stage.start();

    EXPECT_THAT(stage.machine_names(), IsEmpty());
    EXPECT_EQ(stage.says("Paused"), "True Paused: MachineSet has the cluster.x-k8s.io/paused annotation");
    EXPECT_EQ(stage.says("ScalingUp"), "absent");
  });
}

// --- remediation, propagation, clean-up ---

json::value condition(std::string_view type, std::string_view status) {
  return {{"type", type},
          {"status", status},
          {"reason", "Test"},
          {"message", ""},
          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
}

TEST(Turns, ASickMachineHandedOverIsMarkedDeletedAndReplaced) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();
    stage.patch(kube::resource_of<api::Machine>(), names[0],
                {{"status",
                  {{"conditions", json::array{condition("HealthCheckSucceeded", "False"),
                                              condition("OwnerRemediated", "False")}}}}},
                "status");
    stage.settle();
    const auto going = stage.machines().front();

    stage.let_go_of_deleted();
    stage.settle();

    EXPECT_TRUE(going.metadata.deleting());
    const auto marked = api::conditions::find(going.status.conditions, "OwnerRemediated");
    ASSERT_NE(marked, nullptr);
    EXPECT_EQ(marked->reason, "MachineDeleting");
    EXPECT_THAT(stage.machine_names(), SizeIs(2));
    EXPECT_THAT(stage.machine_names(), testing::Not(Contains(names[0])));
  });
}

TEST(Turns, ASickMachineThatMayNotBeDeletedKeepsNoOtherFromBeingMade) {
  in_simulation([](MachineSetFixture& stage) {
    stage.choose = [](const FaultPoint& at) {
      return at.call == Call::Remove && at.kind == "Machine" ? Fault::Unavailable : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    const std::string sick = stage.machine_names().front();
    stage.patch(kube::resource_of<api::Machine>(), sick,
                {{"status",
                  {{"conditions", json::array{condition("HealthCheckSucceeded", "False"),
                                              condition("OwnerRemediated", "False")}}}}},
                "status");
    stage.settle();

    stage.scale(2);
    stage.settle();

    EXPECT_THAT(stage.machine_names(), SizeIs(2));
    EXPECT_THAT(stage.machine_names(), Contains(sick));
  });
}

// A Machine is marked as sick, and found healthy just before that call for it arrives. It stays.
void recovers_before(MachineSetFixture& stage, Call call) {
  stage.make_surroundings();
  stage.make(a_machine_set().replicas(1).build());
  stage.start();
  const std::string name = stage.machine_names().front();
  const auto judge = [&](std::string_view health) {
    stage.patch(kube::resource_of<api::Machine>(), name,
                {{"status",
                  {{"conditions", json::array{condition("HealthCheckSucceeded", health),
                                              condition("OwnerRemediated", "False")}}}}},
                "status");
  };
  bool recovered = false;
  stage.choose = [&](const FaultPoint& at) {
    if (at.call == call && at.kind == "Machine" && !std::exchange(recovered, true)) judge("True");
    return Fault::None;
  };

  judge("False");
  stage.settle();

  EXPECT_TRUE(recovered);
  ASSERT_THAT(stage.machine_names(), ElementsAre(name));
  EXPECT_FALSE(stage.machines().front().metadata.deleting());
}

TEST(Turns, AMachineThatRecoversAtTheLastMomentIsNotDeleted) {
  in_simulation([](MachineSetFixture& stage) {
    recovers_before(stage, Call::Patch);
    EXPECT_EQ(api::conditions::find(stage.machines().front().status.conditions, "OwnerRemediated"), nullptr);
  });
}

TEST(Turns, AMachineThatRecoversBetweenItsMarkAndItsDeletionIsNotDeleted) {
  in_simulation([](MachineSetFixture& stage) { recovers_before(stage, Call::Remove); });
}

// The status of a Machine is the Machine controller's; what it has written since our cache last heard stays.
TEST(Turns, AMarkTakesNothingBackOfAMachinesStatus) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    const std::string name = stage.machine_names().front();
    const json::value sick =
        json::array{condition("HealthCheckSucceeded", "False"), condition("OwnerRemediated", "False")};
    bool told = false;
    stage.choose = [&](const FaultPoint& at) {
      if (at.call == Call::Patch && at.kind == "Machine" && !std::exchange(told, true)) {
        stage.patch(
            kube::resource_of<api::Machine>(), name,
            {{"status",
              {{"nodeRef", {{"name", "n1"}}}, {"initialization", {{"infrastructureProvisioned", true}}}}}},
            "status");
      }
      return Fault::None;
    };

    stage.patch(kube::resource_of<api::Machine>(), name, {{"status", {{"conditions", sick}}}}, "status");
    stage.settle();

    EXPECT_TRUE(told);
    const auto machine = stage.machines().front();
    EXPECT_TRUE(machine.metadata.deleting());
    const auto mark = api::conditions::find(machine.status.conditions, "OwnerRemediated");
    ASSERT_NE(mark, nullptr);
    EXPECT_EQ(mark->reason, "MachineDeleting");
    ASSERT_TRUE(machine.status.node_ref);
    EXPECT_EQ(machine.status.node_ref->name, "n1");
    EXPECT_EQ(machine.status.initialization.infrastructure_provisioned, true);
  });
}

TEST(Turns, AChangedTimeoutReachesLivingMachinesWithOneWriteEach) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    stage.settle();
    stage.writes.clear();

    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"spec", {{"template", {{"spec", {{"deletion", {{"nodeDrainTimeoutSeconds", 77}}}}}}}}}});
    stage.settle();

    for (const auto& machine : stage.machines()) {
      EXPECT_EQ(machine.spec.deletion.node_drain_timeout_seconds, 77);
    }
    EXPECT_EQ(count_of(stage.writes, "patch Machine"), 2U);
  });
}

TEST(Turns, AChangedLabelReachesMachinesAndTheirObjectsAndAnOldOneLeaves) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).template_label("old", "x").build());
    stage.start();
    stage.settle();
    stage.writes.clear();

    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"spec", {{"template", {{"metadata", {{"labels", {{"old", nullptr}, {"new", "y"}}}}}}}}}});
    stage.settle();
    const auto cost = stage.writes;
    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"spec", {{"template", {{"metadata", {{"labels", {{"new", "z"}}}}}}}}}});
    stage.settle();

    for (const auto& resource : {kInfraMachines, kConfigs, kube::resource_of<api::Machine>()}) {
      const auto labels = stage.all(resource).at(0).at("metadata").at("labels").as_object();
      EXPECT_EQ(labels.contains("old"), false) << resource.kind;
      EXPECT_EQ(labels.at("new").as_string(), "z") << resource.kind;
      EXPECT_EQ(labels.contains("of"), resource.kind != "Machine") << resource.kind;
    }
    EXPECT_EQ(count_of(cost, "patch DockerMachine"), 2U);  // the hand-over, once, and the change
    EXPECT_EQ(count_of(stage.writes, "patch DockerMachine"), 3U);
    EXPECT_EQ(count_of(stage.writes, "patch Machine"), 2U);
  });
}

// Its own fields tell which labels of its objects are the set's: written first, the Machine would forget
// "old".
TEST(Turns, AMachineKeepsItsLabelsWhileAWriteToOneOfItsObjectsFails) {
  in_simulation([](MachineSetFixture& stage) {
    bool refusing = false;
    stage.choose = [&](const FaultPoint& at) {
      return refusing && at.call == Call::Patch && at.kind == "DockerMachine" ? Fault::Unavailable
                                                                              : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).template_label("old", "x").build());
    stage.start();
    stage.settle();
    const auto has_old = [&](const kube::Resource& resource) {
      return stage.all(resource).at(0).at("metadata").at("labels").as_object().contains("old");
    };

    refusing = true;
    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"spec", {{"template", {{"metadata", {{"labels", {{"old", nullptr}}}}}}}}}});
    stage.settle();
    const bool kept = has_old(kube::resource_of<api::Machine>());
    refusing = false;
    stage.settle(20min);

    EXPECT_TRUE(kept);
    for (const auto& resource : {kInfraMachines, kConfigs, kube::resource_of<api::Machine>()})
      EXPECT_FALSE(has_old(resource)) << resource.kind;
  });
}

// The Machine's own events say nothing of it: the turn that comes with the resync finds it, in the cache.
TEST(Turns, ALabelThatAUserTookOffAnObjectOfAMachineIsPutBack) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).template_label("mine", "x").build());
    stage.start();
    stage.settle();
    const auto name = stage.names_of(kInfraMachines).at(0);
    const auto resync = [&] {
      stage.settle(10min);
      stage.queue().add({std::string(kNamespace), "ms1"}, runtime::Priority::Low);
      stage.settle();
    };
    resync();
    stage.patch(kInfraMachines, name, {{"metadata", {{"labels", {{"mine", nullptr}}}}}});
    stage.writes.clear();

    resync();
    const auto labels = stage.all(kInfraMachines).at(0).at("metadata").at("labels").as_object();
    stage.writes.clear();
    resync();

    EXPECT_EQ(labels.contains("mine"), true);
    EXPECT_THAT(stage.writes, IsEmpty());
  });
}

TEST(Turns, AnAbandonedCloneIsRemovedAndOneOfALivingMachineNever) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    const auto set = stage.set();
    stage.make(kInfraMachines, {{"apiVersion", kInfraMachines.api_version()},
                                {"kind", kInfraMachines.kind},
                                {"metadata",
                                 {{"name", "abandoned"},
                                  {"namespace", kNamespace},
                                  {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                                   {"kind", "MachineSet"},
                                                                   {"name", "ms1"},
                                                                   {"uid", set.metadata.uid.str()}}}}}}});

    stage.settle(1min);
    const auto young = stage.names_of(kInfraMachines);
    stage.settle(2min);

    EXPECT_THAT(young, SizeIs(2));
    EXPECT_EQ(stage.names_of(kInfraMachines), stage.machine_names());
    EXPECT_EQ(stage.names_of(kConfigs), stage.machine_names());
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
