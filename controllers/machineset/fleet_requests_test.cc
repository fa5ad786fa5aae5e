#include "controllers/machineset/fleet_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machineset/seen_fixture.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::MachineBuilder;
using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kRequest = "capstan.dev/fleet-request";
constexpr std::string_view kGrant = "capstan.dev/fleet-grant";

// A set of that size in a fleet with limits.
Seen limited(int replicas) {
  return a_world(a_machine_set().replicas(replicas)).where([](Observation& seen) {
    seen.fleet.limited = true;
  });
}

MachineBuilder worker(std::string_view name) { return a_machine(name).running(); }
MachineBuilder asking(std::string_view name, std::string_view reason = "ScaleIn") {
  return worker(name).annotated(kRequest, std::string(reason) + "~2026-01-01T11:00:00Z");
}
MachineBuilder granted(std::string_view name) { return asking(name).annotated(kGrant, noon().to_string()); }
// By the status of the FleetPolicy, too.
void as_they_say(Observation& seen) {
  for (const auto& machine : seen.machines)
    if (machine->metadata.annotations.contains(kGrant)) seen.fleet.granted.insert(machine->metadata.uid);
}
MachineBuilder failed(MachineBuilder machine) {
  const Time first_look = builders::noon() + Seconds(-3600);
  return machine.aged(Seconds(3600))
      .condition("Paused", "False", "NotPaused", "", first_look)
      .condition("capstan.dev/Lifecycle", "False", "Failed");
}

// "a: ScaleIn~2026-..."
std::vector<std::string> requests(const Plan& plan) {
  std::vector<std::string> all;
  for (const Action& action : plan.actions) {
    const auto* asked = std::get_if<AskFleet>(&action);
    if (asked != nullptr) all.push_back(asked->machine->metadata.name.str() + ": " + asked->request);
  }
  return all;
}

std::vector<std::string> deletions(const Plan& plan) {
  std::vector<std::string> names;
  for (const Action& action : plan.actions)
    if (const auto* each = std::get_if<DeleteMachine>(&action))
      names.push_back(each->machine->metadata.name.str());
  return names;
}

void of_an_earlier_template(Observation& seen) {
  seen.deployment =
      a_machine_deployment("d").annotated("machinedeployment.clusters.x-k8s.io/revision", "2").shared();
}

void by_policy(Observation& seen) {
  api::MachineLifecyclePolicy policy;
  policy.spec.creation = api::PolicyCreation{.timeout_seconds = 60};
  seen.policy = std::make_shared<const api::MachineLifecyclePolicy>(policy);
  seen.contact = {.now = true, .since = Time::from_unix(1)};
}

TEST(FleetRequests, AreMadeInsteadOfADeletion) {
  const Plan plan = limited(0).with(worker("a")).plan();

  EXPECT_THAT(requests(plan), ElementsAre("a: ScaleIn~2026-01-01T12:00:00Z"));
  EXPECT_THAT(deletions(plan), IsEmpty());
}

TEST(FleetRequests, ThatAreGrantedWithinAMomentAreShownNowhere) {
  const auto granter = [](Observation& seen) { seen.fleet.has_granter = true; };
  const Plan fresh = limited(0).with(worker("a")).where(granter).plan();

  EXPECT_THAT(fresh.notes_about(api::NoteCode::ScaleDownHeldUp), IsEmpty());
  EXPECT_TRUE(fresh.awaits_grants);
  EXPECT_EQ(fresh.recheck, Seconds(5));
  EXPECT_THAT(limited(0).with(asking("a")).where(granter).plan().notes_about(api::NoteCode::ScaleDownHeldUp),
              testing::SizeIs(1));
}

TEST(FleetRequests, AreWaitedForInSilenceForAFewSeconds) {
  const auto at = [](Seconds since) {
    return limited(0)
        .with(worker("a").annotated(kRequest, "ScaleIn~" + (noon() + -since).to_string()))
        .where([](Observation& seen) { seen.fleet.has_granter = true; })
        .plan();
  };

  EXPECT_TRUE(at(Seconds(4)).awaits_grants);
  EXPECT_EQ(at(Seconds(4)).recheck, Seconds(1));
  EXPECT_FALSE(at(Seconds(5)).awaits_grants);
  EXPECT_FALSE(at(Seconds(-60)).awaits_grants) << "a clock that is ahead of ours";
}

TEST(FleetRequests, AreMadeOnceAndTheConditionSaysWhatIsWaitedFor) {
  const Plan plan = limited(0).with(asking("a")).plan();

  EXPECT_THAT(requests(plan), IsEmpty());
  EXPECT_THAT(deletions(plan), IsEmpty());
  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre("Machines that wait for a place in the limits of FleetPolicy fleet, since "
                          "2026-01-01T11:00:00Z: a"));
}

TEST(FleetRequests, SayThatNoManagerGrantsThem) {
  const Plan plan =
      limited(0).with(asking("a")).where([](Observation& seen) { seen.fleet.has_granter = false; }).plan();

  EXPECT_THAT(plan.notes_about(api::NoteCode::ScaleDownHeldUp),
              ElementsAre(HasSubstr("one has to run with --owns-fleet-policy=true")));
}

TEST(FleetRequests, LetADeletionThroughOnceItIsGranted) {
  const Plan plan = limited(0).with(granted("a")).where(as_they_say).plan();

  EXPECT_THAT(deletions(plan), ElementsAre("a"));
  EXPECT_THAT(requests(plan), IsEmpty());
}

// An annotation can be copied, and written by hand.
TEST(FleetRequests, AreNotGrantedByAnAnnotationThatTheFleetPolicyNeverGave) {
  EXPECT_THAT(deletions(limited(0).with(granted("a")).plan()), IsEmpty());
}

TEST(FleetRequests, StayConfirmedWhenTheReasonChanges) {
  const auto machine = worker("a").annotated(kRequest, "ScaleIn~2026-01-01T11:00:00Z~confirmed:1");

  EXPECT_THAT(requests(limited(1).with(failed(machine)).where(by_policy).plan()),
              ElementsAre("a: Remediation~2026-01-01T11:00:00Z~confirmed:1"));
}

TEST(FleetRequests, OfAnEarlierTemplateAreOfARollout) {
  EXPECT_THAT(requests(limited(0).with(worker("a")).where(of_an_earlier_template).plan()),
              ElementsAre(HasSubstr("a: Rollout~")));
}

TEST(FleetRequests, OfMachinesThatFailedAreOfARemediation) {
  const Plan plan = limited(1).with(failed(worker("a"))).where(by_policy).plan();

  EXPECT_THAT(requests(plan), ElementsAre("a: Remediation~2026-01-01T12:00:00Z"));
  const Plan later = limited(1).with(failed(asking("a", "Remediation"))).where(by_policy).plan();
  EXPECT_THAT(later.notes_about(api::NoteCode::RemediationHeldUp), ElementsAre(HasSubstr(": a")));
}

TEST(FleetRequests, OfMachinesThatWerePreservedSaySo) {
  const auto machine = failed(worker("a")).annotated("capstan.dev/preserve-until", "2026-01-01T11:00:00Z");

  EXPECT_THAT(requests(limited(1).with(machine).where(by_policy).plan()),
              ElementsAre(HasSubstr("a: PreservationEnded~")));
}

TEST(FleetRequests, KeepTheirTimeWhenTheReasonChanges) {
  EXPECT_THAT(requests(limited(1).with(failed(asking("a"))).where(by_policy).plan()),
              ElementsAre("a: Remediation~2026-01-01T11:00:00Z"));
}

// No mark says on a Machine that it is deleted while it is not.
TEST(FleetRequests, WriteNoMarkOfARemediationThatWaits) {
  const Plan plan = limited(1).with(worker("a").awaiting_remediation()).plan();

  EXPECT_THAT(requests(plan), ElementsAre(HasSubstr("a: Remediation~")));
  EXPECT_THAT(deletions(plan), IsEmpty());
}

TEST(FleetRequests, LeaveNoOlderReasonOnTheMachineThatAskedBefore) {
  const auto deferred = [](MachineBuilder machine) {
    return machine.awaiting_remediation().condition(
        api::condition::kOwnerRemediated, "False", api::reason::kRemediationDeferred, "too many in progress");
  };
  EXPECT_THAT(words_of_marks(limited(1).with(deferred(worker("a"))).plan()), IsEmpty())
      << "after the request";
  EXPECT_THAT(words_of_marks(limited(1).with(deferred(asking("a", "Remediation"))).plan()),
              ElementsAre(HasSubstr("held, see the condition Remediating of MachineSet")));
}

TEST(FleetRequests, AreWithdrawnWithTheirGrantWhenTheMachineIsToStay) {
  const Plan plan = limited(2).with(asking("a")).with(granted("b")).plan();

  EXPECT_THAT(requests(plan), ElementsAre("a: ", "b: "));
}

TEST(FleetRequests, StandWhileCachesAreBehindOrTheSpecIsInDoubt) {
  const auto behind = [](Observation& seen) { seen.fresh = false; };
  const auto in_doubt = [](Observation& seen) { seen.problem = "spec.selector: ?"; };

  EXPECT_THAT(requests(limited(0).with(asking("a")).where(behind).plan()), IsEmpty());
  EXPECT_THAT(requests(limited(1).with(asking("a")).where(in_doubt).plan()), IsEmpty());
}

TEST(FleetRequests, AreWithdrawnWhileABrakeIsShut) {
  const Plan plan =
      limited(0)
          .with(asking("a"))
          .where([](Observation& seen) { seen.may_scale_down = {.open = false, .why = "frozen"}; })
          .plan();

  EXPECT_THAT(requests(plan), ElementsAre("a: "));
}

TEST(FleetRequests, AreNeededByNoneWithoutLimits) {
  const Plan plan =
      limited(0).with(asking("a")).where([](Observation& seen) { seen.fleet.limited = false; }).plan();

  EXPECT_THAT(deletions(plan), ElementsAre("a"));
  EXPECT_THAT(requests(plan), IsEmpty());
}

TEST(FleetRequests, AreNotMadeForAControlPlane) {
  EXPECT_THAT(deletions(limited(0).with(worker("a").control_plane()).plan()), ElementsAre("a"));
}

TEST(FleetRequests, AreNotMadeWhenAUserDeletesTheSet) {
  const auto deleting = a_machine_set().replicas(1).deleting().finalized_by("cluster.x-k8s.io/machineset");
  const Plan plan =
      a_world(deleting).with(worker("a")).where([](Observation& seen) { seen.fleet.limited = true; }).plan();

  EXPECT_THAT(deletions(plan), ElementsAre("a"));
}

}  // namespace
}  // namespace capstan::controllers::machineset
