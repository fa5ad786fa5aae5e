// Whole turns of the MachineSet controller: which Machines belong to a set, and which of them it lets go of.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "controllers/machineset/turn_fixture.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_set;
using builders::kNamespace;
using builders::MachineSetBuilder;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const kube::Resource kMachines = kube::resource_of<api::Machine>();
const kube::Resource kSets = kube::resource_of<api::MachineSet>();

// A set whose Machines carry a label of its own choice.
MachineSetBuilder a_web_set(int replicas) {
  return a_machine_set().replicas(replicas).template_label("tier", "web").with([](api::MachineSet& set) {
    set.spec.selector.match_labels.set("tier", "web");
  });
}

// The finalizer `orphan` stands until the garbage collector has released the Machines.
void ask_for_orphans(MachineSetFixture& stage) { stage.remove_and_orphan(kSets, "ms1"); }
void orphan_the_set(MachineSetFixture& stage) {
  ask_for_orphans(stage);
  stage.run_cluster_controllers();
}

std::vector<std::string> names_where(MachineSetFixture& stage, bool (*test)(const api::ObjectMeta&)) {
  std::vector<std::string> found;
  for (const auto& machine : stage.machines()) {
    if (test(machine.metadata)) found.push_back(machine.metadata.name.str());
  }
  return found;
}
std::vector<std::string> controlled(MachineSetFixture& stage) {
  return names_where(stage, [](const api::ObjectMeta& machine) { return machine.controller() != nullptr; });
}
std::vector<std::string> on_their_way_out(MachineSetFixture& stage) {
  return names_where(stage, [](const api::ObjectMeta& machine) { return machine.deleting(); });
}

// --- kubectl delete --cascade=orphan ---

TEST(Orphaning, MachinesOfADeletedSetLiveOn) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();

    ask_for_orphans(stage);
    stage.settle(2min);
    EXPECT_EQ(controlled(stage), names) << "the garbage collector has yet to come";
    EXPECT_THAT(stage.says("Deleting"), HasSubstr("--cascade=orphan"));
    stage.run_cluster_controllers();
    stage.settle(2min);

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_THAT(on_their_way_out(stage), IsEmpty());
    EXPECT_THAT(stage.names_of(kSets), IsEmpty());
    EXPECT_THAT(stage.owners_of(kMachines), ElementsAre("Cluster c1", "Cluster c1"));
  });
}

// The garbage collector has released them long before the cache hears of it.
TEST(Orphaning, MachinesLiveOnWhereTheirWatchIsHalfAMinuteBehind) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();
    stage.delay_watch("Machine", 30s);

    orphan_the_set(stage);
    stage.settle(10min);

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_THAT(on_their_way_out(stage), IsEmpty());
    EXPECT_THAT(controlled(stage), IsEmpty());
    EXPECT_THAT(stage.names_of(kSets), IsEmpty());
  });
}

TEST(Orphaning, ASetThatDoesNotKnowYetThatItIsDeletedTakesNoMachineBack) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();
    stage.delay_watch("MachineSet", 30s);

    orphan_the_set(stage);
    stage.settle(10min);

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_THAT(on_their_way_out(stage), IsEmpty());
    EXPECT_THAT(controlled(stage), IsEmpty());
  });
}

// The set has begun to write a new timeout to its Machines when the user lets go of them: what an apply names
// as owner must not come back with it.
TEST(Orphaning, AnApplyThatIsUnderWayBringsNoOwnerBack) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();
    bool orphaned = false;
    stage.choose = [&](const FaultPoint& at) {
      const bool first = at.call == Call::Patch && at.kind == "Machine" && !std::exchange(orphaned, true);
      if (first) {
        orphan_the_set(stage);
        stage.settle(1s);
      }
      return Fault::None;
    };

    stage.patch(kSets, "ms1",
                {{"spec", {{"template", {{"spec", {{"deletion", {{"nodeDrainTimeoutSeconds", 77}}}}}}}}}});
    stage.settle(2min);

    EXPECT_TRUE(orphaned);
    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_THAT(on_their_way_out(stage), IsEmpty());
    EXPECT_THAT(controlled(stage), IsEmpty());
  });
}

TEST(Orphaning, WhatWasReleasedIsAdoptedByTheNextSetThatSelectsIt) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();
    orphan_the_set(stage);
    stage.settle(2min);

    stage.make(a_machine_set().replicas(2).build());
    stage.settle();

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_EQ(controlled(stage), names);
  });
}

TEST(Orphaning, ASetOnItsWayOutAdoptsNobody) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    stage.remove(kSets, "ms1");
    stage.settle();

    stage.make(a_machine("stray").labelled("cluster.x-k8s.io/set-name", "ms1").build());
    stage.settle();
    stage.let_go_of_deleted();
    stage.settle(2min);

    EXPECT_THAT(stage.machine_names(), ElementsAre("stray"));
    EXPECT_THAT(on_their_way_out(stage), IsEmpty());
    EXPECT_THAT(stage.names_of(kSets), IsEmpty());
  });
}

// A write of another client at the same moment is no reason to keep a Machine.
TEST(Orphaning, ADeletedSetDeletesAMachineThatHasChangedMeanwhileAndIsStillItsOwn) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    const auto names = stage.machine_names();
    stage.delay_watch("Machine", 30s);
    stage.patch(kMachines, names.front(), {{"metadata", {{"annotations", {{"of", "somebody"}}}}}});

    stage.remove(kSets, "ms1");
    stage.settle(5s);

    EXPECT_EQ(on_their_way_out(stage), names);
  });
}

// --- adoption ---

TEST(Adoption, AConflictIsTriedAgainWithoutAWarning) {
  in_simulation([](MachineSetFixture& stage) {
    bool refused = false;
    stage.choose = [&](const FaultPoint& at) {
      const bool first = at.call == Call::Patch && at.kind == "Machine" && !std::exchange(refused, true);
      return first ? Fault::Conflict : Fault::None;
    };
    stage.make_surroundings();
    stage.make(a_machine("stray").labelled("cluster.x-k8s.io/set-name", "ms1").build());
    stage.make(a_machine_set().replicas(1).build());

    stage.start();

    EXPECT_TRUE(refused);
    EXPECT_EQ(controlled(stage), stage.machine_names());
    EXPECT_THAT(stage.events.events, Each(StartsWith("Normal ")));
  });
}

// --- labels and selectors that change ---

TEST(Release, AMachineWhoseLabelsMoveAwayGoesWithItsClusterAndIsAdoptedAgain) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_web_set(1).build());
    stage.start();
    const std::string name = stage.machine_names().front();
    const auto labels = stage.machines().front().metadata.labels;

    stage.patch(kMachines, name, {{"metadata", {{"labels", {{"tier", "debug"}}}}}});
    stage.settle();
    const auto machine = stage.machine(name);

    EXPECT_EQ(machine.metadata.controller(), nullptr);
    ASSERT_THAT(*machine.metadata.owner_references, SizeIs(1));
    EXPECT_EQ(machine.metadata.owner_references->front().kind, "Cluster");
    for (const auto& [key, value] : labels) {
      if (key == "tier") continue;
      EXPECT_EQ(machine.metadata.labels.value_or_empty(key.view()), value.view()) << key.view();
    }
    EXPECT_THAT(stage.events.events,
                Contains(AllOf(HasSubstr("Released Machine \"" + name + "\""), HasSubstr("Cluster c1"))));

    stage.scale(2);
    stage.settle();
    stage.patch(kMachines, name, {{"metadata", {{"labels", {{"tier", "web"}}}}}});
    stage.settle();
    EXPECT_THAT(controlled(stage), Contains(name));
  });
}

// What one `kubectl apply` changes at once: selector and labels of the template.
void move_selector(MachineSetFixture& stage) {
  stage.patch(kSets, "ms1",
              {{"spec",
                {{"selector", {{"matchLabels", {{"tier", "db"}}}}},
                 {"template", {{"metadata", {{"labels", {{"tier", "db"}}}}}}}}}});
  stage.settle();
}

TEST(Release, AChangeOfSelectorAndTemplateReleasesNobodyBeforeItIsConfirmed) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_web_set(3).build());
    stage.start();
    const auto names = stage.machine_names();

    move_selector(stage);
    stage.scale(5);
    stage.settle(10min);

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_EQ(controlled(stage), names);
    const std::string remedy =
        fmt::format("capstan.dev/confirm-release: \"{}\"", stage.set().metadata.generation);
    for (const auto* type : {"ScalingUp", "MachinesReady"}) {
      EXPECT_THAT(stage.says(type), HasSubstr(remedy)) << type;
      for (const auto& name : names) EXPECT_THAT(stage.says(type), HasSubstr(name)) << type;
    }
    EXPECT_THAT(stage.events.events, Contains(AllOf(StartsWith("Warning"), HasSubstr(remedy))).Times(1));
  });
}

TEST(Release, AConfirmedChangeOfSelectorReleasesAndReplaces) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_web_set(3).build());
    stage.start();
    const auto old = stage.machine_names();
    move_selector(stage);

    stage.patch(kSets, "ms1",
                {{"metadata",
                  {{"annotations",
                    {{"capstan.dev/confirm-release", std::to_string(stage.set().metadata.generation)}}}}}});
    stage.settle(2min);

    EXPECT_THAT(controlled(stage), SizeIs(3));
    EXPECT_THAT(stage.machine_names(), SizeIs(6));
    for (const auto& name : old) EXPECT_THAT(controlled(stage), Not(Contains(name)));
    EXPECT_EQ(stage.says("ScalingUp"), "False NotScalingUp: ");
  });
}

TEST(Release, ASelectorThatIsPutBackNeedsNoConfirmation) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_web_set(3).build());
    stage.start();
    const auto names = stage.machine_names();
    move_selector(stage);

    stage.patch(kSets, "ms1",
                {{"spec",
                  {{"selector", {{"matchLabels", {{"tier", "web"}}}}},
                   {"template", {{"metadata", {{"labels", {{"tier", "web"}}}}}}}}}});
    stage.scale(4);
    stage.settle(2min);

    EXPECT_THAT(stage.machine_names(), SizeIs(4));
    EXPECT_EQ(controlled(stage), stage.machine_names());
  });
}

// A selector that is wrong for a moment, and whose template follows in a second step, is the same change.
TEST(Release, ASelectorThatIsChangedBeforeItsTemplateIsAskedAboutToo) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_web_set(3).build());
    stage.start();
    const auto names = stage.machine_names();
    stage.patch(kSets, "ms1", {{"spec", {{"selector", {{"matchLabels", {{"tier", "db"}}}}}}}});
    stage.settle(1min);

    stage.patch(kSets, "ms1", {{"spec", {{"template", {{"metadata", {{"labels", {{"tier", "db"}}}}}}}}}});
    stage.settle(5min);

    EXPECT_EQ(controlled(stage), names);
    EXPECT_EQ(stage.machine_names(), names);
  });
}

TEST(Release, LabelsThatAUserEditsOnSeveralMachinesAreAskedNoQuestion) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_web_set(3).build());
    stage.start();
    const auto names = stage.machine_names();

    for (const auto at : {0U, 1U})
      stage.patch(kMachines, names[at], {{"metadata", {{"labels", {{"tier", "debug"}}}}}});
    stage.settle(2min);

    EXPECT_THAT(stage.machine_names(), SizeIs(5));
    EXPECT_THAT(controlled(stage), SizeIs(3));
  });
}

// --- replicas left out ---

TEST(ReplicasLeftOut, TheNumberThereIsStaysWithinTheLimitsOfTheAutoscaler) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set()
                   .replicas(3)
                   .annotated(api::annotation::kAutoscalerMinSize, "1")
                   .annotated(api::annotation::kAutoscalerMaxSize, "10")
                   .build());
    stage.start();
    const auto names = stage.machine_names();

    stage.patch(kSets, "ms1", {{"spec", {{"replicas", nullptr}}}});
    stage.settle(2min);

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_THAT(on_their_way_out(stage), IsEmpty());
    EXPECT_EQ(stage.set().spec.replicas, 3);
  });
}

TEST(ReplicasLeftOut, AMachineThatIsLostAfterwardsIsReplaced) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set()
                   .replicas(3)
                   .annotated(api::annotation::kAutoscalerMinSize, "1")
                   .annotated(api::annotation::kAutoscalerMaxSize, "10")
                   .build());
    stage.start();
    stage.patch(kSets, "ms1", {{"spec", {{"replicas", nullptr}}}});
    stage.settle();

    stage.remove(kMachines, stage.machine_names().front());
    stage.let_go_of_deleted();
    stage.settle(2min);

    EXPECT_THAT(stage.machine_names(), SizeIs(3));
  });
}

// --- managedFields that were reset ---

void reset_managers(MachineSetFixture& stage, const kube::Resource& resource, const std::string& name) {
  stage.patch(resource, name, {{"metadata", {{"managedFields", json::array{json::object()}}}}});
}

// A label of the template is taken away after the managedFields of these were reset: it leaves all of them.
void expect_label_leaves(const std::vector<kube::Resource>& reset) {
  in_simulation([&](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).template_label("old", "x").template_label("stays", "y").build());
    stage.start();
    const std::string name = stage.machine_names().front();
    for (const auto& resource : reset) reset_managers(stage, resource, name);
    stage.settle();
    for (const auto& resource : {kInfraMachines, kConfigs}) {
      stage.patch(resource, name, {{"status", {{"ready", true}}}}, "status");
    }
    stage.settle();

    stage.patch(kSets, "ms1", {{"spec", {{"template", {{"metadata", {{"labels", {{"old", nullptr}}}}}}}}}});
    stage.settle(2min);

    for (const auto& resource : {kInfraMachines, kConfigs, kMachines}) {
      const auto labels = stage.all(resource).at(0).at("metadata").at("labels").as_object();
      EXPECT_FALSE(labels.contains("old")) << resource.kind;
      EXPECT_TRUE(labels.contains("stays")) << resource.kind;
      EXPECT_EQ(labels.contains("of"), resource.kind != "Machine") << resource.kind;
    }
    stage.writes.clear();
    stage.settle(30min);
    EXPECT_THAT(stage.writes, IsEmpty());
  });
}

TEST(LostManagers, ALabelLeavesAMachine) { expect_label_leaves({kMachines}); }
TEST(LostManagers, ALabelLeavesTheObjectsOfAMachine) { expect_label_leaves({kInfraMachines, kConfigs}); }
TEST(LostManagers, ALabelLeavesAMachineAndItsObjects) {
  expect_label_leaves({kInfraMachines, kConfigs, kMachines});
}

// Seen: the finalizer of another was back on a Machine whose managedFields had been reset, and kept it for
// ever.
TEST(LostManagers, AFinalizerThatGoesWhileTheyAreRepairedDoesNotComeBack) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(1).build());
    stage.start();
    const std::string name = stage.machine_names().front();
    const auto finalizers = [&] { return stage.all(kMachines).at(0).at("metadata").at("finalizers"); };
    const json::value before = finalizers();
    json::value with_another = before;
    with_another.as_array().emplace_back("example.com/another");
    stage.patch(kMachines, name, {{"metadata", {{"finalizers", with_another}}}});
    stage.settle();
    stage.choose = [&, gone = false](const fakes::FaultPoint& at) mutable {
      if (at.call == fakes::Call::Read && at.kind == api::kind::kMachine && !std::exchange(gone, true))
        stage.patch(kMachines, name, {{"metadata", {{"finalizers", before}}}});
      return fakes::Fault::None;
    };

    reset_managers(stage, kMachines, name);
    stage.settle(1min);

    EXPECT_EQ(finalizers(), before);
  });
}

// --- whose Cluster ---

TEST(Belonging, ASetWhoseClusterNameChangesMakesNothingForTheOtherCluster) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_cluster("c2").without_control_plane_ref().build());
    stage.make(a_machine_set().replicas(2).build());
    stage.start();
    const auto names = stage.machine_names();

    stage.patch(kSets, "ms1", {{"spec", {{"clusterName", "c2"}}}});
    stage.scale(4);
    stage.settle(5min);

    EXPECT_EQ(stage.machine_names(), names);
    EXPECT_EQ(controlled(stage), names);
    for (const auto& machine : stage.machines()) EXPECT_EQ(machine.spec.cluster_name, "c1");
    EXPECT_THAT(stage.owners_of(kSets), ElementsAre("Cluster c1"));
    EXPECT_THAT(stage.says("ScalingUp"),
                AllOf(HasSubstr("spec.clusterName"), HasSubstr("c1"), HasSubstr("c2")));
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
