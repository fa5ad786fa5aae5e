#include "controllers/machinedeployment/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/policy/names.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

#include <boost/json.hpp>

namespace capstan::controllers::machinedeployment {
namespace {

namespace label = api::label;
using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::noon;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A set made from md1's template.
builders::MachineSetBuilder set_of(std::string_view name, std::string_view version) {
  return a_machine_set(name)
      .in_deployment("md1")
      .labelled(label::kMachineTemplateHash, name)
      .with([&](auto& set) {
        const auto deployment = a_machine_deployment().build();
        set.spec.machine_template.spec = deployment.spec.machine_template.spec;
        set.spec.selector = deployment.spec.selector;
        set.spec.selector.match_labels.set(label::kMachineTemplateHash, name);
        set.status.observed_generation = 1;
      })
      .version(version)
      .revision("1");
}

Observation seen(api::MachineDeployment deployment, std::vector<Snapshot<api::MachineSet>> sets = {}) {
  deployment.metadata.finalizers = api::Finalizers({Text(api::finalizer::kMachineDeployment)});
  Observation world{.now = noon(), .stored = std::make_shared<const api::MachineDeployment>(deployment)};
  world.deployment = deployment;
  world.cluster = a_cluster().shared();
  world.infrastructure = {.state = TemplateSeen::State::Exists, .kind = "DockerMachine"};
  world.bootstrap = {.state = TemplateSeen::State::Exists, .kind = "KubeadmConfig"};
  world.sets = std::move(sets);
  world.suffix = "abcde";
  return world;
}

template <typename Wanted>
std::vector<Wanted> all(const Plan& plan) {
  std::vector<Wanted> found;
  for (const Action& action : plan.actions) {
    if (const auto* each = std::get_if<Wanted>(&action)) found.push_back(*each);
  }
  return found;
}

template <typename Wanted>
Wanted only(const Plan& plan) {
  const auto found = all<Wanted>(plan);
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? Wanted() : found.front();
}

std::vector<Action> beside_metadata(const Plan& plan) {
  std::vector<Action> actions = plan.actions;
  std::erase_if(actions, [](const Action& each) { return std::holds_alternative<WriteMetadata>(each); });
  return actions;
}

std::vector<std::pair<std::string, Count>> sizes(const Plan& plan) {
  std::vector<std::pair<std::string, Count>> found;
  for (const auto& create : all<CreateSet>(plan)) {
    found.emplace_back(create.set.metadata.name.str(), *create.set.spec.replicas);
  }
  for (const auto& change : all<ApplySet>(plan)) {
    found.emplace_back(change.present->metadata.name.str(), change.to);
  }
  return found;
}

using Sizes = std::vector<std::pair<std::string, Count>>;

// The old set md1-old has two available Machines, the new one md1-new as many as told.
Sizes rolled(std::int32_t newest, bool old_has_seen_its_size, bool newest_has_seen_its_size) {
  const auto with = [](std::int32_t size, bool has_seen) {
    return [=](api::MachineSet& set) {
      set.spec.replicas = size;
      set.metadata.generation = 2;
      set.status.observed_generation = has_seen ? 2 : 1;
      set.status.replicas = set.status.available_replicas = size;
    };
  };
  const auto md = a_machine_deployment().replicas(3).version("v1.36.0").build();
  return sizes(
      decide(seen(md, {set_of("md1-new", "v1.36.0").with(with(newest, newest_has_seen_its_size)).shared(),
                       set_of("md1-old", "v1.35.0").with(with(2, old_has_seen_its_size)).shared()})));
}

// --- what windows and guard let go ---

TEST(DecideRolledTo, AStepIsNotedOnTheOldSetWhereRulesOfDeletionsAreThere) {
  const auto md = a_machine_deployment().replicas(2).version("v1.36.0").build();
  const auto full = [](api::MachineSet& set) {
    set.spec.replicas = set.status.replicas = set.status.available_replicas = 2;
  };
  auto world = seen(md, {set_of("md1-new", "v1.36.0").with(full).shared(),
                         set_of("md1-old", "v1.35.0").with(full).shared()});
  const auto noted = [&] {
    std::map<std::string, std::string> marks;
    for (const auto& change : all<ApplySet>(decide(world)))
      marks[change.present->metadata.name.str()] =
          change.wanted.metadata.annotations.value_or_empty(api::policy::annotation::kRolledTo);
    return marks;
  };

  EXPECT_THAT(noted(), testing::Each(testing::Pair(testing::_, "")));
  world.deletion_rules.guard_percent = 100;
  world.deletion_rules.governed = 100;
  EXPECT_THAT(noted(),
              testing::UnorderedElementsAre(testing::Pair("md1-new", ""), testing::Pair("md1-old", "0")));
}

// --- while a brake is shut ---

TEST(DecideHeld, ARolloutStandsStillAndSaysWhy) {
  const auto md = a_machine_deployment().replicas(2).version("v1.36.0").build();
  const auto full = [](api::MachineSet& set) {
    set.spec.replicas = set.status.replicas = set.status.available_replicas = 2;
  };
  auto world = seen(md, {set_of("md1-new", "v1.36.0").with(full).shared(),
                         set_of("md1-old", "v1.35.0").with(full).shared()});
  const Sizes moving = sizes(decide(world));
  world.may_roll = {.open = false, .why = "frozen"};

  const Plan plan = decide(world);

  EXPECT_EQ(moving, (Sizes{{"md1-new", 2}, {"md1-old", 0}}));
  EXPECT_EQ(sizes(plan), (Sizes{{"md1-new", 2}, {"md1-old", 2}}));
  EXPECT_EQ(plan.brake, "frozen");
  EXPECT_TRUE(plan.recheck);
}

TEST(DecideHeld, MakesNoNewMachineSetAndRemovesNone) {
  const auto md = a_machine_deployment().replicas(1).version("v1.36.0").build();
  auto world = seen(md, {set_of("md1-old", "v1.35.0").shared()});
  world.may_roll = {.open = false, .why = "frozen"};

  EXPECT_THAT(all<CreateSet>(decide(world)), IsEmpty());
  EXPECT_THAT(all<DeleteSet>(decide(world)), IsEmpty());
}

// Another one of the same Machines would be made for it.
TEST(Decide, MakesNoMachineSetBesideOneThatCannotBeDecoded) {
  auto world = seen(a_machine_deployment().replicas(3).build());
  world.unreadable = {"MachineSet default/md1-old can't be read: spec.replicas: expected integer"};

  const Plan plan = decide(world);
  world.stored = a_machine_deployment()
                     .deleting()
                     .with([](auto& deployment) {
                       deployment.metadata.finalizers =
                           api::Finalizers({Text(api::finalizer::kMachineDeployment)});
                     })
                     .shared();
  const Plan going = decide(world);

  EXPECT_THAT(beside_metadata(plan), IsEmpty());
  ASSERT_EQ(plan.faults.size(), 1U);
  EXPECT_THAT(plan.faults[0].remedy,
              AllOf(HasSubstr("md1-old"), HasSubstr("spec.replicas"), HasSubstr("mend it")));
  EXPECT_TRUE(plan.recheck);
  EXPECT_THAT(beside_metadata(going), IsEmpty()) << "it is there, so the MachineDeployment stays";
}

TEST(Decide, MovesNoSetBeforeTheOthersHaveSeenTheirNewSize) {
  EXPECT_EQ(rolled(1, true, true), (Sizes{{"md1-new", 2}, {"md1-old", 2}}));
  EXPECT_EQ(rolled(1, false, true),
            (Sizes{{"md1-new", 1}, {"md1-old", 2}}));  // it may still be making Machines
  EXPECT_EQ(rolled(2, true, true), (Sizes{{"md1-new", 2}, {"md1-old", 1}}));
  EXPECT_EQ(rolled(2, true, false),
            (Sizes{{"md1-new", 2}, {"md1-old", 2}}));  // it may still be deleting some
  EXPECT_EQ(rolled(2, false, true), (Sizes{{"md1-new", 2}, {"md1-old", 2}}));
}

TEST(Decide, MakesTheFirstSetWithAllReplicas) {
  const auto plan = decide(seen(a_machine_deployment().replicas(3)));

  EXPECT_EQ(sizes(plan), (Sizes{{"md1-abcde", 3}}));
  EXPECT_EQ(only<WriteMetadata>(plan).to.annotations.value_or_empty(api::annotation::kRevision), "1");
  EXPECT_FALSE(plan.stuck);
}

TEST(Decide, StartsARollWithinItsSurge) {
  const auto plan = decide(seen(a_machine_deployment().replicas(3).version("v2"),
                                {set_of("o", "v1").replicas(3).reporting(3, 3, 3).shared()}));

  EXPECT_EQ(sizes(plan), (Sizes{{"md1-abcde", 1}, {"o", 3}}));
  EXPECT_EQ(plan.notes.front().text, "new MachineSet: spec.version v1, v2 required");
}

TEST(Decide, MachinesASetHasNotReportedYetCount) {
  // The old set was scaled 2 -> 3 -> 2; its status is from before the third Machine.
  const auto behind = set_of("o", "v1").replicas(2).reporting(2, 2, 2).generation(3).shared();
  auto world = seen(a_machine_deployment().replicas(2).version("v2"), {behind});
  for (const auto* name : {"a", "b", "c"}) world.owned.push_back(a_machine(name).in_set("o").shared());

  const auto plan = decide(world);

  EXPECT_EQ(sizes(plan).front(), (std::pair<std::string, Count>{"md1-abcde", 0}));
}

TEST(Decide, MachinesBeyondACurrentStatusAreOnlyACacheThatIsBehind) {
  auto world = seen(a_machine_deployment().replicas(2).version("v2"),
                    {set_of("o", "v1").replicas(2).reporting(2, 2, 2).shared()});
  for (const auto* name : {"a", "b", "c"}) world.owned.push_back(a_machine(name).in_set("o").shared());

  EXPECT_EQ(sizes(decide(world)).front(), (std::pair<std::string, Count>{"md1-abcde", 1}));
}

// A rollout from md1-old, of whose three Machines one is going, to the two of md1-new.
Sizes rolled_beside_one_that_goes(Count available, std::vector<Snapshot<api::Machine>> old_machines) {
  const auto is_full = [](api::MachineSet& set) {
    set.spec.replicas = set.status.replicas = set.status.available_replicas = 2;
  };
  const auto shrinks = [&](api::MachineSet& set) {
    set.spec.replicas = 2;
    set.status.replicas = 3;
    set.status.available_replicas = available;
  };
  auto world = seen(a_machine_deployment().replicas(3).version("v1.36.0").build(),
                    {set_of("md1-new", "v1.36.0").with(is_full).shared(),
                     set_of("md1-old", "v1.35.0").with(shrinks).shared()});
  world.owned = std::move(old_machines);
  return sizes(decide(world));
}

TEST(DecideLeaving, AMachineThatGoesHoldsUpNoOther) {
  EXPECT_EQ(rolled_beside_one_that_goes(2, {a_machine("a").in_set("md1-old").running().shared(),
                                            a_machine("b").in_set("md1-old").running().shared(),
                                            a_machine("c").in_set("md1-old").running().deleting().shared()}),
            (Sizes{{"md1-new", 2}, {"md1-old", 1}}));
}

TEST(DecideLeaving, AStatusThatIsOlderThanTheDeletionLetsNoOtherGoForIt) {
  EXPECT_EQ(rolled_beside_one_that_goes(3, {a_machine("a").in_set("md1-old").running().shared(),
                                            a_machine("b").in_set("md1-old").not_ready().shared(),
                                            a_machine("c").in_set("md1-old").running().deleting().shared()}),
            (Sizes{{"md1-new", 2}, {"md1-old", 2}}))
      << "both would leave two of the three that have to be available";
}

TEST(Decide, DoesNothingOnCachesThatAreBehind) {
  auto world = seen(a_machine_deployment().replicas(3));
  world.complete = false;

  const auto plan = decide(world);

  EXPECT_THAT(beside_metadata(plan), IsEmpty());
  EXPECT_TRUE(plan.stuck);
}

TEST(Decide, ComesBackWhenRolloutAfterBegins) {
  const auto comes_back = [](Seconds after) {
    return decide(seen(a_machine_deployment().rollout_after(noon() + after))).recheck;
  };

  EXPECT_EQ(comes_back(Seconds(90)), Seconds(95));
  EXPECT_EQ(comes_back(Seconds(-4)), Seconds(1));
  EXPECT_EQ(comes_back(Seconds(-5)), std::nullopt);
}

TEST(Decide, WaitsASecondForATemplateThatIsNotListedYet) {
  auto world = seen(a_machine_deployment());
  world.infrastructure.state = TemplateSeen::State::Unlisted;

  const auto plan = decide(world);

  EXPECT_TRUE(plan.too_early);
  EXPECT_EQ(plan.recheck, Seconds(1));
  EXPECT_THAT(beside_metadata(plan), IsEmpty());
}

// Told at rest, too, and nothing else leads back to it.
TEST(Decide, LooksAgainAtATemplateThatIsSaidToBeInTheWay) {
  using State = TemplateSeen::State;
  for (const auto& [state, problem] :
       {std::pair(State::Missing, ""),
        {State::Unknown, "the cache of DockerMachineTemplate is not complete"}}) {
    auto world = seen(a_machine_deployment().replicas(3).version("v1"),
                      {set_of("n", "v1").replicas(3).reporting(3, 3, 3).shared()});
    world.infrastructure = {.state = state, .kind = "DockerMachineTemplate", .problem = problem};

    const auto plan = decide(world);

    EXPECT_EQ(plan.faults.size(), 1U);
    EXPECT_EQ(plan.recheck, Seconds(15));
  }
}

TEST(Decide, ATemplateThatIsGoneStopsNoRolloutUnderWay) {
  auto world = seen(a_machine_deployment().replicas(5).version("v1"),
                    {set_of("n", "v1").replicas(3).reporting(3, 3, 3).shared()});
  world.infrastructure = {.state = TemplateSeen::State::Missing, .kind = "DockerMachineTemplate"};

  EXPECT_EQ(sizes(decide(world)), (Sizes{{"n", 5}}));
}

TEST(Decide, TheClusterBecomesAnOwnerOfTemplatesThatAreCalledSo) {
  auto world = seen(a_machine_deployment());
  world.infrastructure.kind = "DockerMachineTemplate";

  const auto owned = all<OwnTemplate>(decide(world));

  ASSERT_EQ(owned.size(), 1U);  // a kind without the suffix gets no owner
  EXPECT_EQ(owned.front().which.kind, "DockerMachineTemplate");
}

TEST(Decide, AdoptsBeforeAnythingElse) {
  auto world = seen(a_machine_deployment());
  world.orphans = {a_machine_set("stray").shared()};

  const auto plan = decide(world);

  EXPECT_EQ(beside_metadata(plan).size(), 1U);
  EXPECT_EQ(all<AdoptSet>(plan).size(), 1U);
}

TEST(Decide, GoesOnWithItsOwnSetsWhenAnotherMayNotBeAdopted) {
  auto world = seen(a_machine_deployment().replicas(5).version("v1"),
                    {set_of("n", "v1").replicas(3).reporting(3, 3, 3).shared()});
  world.unadopted = {{.set = "stray", .why = "no"}};

  const auto plan = decide(world);

  EXPECT_EQ(sizes(plan), (Sizes{{"n", 5}}));
  EXPECT_FALSE(plan.stuck);
  EXPECT_EQ(plan.recheck, Seconds(60));
}

// Its Machines may well be those of the set that is refused: adopted later, half of them would be too many.
TEST(Decide, MakesNoFirstSetBesideOneThatMayNotBeAdopted) {
  auto world = seen(a_machine_deployment().replicas(3));
  world.unadopted = {{.set = "stray", .why = "no"}};

  const auto plan = decide(world);

  EXPECT_THAT(beside_metadata(plan), IsEmpty());
  EXPECT_TRUE(plan.stuck);
  EXPECT_EQ(plan.recheck, Seconds(60));
}

TEST(Decide, RepairsFieldManagersBeforeItApplies) {
  auto world = seen(a_machine_deployment().version("v1"), {set_of("n", "v1").shared()});
  world.unmanaged = world.sets;

  EXPECT_EQ(all<RepairManagers>(decide(world)).size(), 1U);
  EXPECT_THAT(all<ApplySet>(decide(world)), IsEmpty());
}

// --- the deployment's own metadata ---

TEST(DecideMetadata, PutsTheFinalizerOnBeforeAnythingIsMade) {
  Observation world = seen(a_machine_deployment());
  api::MachineDeployment stored = *world.stored;
  stored.metadata.finalizers = {};
  world.stored = std::make_shared<const api::MachineDeployment>(stored);

  const auto plan = decide(world);

  ASSERT_FALSE(plan.actions.empty());
  ASSERT_TRUE(std::holds_alternative<WriteMetadata>(plan.actions.front()));
  EXPECT_TRUE(only<WriteMetadata>(plan).to.has_finalizer(api::finalizer::kMachineDeployment));
}

TEST(DecideMetadata, WritesNothingThatIsThereAlready) {
  api::MachineDeployment deployment = a_machine_deployment();
  deployment.metadata = only<WriteMetadata>(decide(seen(deployment))).to;

  EXPECT_THAT(all<WriteMetadata>(decide(seen(deployment))), IsEmpty());
}

// --- deletion ---

TEST(DecideDeletion, DeletesEverySetOnceAndWaits) {
  const auto plan = decide(seen(a_machine_deployment().deleting(),
                                {set_of("a", "v1").shared(), set_of("b", "v1").deleting().shared()}));

  ASSERT_EQ(beside_metadata(plan).size(), 1U);
  EXPECT_EQ(all<DeleteSet>(plan).front().set->metadata.name, "a");
}

TEST(DecideDeletion, LetsGoWhenNoSetIsLeft) {
  EXPECT_EQ(all<DropFinalizer>(decide(seen(a_machine_deployment().deleting()))).size(), 1U);
}

TEST(DecideDeletion, LetsGoOnlyOnWhatItKnows) {
  auto world = seen(a_machine_deployment().deleting());
  world.complete = false;

  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
}

// It may be one that --cascade=orphan has just released.
TEST(DecideDeletion, LeavesASetAloneThatNothingControls) {
  auto world = seen(a_machine_deployment().deleting());
  world.orphans = {a_machine_set("stray").shared()};

  const auto plan = decide(world);

  EXPECT_THAT(all<AdoptSet>(plan), IsEmpty());
  EXPECT_EQ(all<DropFinalizer>(plan).size(), 1U);
}

TEST(DecideDeletion, DoesNothingWhileTheGarbageCollectorReleasesItsSets) {
  auto world = seen(a_machine_deployment().deleting(), {set_of("a", "v1").shared()});
  api::MachineDeployment orphaning = *world.stored;
  orphaning.metadata.finalizers =
      api::Finalizers({Text(api::finalizer::kMachineDeployment), Text(api::finalizer::kOrphan)});
  world.stored = std::make_shared<const api::MachineDeployment>(orphaning);

  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
}

TEST(DecideDeletion, WaitsForASetThatAFinalizerOfOthersKeeps) {
  auto world = seen(a_machine_deployment().deleting());
  world.departed = {set_of("a", "v1").deleting().shared()};

  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
}

TEST(DecideDeletion, GoesOnWithoutItsCluster) {
  auto world = seen(a_machine_deployment().deleting());
  world.cluster = nullptr;

  EXPECT_EQ(all<DropFinalizer>(decide(world)).size(), 1U);
}

// --- faults ---

std::vector<std::string> remedies(const Observation& world) {
  std::vector<std::string> found;
  for (const Fault& fault : faults_of(world)) found.push_back(fault.remedy);
  return found;
}

TEST(Faults, ASoundDeploymentHasNone) { EXPECT_THAT(remedies(seen(a_machine_deployment())), IsEmpty()); }

TEST(Faults, AClusterThatGoesAwayHoldsEverything) {
  auto world = seen(a_machine_deployment().version("v2"), {set_of("o", "v1").shared()});
  world.cluster = a_cluster().deleting().shared();

  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
  EXPECT_THAT(remedies(world), ElementsAre(HasSubstr("spec.clusterName: Cluster c1 is being deleted")));
}

TEST(Faults, AClusterThatGoesAwayIsNoNewsWhenNoMachineIsMissing) {
  const auto remedies_with = [](std::int32_t machines) {
    auto world = seen(a_machine_deployment().replicas(3),
                      {set_of("o", "").replicas(3).reporting(machines, 3, 3).shared()});
    world.cluster = a_cluster().deleting().shared();
    return remedies(world);
  };

  EXPECT_THAT(remedies_with(3), ElementsAre(""));
  EXPECT_THAT(remedies_with(2), ElementsAre(HasSubstr("Cluster c1 is being deleted")));
}

TEST(Faults, ANegativeNumberOfReplicasIsNamedAndDeletesNobody) {
  const auto world = seen(a_machine_deployment().replicas(-2), {set_of("o", "").replicas(3).shared()});

  EXPECT_THAT(remedies(world), ElementsAre(HasSubstr("spec.replicas: -2 is negative")));
  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
  EXPECT_THAT(remedies(seen(a_machine_deployment().replicas(0))), IsEmpty());
}

TEST(Faults, ASelectorThatSelectsEverythingIsNamed) {
  auto world = seen(a_machine_deployment());
  world.deployment.spec.selector = {};

  EXPECT_THAT(remedies(world),
              ElementsAre(HasSubstr("spec.selector: it is empty and would take over every")));
  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
}

// A copy of deployment a under another name: its Machines would be labelled with the name, whatever selector
// and template say, and its MachineSet would take none of them for its own.
TEST(Faults, ACopyWhoseSelectorStillNamesTheOriginalIsToldWhatItsMachinesGet) {
  const auto copy_that_selects = [](api::LabelSelector selector) {
    return seen(a_machine_deployment("b").with([&](auto& deployment) {
      deployment.spec.selector = selector;
      deployment.spec.machine_template.metadata.labels.set(Text(label::kDeploymentName), "a"_text);
    }));
  };
  const auto names = [](std::string_view operator_, std::vector<Text> values) {
    return api::LabelSelector{.match_expressions = {{.key = Text(label::kDeploymentName),
                                                     .operator_ = Text(operator_),
                                                     .values = std::move(values)}}};
  };
  const auto copy = copy_that_selects({.match_labels = {{label::kDeploymentName, "a"}}});

  EXPECT_THAT(
      remedies(copy),
      ElementsAre("spec.selector: it wants cluster.x-k8s.io/deployment-name=a, but Machines of this "
                  "MachineDeployment get cluster.x-k8s.io/deployment-name=b; put that into spec.selector "
                  "and spec.template.metadata.labels"));
  EXPECT_THAT(beside_metadata(decide(copy)), IsEmpty());
  EXPECT_THAT(remedies(copy_that_selects(names("NotIn", {"b"_text}))), ElementsAre(HasSubstr("notin (b)")));
  EXPECT_THAT(remedies(copy_that_selects(names("In", {"a"_text, "b"_text}))), IsEmpty());
}

TEST(Faults, AnySelectorThatMatchesItsTemplateIsFine) {
  const auto exists = [](std::string_view key) {
    return seen(a_machine_deployment().with([&](auto& deployment) {
      deployment.spec.selector = {.match_expressions = {{.key = Text(key), .operator_ = "Exists"_text}}};
    }));
  };

  EXPECT_THAT(remedies(exists(label::kDeploymentName)), IsEmpty());
  EXPECT_THAT(remedies(exists("nowhere")), ElementsAre(HasSubstr("spec.selector wants nowhere")));
}

TEST(Faults, AStrategyNobodyKnowsIsNamed) {
  EXPECT_THAT(remedies(seen(a_machine_deployment().with(
                  [](auto& deployment) { deployment.spec.rollout.strategy->type = "Recreate"_text; }))),
              ElementsAre("spec.rollout.strategy.type: use RollingUpdate or OnDelete"));
  EXPECT_THAT(remedies(seen(a_machine_deployment().rolling(IntOrString("many"_text), IntOrString(0)))),
              ElementsAre(HasSubstr("maxSurge")));
}

// --- a changed selector ---

// md1 of generation 7 selects tier=b now; of its set s that does not have that label there are Machines a and
// b.
Observation with_another_selector(std::string_view confirmed = "") {
  auto md = a_machine_deployment().replicas(2).version("v1").template_label("tier", "b").build();
  md.spec.selector.match_labels.set("tier", "b");
  md.metadata.generation = 7;
  if (!confirmed.empty())
    md.metadata.annotations.set(Text(api::annotation::kConfirmRelease), Text(confirmed));
  auto world = seen(md, {set_of("s", "v1").replicas(2).reporting(2, 2, 2).shared()});
  for (const auto* name : {"a", "b"}) world.owned.push_back(a_machine(name).in_set("s").shared());
  return world;
}

TEST(DecideRelease, NothingIsDoneBeforeItIsConfirmedForThisGeneration) {
  for (const auto* confirmed : {"", "6", "true"}) {
    const auto world = with_another_selector(confirmed);

    const auto plan = decide(world);

    EXPECT_THAT(beside_metadata(plan), IsEmpty());
    EXPECT_TRUE(plan.stuck);
    EXPECT_EQ(plan.recheck, Seconds(15));
    EXPECT_THAT(remedies(world),
                ElementsAre(AllOf(HasSubstr("(a, b)"), HasSubstr("capstan.dev/confirm-release: \"7\""))));
  }
}

TEST(DecideRelease, OnceConfirmedTheSetIsReleasedBeforeAnythingElse) {
  const auto plan = decide(with_another_selector("7"));

  ASSERT_EQ(beside_metadata(plan).size(), 1U);
  EXPECT_EQ(all<ReleaseSet>(plan).front().set->metadata.name, "s");
}

// A user has mistyped a field of b: it can't be decoded, and goes with its set.
TEST(DecideRelease, AMachineThatCanNotBeReadIsAskedAboutLikeAnyOther) {
  auto world = with_another_selector();
  world.owned.pop_back();
  world.unreadable_machines.push_back(
      {.key = {.name = "b"}, .metadata_read = true, .owners = {world.sets.front()->metadata.uid}});

  EXPECT_THAT(beside_metadata(decide(world)), IsEmpty());
  EXPECT_THAT(remedies(world), ElementsAre(HasSubstr("(a, b)")));
}

TEST(DecideRelease, ASetWithoutMachinesFollowsTheSelector) {
  auto world = with_another_selector();
  world.owned.clear();

  const auto changes = all<ApplySet>(decide(world));

  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.front().wanted.spec.selector.match_labels.value_or_empty("tier"), "b");
}

// The label is put back; only a change of the selector releases a set.
TEST(DecideRelease, ALabelThatASetLostReleasesNothing) {
  auto world = seen(a_machine_deployment().replicas(2).version("v1"),
                    {set_of("s", "v1")
                         .replicas(2)
                         .reporting(2, 2, 2)
                         .with([](auto& set) { set.metadata.labels.erase(label::kDeploymentName); })
                         .shared()});
  for (const auto* name : {"a", "b"}) world.owned.push_back(a_machine(name).in_set("s").shared());

  EXPECT_THAT(all<ReleaseSet>(decide(world)), IsEmpty());
  EXPECT_THAT(remedies(world), IsEmpty());
}

// --- a set that is waited for ---

TEST(Decide, NamesASetThatHasNotSeenItsSizeForAMinute) {
  const auto waits = [](Seconds waited) {
    const auto newest = set_of("n", "v2").replicas(1).reporting(1, 1, 1).shared();
    const auto old = set_of("o", "v1").replicas(2).reporting(3, 3, 3).generation(2).shared();
    auto world = seen(a_machine_deployment().replicas(3).version("v2"), {newest, old});
    world.waiting = {{.set = old->metadata.uid, .since = noon() + -waited}};
    return decide(world);
  };

  EXPECT_THAT(waits(Seconds(59)).waits_for, IsEmpty());
  EXPECT_EQ(waits(Seconds(59)).recheck, Seconds(1));
  EXPECT_THAT(waits(Seconds(60)).waits_for, ElementsAre("o"));
  EXPECT_EQ(waits(Seconds(60)).recheck, std::nullopt);
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
