#include "controllers/machineset/held_deletions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/machineset/seen_fixture.h"
#include "controllers/safety/deleted_for.h"
#include "controllers/safety/deletion_guard.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_set;
using builders::MachineBuilder;
using safety::Cause;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// A moment of each day; tests are told at noon.
constexpr std::string_view kAtNight = "0 2 * * *";
constexpr std::string_view kAtNoon = "0 12 * * *";

MachineBuilder well_machine(std::string_view name) { return a_machine(name).in_set("ms1").running(); }

safety::Windows window(std::string_view cron, std::vector<Cause> causes) {
  return {.of = "MachineLifecyclePolicy care",
          .list = {{.cron = *Cron::parse(cron), .duration = Seconds(600), .causes = std::move(causes)}}};
}

Seen three_of(std::int32_t wanted, const builders::MachineSetBuilder& set = a_machine_set()) {
  Seen seen(builders::MachineSetBuilder(set).replicas(wanted));
  for (const auto* name : {"a", "b", "c"}) seen.with(well_machine(name));
  return seen;
}

Seen with_guard(Seen seen, std::int32_t percent = 20) {
  return seen.where([&](Observation& all) {
    all.deletion_rules = {.policy = "care", .guard_percent = percent, .governed = 3};
  });
}

std::vector<std::string> going(const Plan& plan) {
  std::vector<std::string> names;
  for (const Action& action : plan.actions)
    if (const auto* removal = std::get_if<DeleteMachine>(&action))
      names.push_back(removal->machine->metadata.name.str());
  return names;
}

bool uses_confirmation(const Plan& plan) {
  return std::ranges::any_of(plan.actions,
                             [](const auto& each) { return std::holds_alternative<UseConfirmation>(each); });
}

// It has had more time to join than its policy allows.
MachineBuilder failed_machine() {
  const Time first_look = builders::noon() + Seconds(-3600);
  return well_machine("a")
      .created(first_look)
      .condition("Paused", "False", "NotPaused", "", first_look)
      .condition(api::policy::condition::kLifecycle, "False", "Failed");
}

Seen one_machine(const MachineBuilder& machine, const safety::Windows& windows) {
  return Seen(a_machine_set()).with(machine).where([&](Observation& all) {
    api::MachineLifecyclePolicy policy;
    policy.spec.creation = api::PolicyCreation{.timeout_seconds = 60};
    all.policy = std::make_shared<const api::MachineLifecyclePolicy>(std::move(policy));
    all.contact = {.now = true, .since = Time::from_unix(1)};
    all.deletion_rules.windows = {windows};
  });
}

// What the guard asks to be confirmed of three Machines.
std::string hash_of_three(const api::MachineSet& set) {
  std::vector<safety::Doomed> doomed;
  for (const auto* name : {"a", "b", "c"})
    doomed.push_back({.identity = well_machine(name).build().metadata.uid.str()});
  return safety::hash_of({.owner = set.metadata, .doomed = std::move(doomed)});
}

TEST(HeldDeletions, WaitForTheirWindow) {
  auto seen = three_of(1).where(
      [](Observation& all) { all.deletion_rules.windows = {window(kAtNight, {Cause::ScaleIn})}; });
  const Plan plan = seen.plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre(HasSubstr("the next one opens at")));
  EXPECT_EQ(plan.recheck, std::chrono::hours(14));
}

TEST(HeldDeletions, GoInTheirWindow) {
  auto seen = three_of(1).where(
      [](Observation& all) { all.deletion_rules.windows = {window(kAtNoon, {Cause::ScaleIn})}; });
  EXPECT_THAT(going(seen.plan()), SizeIs(2));
}

TEST(HeldDeletions, WaitForNoWindowOfAnotherCause) {
  auto seen = three_of(1).where([](Observation& all) {
    all.deletion_rules.windows = {window(kAtNight, {Cause::Remediation, Cause::Rollout})};
  });
  EXPECT_THAT(going(seen.plan()), SizeIs(2));
}

TEST(HeldDeletions, OfMachinesThatFailedWaitForAWindowThatNamesThem) {
  const auto plan_in = [](const safety::Windows& windows) {
    return one_machine(failed_machine(), windows).plan();
  };
  const Plan held = plan_in(window(kAtNight, {Cause::Remediation}));
  EXPECT_THAT(going(held), IsEmpty());
  EXPECT_THAT(held.notes_about(api::NoteCode::RemediationHeldUp),
              ElementsAre(HasSubstr("care for Remediation: the next one opens at")));
  EXPECT_THAT(going(plan_in(window(kAtNoon, {Cause::Remediation}))), ElementsAre("a"));
  EXPECT_THAT(going(plan_in(window(kAtNight, {Cause::ScaleIn, Cause::PreservationEnded}))), ElementsAre("a"));
}

TEST(HeldDeletions, OfMachinesThatAHealthCheckFoundWaitForThatWindowToo) {
  const Plan plan =
      one_machine(well_machine("a").awaiting_remediation(), window(kAtNight, {Cause::Remediation})).plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::RemediationHeldUp),
              ElementsAre(HasSubstr("care for Remediation: the next one opens at")));
}

// It waited for a place of maxInFlight before, and has that now.
TEST(HeldDeletions, OfMachinesThatAHealthCheckFoundSayNoReasonOfBefore) {
  const auto machine = well_machine("a").awaiting_remediation().condition(
      api::condition::kOwnerRemediated, "False", api::reason::kRemediationDeferred, "too many in progress");
  const Plan plan = one_machine(machine, window(kAtNight, {Cause::Remediation})).plan();

  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(words_of_marks(plan), ElementsAre("Waiting because its deletion is held, see the condition "
                                                "Remediating of MachineSet ms1"));
}

TEST(HeldDeletions, OfMachinesThatWerePreservedWait) {
  const auto plan_in = [](const safety::Windows& windows) {
    const std::string ended = (builders::noon() + Seconds(-60)).to_string();
    return one_machine(failed_machine().annotated(api::policy::annotation::kPreserveUntil, ended), windows)
        .plan();
  };
  const Plan held = plan_in(window(kAtNight, {Cause::PreservationEnded}));
  EXPECT_THAT(going(held), IsEmpty());
  EXPECT_THAT(held.notes_about(api::NoteCode::RemediationHeldUp),
              ElementsAre(HasSubstr("care for PreservationEnded: the next one opens at")));
  EXPECT_THAT(going(plan_in(window(kAtNoon, {Cause::PreservationEnded}))), ElementsAre("a"));
  EXPECT_THAT(going(plan_in(window(kAtNight, {Cause::Remediation}))), ElementsAre("a"));
}

TEST(HeldDeletions, HoldNoCreation) {
  auto seen = three_of(5).where(
      [](Observation& all) { all.deletion_rules.windows = {window(kAtNight, {Cause::ScaleIn})}; });
  EXPECT_THAT(describe(seen.plan()), Contains("create 2 Machines"));
}

TEST(HeldDeletions, HoldNoSetThatIsDeleted) {
  auto seen = with_guard(three_of(3, a_machine_set().deleting())).where([](Observation& all) {
    all.deletion_rules.windows = {window(kAtNight, {Cause::ScaleIn})};
  });
  EXPECT_THAT(going(seen.plan()), SizeIs(3));
}

TEST(DeletionGuardOfSets, HoldsALargeShare) {
  const Plan plan = with_guard(three_of(0)).plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre(HasSubstr("3 Machines, for it is more than 20% of 3: a, b, c;")));
}

TEST(DeletionGuardOfSets, LetsOneMachineGo) { EXPECT_THAT(going(with_guard(three_of(2)).plan()), SizeIs(1)); }

MachineBuilder waiting_machine(std::string_view name, std::string_view words = "") {
  return well_machine(name).annotated(api::policy::annotation::kFleetRequest,
                                      "ScaleIn~" + builders::noon().to_string() + std::string(words));
}

void limit_the_fleet(Observation& seen) { seen.fleet.limited = true; }
void give_places(Observation& seen) {
  for (const auto& machine : seen.machines) seen.fleet.granted.insert(machine->metadata.uid);
}

// Within the set's own budget.
MachineBuilder granted_machine(std::string_view name) {
  return well_machine(name)
      .condition(api::policy::condition::kLifecycle, "False", "Unhealthy")
      .annotated(api::policy::annotation::kReplacementGranted, builders::noon().to_string());
}

TEST(DeletionGuardOfSets, CountsNoneThatGoesOrWasGrantedOrConfirmed) {
  Seen seen(a_machine_set().replicas(0));
  seen.with(well_machine("a").deleting()).with(granted_machine("b")).with(well_machine("e"));
  seen.with(waiting_machine("d", "~confirmed:1")).where(limit_the_fleet).where(give_places);
  EXPECT_THAT(going(with_guard(seen).plan()), UnorderedElementsAre("b", "d", "e"));

  const Plan held = with_guard(seen.with(well_machine("f")).where(give_places)).plan();
  EXPECT_THAT(going(held), UnorderedElementsAre("b", "d"));
  EXPECT_THAT(held.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre(HasSubstr("2 Machines, for it is more than 20% of 3: e, f;")));
}

// They asked before there was a guard, or a person wrote the annotation, or the FleetPolicy has granted one.
TEST(DeletionGuardOfSets, CountsThoseThatWaitForAPlaceInTheLimitsOfTheFleet) {
  const Plan plan = with_guard(Seen(a_machine_set().replicas(0))
                                   .with(waiting_machine("a"))
                                   .with(waiting_machine("b"))
                                   .with(waiting_machine("c").annotated(api::policy::annotation::kFleetGrant,
                                                                        builders::noon().to_string())))
                        .plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre(HasSubstr("3 Machines, for it is more than 20% of 3: a, b, c;")));
}

TEST(DeletionGuardOfSets, MarksWhatWasConfirmedForAsLongAsItWaitsForAPlace) {
  const auto set = builders::MachineSetBuilder(a_machine_set()).replicas(0);
  const auto confirmed = builders::MachineSetBuilder(set).annotated(api::policy::annotation::kConfirmDeletion,
                                                                    hash_of_three(set));
  std::vector<std::string> asked;
  for (const Action& action : with_guard(three_of(0, confirmed)).where(limit_the_fleet).plan().actions) {
    if (const auto* each = std::get_if<AskFleet>(&action)) asked.push_back(each->request);
  }
  EXPECT_THAT(asked, SizeIs(3));
  EXPECT_THAT(asked, testing::Each(testing::EndsWith("~confirmed:1")));
}

// Replicas that were corrected meanwhile are another question; without limits nothing waits.
TEST(DeletionGuardOfSets, TakesNoMarkOfAnEarlierGenerationOrWithoutLimits) {
  const auto three = [](std::string_view words) {
    Seen seen(a_machine_set().replicas(0));
    for (const auto* name : {"a", "b", "c"}) seen.with(waiting_machine(name, words));
    return with_guard(std::move(seen));
  };
  EXPECT_THAT(three("~confirmed:1").where(limit_the_fleet).where(give_places).plan().actions, SizeIs(3));
  for (const auto* words : {"~confirmed:0", "~confirmed:", "~confirmed"})
    EXPECT_THAT(three(words).where(limit_the_fleet).plan().notes_about(api::NoteCode::ScaleDownHeldUp),
                ElementsAre(HasSubstr("3 Machines, for it is more than 20% of 3: a, b, c;")))
        << words;
  EXPECT_THAT(going(three("~confirmed:1").plan()), IsEmpty());
}

TEST(DeletionGuardOfSets, OpensOnceItIsConfirmedAndTakesTheAnnotationOff) {
  const auto set = builders::MachineSetBuilder(a_machine_set()).replicas(0);
  const auto confirmed = builders::MachineSetBuilder(set).annotated(api::policy::annotation::kConfirmDeletion,
                                                                    hash_of_three(set));
  const Plan plan = with_guard(three_of(0, confirmed)).plan();
  EXPECT_THAT(going(plan), SizeIs(3));
  EXPECT_TRUE(uses_confirmation(plan));
}

TEST(DeletionGuardOfSets, IsNotOpenedByTheConfirmationOfAnotherList) {
  const auto set = builders::MachineSetBuilder(a_machine_set()).replicas(0);
  const auto confirmed = builders::MachineSetBuilder(set).annotated(api::policy::annotation::kConfirmDeletion,
                                                                    hash_of_three(set));
  const Plan plan = with_guard(three_of(0, confirmed).with(well_machine("d"))).plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_FALSE(uses_confirmation(plan));
}

// The list that was confirmed is longer than what the MachineDeployment wants to go by now.
TEST(DeletionGuardOfSets, UsesNoConfirmationWhileOtherReplicasAreOnTheirWay) {
  const auto set = builders::MachineSetBuilder(a_machine_set()).replicas(0);
  const auto confirmed = builders::MachineSetBuilder(set)
                             .annotated(api::policy::annotation::kConfirmDeletion, hash_of_three(set))
                             .annotated(api::annotation::kDesiredReplicas, "0");
  const Plan plan = with_guard(three_of(0, confirmed))
                        .where([](Observation& all) {
                          all.deployment = builders::a_machine_deployment("d").replicas(2).shared();
                        })
                        .plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_FALSE(uses_confirmation(plan));
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre("the confirmed deletion waits for the replicas that MachineDeployment d wants"));
}

TEST(HeldDeletions, NameTheirCauseUnderAPolicy) {
  const Plan plan = with_guard(three_of(2)).plan();
  const auto removal = std::ranges::find_if(
      plan.actions, [](const auto& each) { return std::holds_alternative<DeleteMachine>(each); });
  EXPECT_EQ(std::get<DeleteMachine>(*removal).deleted_for, "ScaleIn");
}

// The set's own policy, which its MachineDeployment has not asked.
void rolled_away_under_its_own_policy(Observation& all) {
  all.deployment = builders::a_machine_deployment("d")
                       .annotated("machinedeployment.clusters.x-k8s.io/revision", "2")
                       .shared();
  all.deletion_rules.rollouts_asked_above = false;
}

TEST(HeldDeletions, OfARolloutAreDecidedAbove) {
  const auto rolled = builders::MachineSetBuilder(a_machine_set())
                          .replicas(0)
                          .annotated(api::policy::annotation::kRolledTo, "0");
  auto seen = three_of(0, rolled).where(rolled_away_under_its_own_policy).where([](Observation& all) {
    all.deletion_rules.windows = {window(kAtNight, {Cause::Rollout})};
    all.deletion_rules.rollouts_asked_above = true;
  });
  EXPECT_THAT(going(seen.plan()), SizeIs(3));
}

// Fewer Machines were wanted by day, and before night a user changed the template.
TEST(HeldDeletions, ThatWaitedWhenTheTemplateChangedAreNotTheRollouts) {
  const auto held = [](std::vector<Cause> causes) {
    return three_of(1).where(rolled_away_under_its_own_policy).where([&](Observation& all) {
      all.deletion_rules.windows = {window(kAtNight, causes)};
      all.deletion_rules.rollouts_asked_above = true;
    });
  };
  EXPECT_THAT(going(held({Cause::ScaleIn}).plan()), IsEmpty());
  EXPECT_THAT(going(held({Cause::ScaleIn, Cause::Rollout}).plan()), IsEmpty());
}

TEST(DeletionGuardOfSets, HoldsWhatItHeldBeforeTheTemplateChanged) {
  const Plan plan = with_guard(three_of(1))
                        .where(rolled_away_under_its_own_policy)
                        .where([](Observation& all) { all.deletion_rules.rollouts_asked_above = true; })
                        .plan();
  EXPECT_THAT(going(plan), IsEmpty());
}

TEST(HeldDeletions, OfARolloutWaitForTheWindowOfThePolicyOfTheSetAlone) {
  auto seen = three_of(0).where(rolled_away_under_its_own_policy).where([](Observation& all) {
    all.deletion_rules.windows = {window(kAtNight, {Cause::Rollout})};
  });
  const Plan plan = seen.plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre(HasSubstr("the next one opens at")));
}

TEST(DeletionGuardOfSets, HoldsARolloutUnderThePolicyOfTheSetAlone) {
  const Plan plan = with_guard(three_of(0)).where(rolled_away_under_its_own_policy).plan();
  EXPECT_THAT(going(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp), SizeIs(1));
}

TEST(HeldDeletions, TakeTheCauseOffAMachineThatLivesOn) {
  Seen seen(a_machine_set().replicas(1));
  seen.with(well_machine("a").annotated(safety::kDeletedFor, "ScaleIn"));
  EXPECT_THAT(describe(seen.plan()), Contains("take the cause off Machine a, which lives on"));
}

TEST(HeldDeletions, LeaveTheCauseOnAMachineThatGoes) {
  Seen seen(a_machine_set().replicas(0));
  seen.with(well_machine("a").annotated(safety::kDeletedFor, "ScaleIn"));
  EXPECT_THAT(describe(seen.plan()), Not(Contains(HasSubstr("take the cause off"))));
}

TEST(HeldDeletions, NameNoCauseWithoutAPolicy) {
  const Plan plan = three_of(2).plan();
  const auto removal = std::ranges::find_if(
      plan.actions, [](const auto& each) { return std::holds_alternative<DeleteMachine>(each); });
  EXPECT_EQ(std::get<DeleteMachine>(*removal).deleted_for, "");
}

}  // namespace
}  // namespace capstan::controllers::machineset
