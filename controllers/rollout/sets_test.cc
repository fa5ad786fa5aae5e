// Which set is new, what rolls, revisions, intents, moves, completion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/rollout/completion.h"
#include "controllers/rollout/moves.h"
#include "controllers/rollout/set_intent.h"
#include "controllers/rollout/template_diff.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::rollout {
namespace {

namespace annotation = api::annotation;
namespace label = api::label;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A set made from md1's template, the hash its own name.
builders::MachineSetBuilder set_of(std::string_view name, std::string_view version,
                                   Seconds age = Seconds(0)) {
  return a_machine_set(name)
      .in_deployment("md1")
      .labelled(label::kMachineTemplateHash, name)
      .aged(age)
      .with([](auto& set) {
        set.spec.machine_template.spec = a_machine_deployment().build().spec.machine_template.spec;
      })
      .version(version);
}

std::string name_of(const SetSnapshot& set) { return set ? set->metadata.name.str() : "none"; }
std::vector<std::string> names_of(const std::vector<SetSnapshot>& sets) {
  std::vector<std::string> names;
  for (const auto& set : sets) names.push_back(name_of(set));
  return names;
}

// --- what rolls ---

api::MachineSpec a_spec() {
  return a_machine_deployment().version("v1.33.0").build().spec.machine_template.spec;
}

TEST(Differences, NamesEachFieldThatNeedsOtherMachines) {
  const api::MachineSpec current = a_spec();
  const auto after = [&](auto&& change) {
    api::MachineSpec wanted = current;
    change(wanted);
    return differences(current, wanted);
  };

  EXPECT_THAT(after([](auto& spec) { spec.version = "v1.34.0"_text; }),
              ElementsAre("spec.version v1.33.0, v1.34.0 required"));
  EXPECT_THAT(
      after([](auto& spec) { spec.bootstrap.config_ref->name = "b"_text; }),
      ElementsAre("spec.bootstrap.configRef KubeadmConfigTemplate md1, KubeadmConfigTemplate b required"));
  EXPECT_THAT(after([](auto& spec) { spec.bootstrap.config_ref.reset(); }),
              ElementsAre("spec.bootstrap.configRef KubeadmConfigTemplate md1, nil required"));
  EXPECT_THAT(after([](auto& spec) { spec.bootstrap.data_secret_name = "s"_text; }),
              ElementsAre("spec.bootstrap.dataSecretName nil, s required"));
  EXPECT_THAT(after([](auto& spec) { spec.infrastructure_ref.kind = "OtherTemplate"_text; }),
              ElementsAre("spec.infrastructureRef DockerMachineTemplate md1, OtherTemplate md1 required"));
  EXPECT_THAT(after([](auto& spec) { spec.failure_domain = "z"_text; }),
              ElementsAre("spec.failureDomain , z required"));
}

TEST(Differences, LeavesOutWhatIsCarriedOver) {
  const api::MachineSpec current = a_spec();
  api::MachineSpec wanted = current;
  wanted.min_ready_seconds = 30;
  wanted.readiness_gates = {{.condition_type = "Gate"_text}};
  wanted.deletion.node_drain_timeout_seconds = 60;
  wanted.taints = {{.key = "k"_text, .effect = "NoSchedule"_text}};
  wanted.provider_id = "x"_text;

  EXPECT_THAT(differences(current, wanted), IsEmpty());

  api::MachineSpec carried = current;
  carry_over(wanted, carried);
  EXPECT_EQ(carried.min_ready_seconds, 30);
  EXPECT_EQ(carried.readiness_gates, wanted.readiness_gates);
  EXPECT_EQ(carried.deletion, wanted.deletion);
  EXPECT_EQ(carried.taints, wanted.taints);
  EXPECT_TRUE(carried.provider_id.empty());
}

api::MachineTemplate with_rollout_hash(api::MachineTemplate each, std::string_view value) {
  each.metadata.annotations.set(api::policy::annotation::kRolloutHash, value);
  return each;
}

TEST(Differences, OfTemplatesHeedARolloutHashThatChangesComesOrGoes) {
  const api::MachineTemplate none{.spec = a_spec()};
  const auto one = with_rollout_hash(none, "1");
  const auto two = with_rollout_hash(none, "2");

  EXPECT_THAT(differences(none, none), IsEmpty());
  EXPECT_THAT(differences(one, one), IsEmpty());
  EXPECT_THAT(differences(one, two), ElementsAre(R"(capstan.dev/rollout-hash "1", "2" required)"));
  EXPECT_THAT(differences(none, one), ElementsAre(R"(capstan.dev/rollout-hash nil, "1" required)"));
  EXPECT_THAT(differences(one, none), ElementsAre(R"(capstan.dev/rollout-hash "1", nil required)"));
}

TEST(TemplateNumber, HeedsOnlyWhatRolls) {
  const api::MachineTemplate present{.spec = a_spec()};
  api::MachineTemplate in_place = present;
  in_place.spec.min_ready_seconds = 30;
  in_place.metadata.annotations.set("note", "carried over");
  api::MachineTemplate rolling = present;
  rolling.spec.version = "v1.34.0"_text;
  const auto forced = with_rollout_hash(present, "2");

  EXPECT_EQ(template_number(in_place), template_number(present));
  EXPECT_NE(template_number(rolling), template_number(present));
  EXPECT_NE(template_number(forced), template_number(present));
}

// --- choosing ---

TEST(ChooseSets, TheSetOfTheTemplateIsNew) {
  const auto choice = choose_sets(a_machine_deployment().version("v1.34.0"),
                                  {set_of("a", "v1.33.0").shared(), set_of("b", "v1.34.0").shared()}, noon());

  EXPECT_EQ(name_of(choice.newest), "b");
  EXPECT_THAT(names_of(choice.old), ElementsAre("a"));
}

TEST(ChooseSets, OfSeveralTheLargestThenTheOldestIsNew) {
  const auto deployment = a_machine_deployment().version("v1");

  EXPECT_EQ(name_of(choose_sets(deployment,
                                {set_of("small", "v1", Seconds(99)).replicas(1).shared(),
                                 set_of("large", "v1").replicas(2).shared()},
                                noon())
                        .newest),
            "large");
  EXPECT_EQ(name_of(choose_sets(deployment,
                                {set_of("young", "v1").shared(), set_of("older", "v1", Seconds(9)).shared()},
                                noon())
                        .newest),
            "older");
  EXPECT_EQ(
      name_of(
          choose_sets(deployment, {set_of("b", "v1").shared(), set_of("a", "v1").shared()}, noon()).newest),
      "a");
}

TEST(ChooseSets, SaysWhyThereIsNone) {
  EXPECT_EQ(choose_sets(a_machine_deployment(), {}, noon()).why_none, "there is no MachineSet yet");
  EXPECT_EQ(choose_sets(a_machine_deployment().version("v2"), {set_of("a", "v1").shared()}, noon()).why_none,
            "spec.version v1, v2 required");
}

// Later than its moment, so that no clock can say that a set made then is older than that.
TEST(ChooseSets, RolloutAfterBeginsAFewSecondsAfterItsMoment) {
  const Time moment = noon();
  const auto deployment = a_machine_deployment().version("v1").rollout_after(moment);
  const auto before = set_of("before", "v1", Seconds(1)).shared();
  const auto at_it = set_of("at", "v1").shared();

  EXPECT_EQ(name_of(choose_sets(deployment, {before}, moment + Seconds(4)).newest), "before");
  EXPECT_EQ(name_of(choose_sets(deployment, {before}, moment + Seconds(5)).newest), "none");
  EXPECT_EQ(name_of(choose_sets(deployment, {before, at_it}, moment + Seconds(5)).newest), "at");
}

// The set that was made for it is older than its moment by a clock that is behind, and no set made later
// would do.
TEST(ChooseSets, ASetMadeForRolloutAfterIsNewByAnyClock) {
  const Time moment = noon();
  const auto deployment = a_machine_deployment().version("v1").rollout_after(moment);
  const auto made_for = [](std::string_view name, Time when) {
    return set_of(name, "v1", Seconds(3600)).annotated(kMadeForRolloutAfter, when.to_string()).shared();
  };
  const auto before = set_of("before", "v1", Seconds(7200)).replicas(9).shared();
  const auto newest_at = [&](Time now, const SetSnapshot& other) {
    return name_of(choose_sets(deployment, {before, other}, now).newest);
  };

  EXPECT_EQ(newest_at(moment + Seconds(5), made_for("for it", moment)), "for it");
  EXPECT_EQ(newest_at(moment + Seconds(-600), made_for("for it", moment)),
            "for it");  // another manager's clock
  EXPECT_EQ(newest_at(moment + Seconds(5), made_for("for an earlier one", moment + Seconds(-1))), "none");
}

// --- revisions ---

TEST(Revision, TheFirstIsOne) { EXPECT_EQ(revision_of_newest(nullptr, {})->number, "1"); }

TEST(Revision, ANewSetIsOneAboveTheHighestOld) {
  const std::vector<SetSnapshot> old = {set_of("a", "v1").revision("3").shared(),
                                        set_of("b", "v2").revision("7").shared()};

  EXPECT_EQ(*revision_of_newest(nullptr, old), (Revision{"8", ""}));
}

TEST(Revision, ComingBackKeepsTheHistory) {
  const std::vector<SetSnapshot> old = {set_of("b", "v2").revision("4").shared()};
  const api::MachineSet again = set_of("a", "v1").revision("3").annotated(annotation::kRevisionHistory, "1");

  EXPECT_EQ(*revision_of_newest(&again, old), (Revision{"5", "1,3"}));
}

TEST(Revision, NeverGoesDown) {
  const api::MachineSet high = set_of("a", "v1").revision("9");

  EXPECT_EQ(*revision_of_newest(&high, {}), (Revision{"9", ""}));
}

TEST(Revision, NonsenseIsNothingOnAnOldSetAndAnErrorOnTheNewOne) {
  const std::vector<SetSnapshot> old = {set_of("b", "v2").revision("x").shared()};
  const api::MachineSet odd = set_of("a", "v1").revision("1.5");

  EXPECT_EQ(revision_of_newest(nullptr, old)->number, "1");
  EXPECT_EQ(
      revision_of_newest(nullptr, std::vector{set_of("m", "v2").revision("9223372036854775807").shared()})
          ->number,
      "1");
  const auto refused = revision_of_newest(&odd, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("MachineSet a: annotation machinedeployment.clusters.x-k8s.io/revision"));
}

// --- intents ---

SetIntent intent_for(const api::MachineDeployment& deployment) {
  return {.deployment = deployment,
          .limits = *limits_of(deployment),
          .owner = builders::controller_of("MachineDeployment", deployment.metadata.name.view())};
}

TEST(SetName, KeepsItsSuffixWhenTheFrontIsLong) {
  EXPECT_EQ(set_name("md1", "abcde"), "md1-abcde");
  EXPECT_EQ(set_name(std::string(70, 'n'), "abcde"), std::string(58, 'n') + "abcde");
}

TEST(SetIntent, AFreshSetIsNamedAndHashedByItsSuffix) {
  const api::MachineDeployment deployment = a_machine_deployment().replicas(3).version("v1");

  const auto set = intent_for(deployment).fresh("abcde", {.number = "2"}, 1);

  EXPECT_EQ(set.metadata.name, "md1-abcde");
  EXPECT_THAT(set.metadata.labels.value_or_empty(label::kMachineTemplateHash),
              testing::MatchesRegex("[0-9]+-abcde"));
  EXPECT_EQ(set.spec.replicas, 1);
  EXPECT_EQ(set.metadata.annotations.value_or_empty(annotation::kRevision), "2");
  EXPECT_FALSE(set.metadata.annotations.contains(annotation::kRevisionHistory));
  EXPECT_TRUE(set.metadata.finalizers->empty());
}

TEST(SetIntent, AnExistingSetKeepsWhatRollsAndFollowsTheRest) {
  const api::MachineDeployment deployment =
      a_machine_deployment().replicas(3).version("v2").template_label("team", "blue").with([](auto& md) {
        md.spec.machine_template.spec.min_ready_seconds = 30;
        md.spec.deletion.order = "Oldest"_text;
        md.spec.machine_naming.name_template = "x-{{ .random }}"_text;
      });
  const api::MachineSet present = set_of("a", "v1").revision("4").finalized_by("foregroundDeletion");

  const auto set = intent_for(deployment).old(present, "new", 2);

  ASSERT_TRUE(set);
  EXPECT_EQ(set->spec.machine_template.spec.version, "v1");
  EXPECT_EQ(set->spec.machine_template.spec.min_ready_seconds, 30);
  EXPECT_EQ(set->spec.machine_template.metadata.labels.value_or_empty("team"), "blue");
  EXPECT_EQ(set->metadata.labels.value_or_empty("team"), "blue");
  EXPECT_EQ(set->metadata.labels.value_or_empty(label::kMachineTemplateHash), "a");
  EXPECT_EQ(set->spec.selector.match_labels.value_or_empty(label::kMachineTemplateHash), "a");
  EXPECT_EQ(set->spec.deletion.order, "Oldest");
  EXPECT_EQ(set->spec.machine_naming.name_template, "x-{{ .random }}");
  EXPECT_EQ(set->spec.replicas, 2);
  EXPECT_EQ(set->metadata.annotations.value_or_empty(annotation::kRevision), "4");
  EXPECT_TRUE(set->metadata.has_finalizer("foregroundDeletion"));
}

// The annotation is a part of what rolls: carried over, it would make an old set a new one.
TEST(SetIntent, AnExistingSetKeepsTheRolloutHashItsMachinesWereMadeWith) {
  const auto template_of = [](std::string_view value) {
    return [=](auto& object) {
      object.spec.machine_template = with_rollout_hash(object.spec.machine_template, value);
    };
  };
  const auto hash = [](const Result<api::MachineSet>& set) {
    return set->spec.machine_template.metadata.annotations.value_or_empty(
        api::policy::annotation::kRolloutHash);
  };
  const api::MachineDeployment forced = a_machine_deployment().with(template_of("2"));
  const api::MachineDeployment plain = a_machine_deployment();
  const auto made_by_one = set_of("a", "v1").with(template_of("1"));

  EXPECT_EQ(hash(intent_for(forced).old(made_by_one, "n", 1)), "1");
  EXPECT_EQ(hash(intent_for(plain).old(made_by_one, "n", 1)), "1");
  EXPECT_EQ(hash(intent_for(forced).old(set_of("a", "v1"), "n", 1)), "");
  EXPECT_EQ(hash(intent_for(forced).fresh("abcde", {.number = "1"}, 1)), "2");
}

TEST(SetIntent, AnnotationsOfTheDeploymentReachItsSetsButForItsOwn) {
  const api::MachineDeployment deployment = a_machine_deployment()
                                                .annotated(annotation::kAutoscalerMinSize, "1")
                                                .annotated(annotation::kConversionData, "x")
                                                .annotated(annotation::kRevision, "77")
                                                .annotated(annotation::kDisableMachineCreate, "true");

  const auto set = intent_for(deployment).fresh("abcde", {.number = "1"}, 0);

  EXPECT_EQ(set.metadata.annotations, (api::TextMap{{annotation::kAutoscalerMinSize, "1"},
                                                    {annotation::kRevision, "1"},
                                                    {annotation::kDesiredReplicas, "1"},
                                                    {annotation::kMaxReplicas, "2"},
                                                    {annotation::kDisableMachineCreate, "false"}}));
}

// A copy would be obeyed a second time, by each set.
TEST(SetIntent, CommandsToTheDeploymentAreNeverCopiedToItsSets) {
  auto deployment = a_machine_deployment();
  for (const std::string_view command :
       {"capstan.dev/victims", "node.machine.sapcloud.io/trigger-deletion-by-mcm", "capstan.dev/rollback-to",
        "capstan.dev/freeze", "capstan.dev/unfreeze", "safety.machine.sapcloud.io/unfreeze",
        "capstan.dev/confirm-deletion"})
    deployment.annotated(command, "m1");

  const auto set = intent_for(deployment).fresh("abcde", {.number = "1"}, 0);

  EXPECT_EQ(set.metadata.annotations, (api::TextMap{{annotation::kRevision, "1"},
                                                    {annotation::kDesiredReplicas, "1"},
                                                    {annotation::kMaxReplicas, "2"},
                                                    {annotation::kDisableMachineCreate, "false"}}));
}

TEST(SetIntent, OnDeleteOldSetsMakeNoMachines) {
  const api::MachineDeployment on_delete = a_machine_deployment().on_delete();
  const api::MachineDeployment rolling = a_machine_deployment();
  const api::MachineSet present = set_of("a", "v1");
  const auto disabled = [](const Result<api::MachineSet>& set) {
    return set->metadata.annotations.value_or_empty(annotation::kDisableMachineCreate);
  };

  EXPECT_EQ(disabled(intent_for(on_delete).old(present, "n", 1)), "true");
  EXPECT_EQ(disabled(intent_for(on_delete).newest(present, {.number = "1"}, 1)), "false");
  EXPECT_EQ(disabled(intent_for(rolling).old(present, "n", 1)), "false");
}

TEST(SetIntent, ASetWithoutAHashIsRefusedWithItsRemedy) {
  const api::MachineDeployment deployment = a_machine_deployment();

  const auto refused = intent_for(deployment).old(a_machine_set("stray"), "n", 1);

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("MachineSet stray has no label machine-template-hash: put one on"));
}

// Else its Machines would not be selected any more, and others would be made.
TEST(SetIntent, AHashThatIsEditedOnTheSetAloneIsPutBack) {
  const api::MachineDeployment deployment = a_machine_deployment();
  const auto keeps = [&](auto&& edit) {
    const api::MachineSet present = set_of("a", "v1").with([&](auto& set) {
      set.spec.selector.match_labels.set(label::kMachineTemplateHash, "a");
      set.spec.machine_template.metadata.labels.set(label::kMachineTemplateHash, "a");
      edit(set);
    });
    const auto set = intent_for(deployment).old(present, "n", 1);
    if (!set) return set.error().message;
    EXPECT_EQ(set->spec.machine_template.metadata.labels.value_or_empty(label::kMachineTemplateHash),
              set->spec.selector.match_labels.value_or_empty(label::kMachineTemplateHash));
    EXPECT_EQ(set->metadata.labels.value_or_empty(label::kMachineTemplateHash),
              set->spec.selector.match_labels.value_or_empty(label::kMachineTemplateHash));
    return std::string(set->spec.selector.match_labels.value_or_empty(label::kMachineTemplateHash));
  };

  EXPECT_EQ(keeps([](auto&) {}), "a");
  EXPECT_EQ(keeps([](auto& set) { set.metadata.labels.set(label::kMachineTemplateHash, "edited"); }), "a");
  EXPECT_EQ(keeps([](auto& set) { set.metadata.labels.erase(label::kMachineTemplateHash); }), "a");
  EXPECT_EQ(
      keeps([](auto& set) { set.spec.selector.match_labels.set(label::kMachineTemplateHash, "edited"); }),
      "a");
}

// --- moves ---

MachineSnapshot moved(std::string_view name, std::string_view set) {
  return a_machine(name).in_set(set).annotated(annotation::kPendingAcknowledgeMove).shared();
}

TEST(Arrivals, AreCountedOnce) {
  const api::MachineSet newest = set_of("n", "v1").annotated(annotation::kAcknowledgedMove, "a,c");
  const std::vector<MachineSnapshot> machines = {moved("b", "n"), moved("a", "n"), moved("x", "other"),
                                                 a_machine("plain").in_set("n").shared()};

  const auto found = arrivals(newest, machines);

  EXPECT_THAT(found.fresh, ElementsAre("b"));
  EXPECT_EQ(found.acknowledged(), "a,b");
}

TEST(KeepMoves, KeepsAMoveToThePresentNewSetAndNoOther) {
  const api::MachineSet source = set_of("o", "v1").annotated(annotation::kMoveMachinesTo, "n");
  const auto kept = [&](std::string_view newest) {
    api::TextMap annotations;
    keep_moves(source, newest, annotations);
    return annotations;
  };

  EXPECT_EQ(kept("n"), (api::TextMap{{annotation::kMoveMachinesTo, "n"}}));
  EXPECT_EQ(kept("later"), api::TextMap());
}

TEST(SetIntent, ASetRemembersForWhichRolloutAfterItWasMade) {
  const Time moment = noon();
  const auto deployment = a_machine_deployment().version("v1").rollout_after(moment).build();
  const SetIntent intent{.deployment = deployment};

  const auto fresh = intent.fresh("abcde", {.number = "2"}, 1, true);
  const auto later = intent.newest(fresh, {.number = "2"}, 1);

  EXPECT_EQ(fresh.metadata.annotations.value_or_empty(kMadeForRolloutAfter), moment.to_string());
  ASSERT_TRUE(later);
  EXPECT_EQ(later->metadata.annotations, fresh.metadata.annotations);
  EXPECT_FALSE(intent.fresh("abcde", {.number = "2"}, 1).metadata.annotations.contains(kMadeForRolloutAfter));
}

TEST(SetIntent, WhatConfirmsAReleaseIsNotHandedOn) {
  const auto deployment = a_machine_deployment()
                              .annotated(annotation::kConfirmRelease, "3")
                              .annotated(kMadeForRolloutAfter, "2026-01-01T00:00:00Z")
                              .build();

  const auto fresh = SetIntent{.deployment = deployment}.fresh("abcde", {.number = "1"}, 1);

  EXPECT_FALSE(fresh.metadata.annotations.contains(annotation::kConfirmRelease));
  EXPECT_FALSE(fresh.metadata.annotations.contains(kMadeForRolloutAfter));
}

// --- replicas left out ---

TEST(ReplicasWantedBefore, AreThoseThatTheSetsHaveNoted) {
  const auto noted = [](std::int32_t has, std::string_view note) {
    return set_of("a", "v1").replicas(has).annotated(annotation::kDesiredReplicas, note).shared();
  };
  const std::vector<SetSnapshot> rolling = {noted(3, "3"), noted(1, "3")};
  const std::vector<SetSnapshot> adopted = {set_of("b", "v1").replicas(2).shared(), noted(1, "some")};

  EXPECT_EQ(replicas_wanted_before(rolling), 3);  // and not four, the surge included
  EXPECT_EQ(replicas_wanted_before(adopted), 3);
  EXPECT_EQ(replicas_wanted_before({}), std::nullopt);
}

// --- completion ---

struct Done {
  api::MachineDeployment deployment = a_machine_deployment().replicas(2).version("v2").with(
      [](auto& md) { md.status.observed_generation = 1; });
  Choice choice = {.newest = set_of("n", "v2")
                                 .replicas(2)
                                 .reporting(2, 2, 2)
                                 .with([](auto& set) { set.status.up_to_date_replicas = 2; })
                                 .shared(),
                   .old = {set_of("o", "v1")
                               .replicas(0)
                               .reporting(0, 0, 0)
                               .with([](auto& set) { set.status.observed_generation = 1; })
                               .shared()}};
};

TEST(FinishedSets, GoWhenEverythingIsNew) {
  const Done done;

  EXPECT_THAT(names_of(finished_sets(done.deployment, done.choice, {})), ElementsAre("o"));
}

TEST(FinishedSets, LeaveOutThoseOfTheHighestRevisionsWhereAHistoryIsKept) {
  Done done;
  const auto empty = [&](std::string_view name, std::string_view revision, Seconds age) {
    return set_of(name, "v1", age)
        .revision(revision)
        .replicas(0)
        .reporting(0, 0, 0)
        .with([](auto& set) { set.status.observed_generation = 1; })
        .shared();
  };
  // The oldest one was gone back to, and left again.
  done.choice.old = {empty("first", "5", Seconds(90)), empty("second", "2", Seconds(60)),
                     empty("third", "3", Seconds(30)), empty("strange", "x", Seconds(10))};
  const auto finished = [&](std::size_t kept) {
    return names_of(finished_sets(done.deployment, done.choice, {}, kept));
  };

  EXPECT_THAT(finished(0), ElementsAre("first", "second", "third", "strange"));
  EXPECT_THAT(finished(1), ElementsAre("second", "third", "strange"));
  EXPECT_THAT(finished(2), ElementsAre("second", "strange"));
  EXPECT_THAT(finished(10), IsEmpty());
}

TEST(FinishedSets, WaitForTheStatusOfThisSpec) {
  Done done;
  done.deployment.status.observed_generation = 0;

  EXPECT_THAT(finished_sets(done.deployment, done.choice, {}), IsEmpty());
}

TEST(FinishedSets, WaitForEveryMachine) {
  Done done;
  done.choice.newest = set_of("n", "v2")
                           .replicas(2)
                           .reporting(2, 2, 1)
                           .with([](auto& set) { set.status.up_to_date_replicas = 2; })
                           .shared();

  EXPECT_THAT(finished_sets(done.deployment, done.choice, {}), IsEmpty());
}

TEST(FinishedSets, StayWhileAMachineNamesThemAsOwner) {
  const Done done;
  const std::vector<MachineSnapshot> owned = {a_machine("late").in_set("o").shared()};

  EXPECT_THAT(finished_sets(done.deployment, done.choice, owned), IsEmpty());
}

TEST(FinishedSets, StayWhileTheirStatusIsOld) {
  Done done;
  done.choice.old = {set_of("o", "v1")
                         .replicas(0)
                         .reporting(0, 0, 0)
                         .generation(2)
                         .with([](auto& set) { set.status.observed_generation = 1; })
                         .shared()};

  EXPECT_THAT(finished_sets(done.deployment, done.choice, {}), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::rollout
