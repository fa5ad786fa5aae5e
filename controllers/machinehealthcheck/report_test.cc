#include "controllers/machinehealthcheck/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/machinehealthcheck/seen_fixture.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = Allowance::State;

api::MachineHealthCheck reported(const Observation& seen, Effects effects = {}) {
  effects.check = *seen.check;
  return report(seen, decide(seen), effects);
}

std::string shown(const auto& object, std::string_view type) {
  const auto found = api::conditions::find(object.status.conditions, type);
  if (found == nullptr) return "absent";
  std::string text = found->status.str() + " " + found->reason.str();
  if (!found->message.empty()) text += ": " + found->message.str();
  return text;
}

std::string old(const auto& object, std::string_view type) {
  if (!object.status.deprecated || !object.status.deprecated->v1beta1) return "absent";
  const auto found = api::conditions::v1beta1::find(object.status.deprecated->v1beta1->conditions, type);
  if (found == nullptr) return "absent";
  std::string text = found->status.str();
  if (!found->reason.empty()) text += " " + found->reason.str() + "/" + found->severity.str();
  if (!found->message.empty()) text += ": " + found->message.str();
  return text;
}

api::RemediationTrigger at_most(IntOrString limit) {
  api::RemediationTrigger trigger;
  trigger.unhealthy_less_than_or_equal_to = std::move(limit);
  return trigger;
}
api::RemediationTrigger in_range(std::string_view range) {
  api::RemediationTrigger trigger;
  trigger.unhealthy_in_range = Text(range);
  return trigger;
}

TEST(Allowance, WithoutLimitsEverythingMayBeRemediated) {
  const auto answer = allowance({}, {.targets = 4, .healthy = 1, .unhealthy = 3}, {});

  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.remediations_allowed, 1);
}

TEST(Allowance, CountsWhatIsNotHealthyAgainstTheLimit) {
  const auto limit = at_most(IntOrString(2));

  EXPECT_EQ(allowance(limit, {.targets = 5, .healthy = 4, .unhealthy = 1}, {}).remediations_allowed, 1);
  EXPECT_TRUE(allowance(limit, {.targets = 5, .healthy = 3, .unhealthy = 2}, {}).allowed());
  EXPECT_EQ(allowance(limit, {.targets = 5, .healthy = 3, .unhealthy = 2}, {}).remediations_allowed, 0);
  const auto over = allowance(limit, {.targets = 5, .healthy = 2, .unhealthy = 1}, {});
  EXPECT_EQ(over.state, State::Restricted);
  EXPECT_EQ(over.remediations_allowed, 0);
  EXPECT_EQ(
      over.message,
      "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy "
      "(total: 5, unhealthy: 1, maxUnhealthy: 2)");
}

TEST(Allowance, RoundsPercentagesDown) {
  const auto limit = at_most(IntOrString("40%"_text));

  EXPECT_TRUE(allowance(limit, {.targets = 6, .healthy = 4, .unhealthy = 2}, {}).allowed());
  EXPECT_THAT(allowance(limit, {.targets = 6, .healthy = 3, .unhealthy = 3}, {}).message,
              HasSubstr("maxUnhealthy: 40%"));
}

TEST(Allowance, ARangeWinsAndHasTwoEnds) {
  auto limits = in_range("[2-3]");
  limits.unhealthy_less_than_or_equal_to = IntOrString(0);
  const auto with = [&](std::int32_t not_healthy) {
    return allowance(limits, {.targets = 5, .healthy = 5 - not_healthy, .unhealthy = not_healthy}, {});
  };

  EXPECT_EQ(with(1).state, State::Restricted);
  EXPECT_EQ(
      with(1).message,
      "Remediation is not allowed, the number of not started or unhealthy machines does not fall within "
      "the range (total: 5, unhealthy: 1, unhealthyRange: [2-3])");
  EXPECT_TRUE(with(2).allowed());
  EXPECT_EQ(with(2).remediations_allowed, 1);
  EXPECT_TRUE(with(3).allowed());
  EXPECT_EQ(with(4).state, State::Restricted);
}

TEST(Allowance, SaysWhichLimitMakesNoSense) {
  for (const auto* range : {"[5-2]", "2-5", "[a-b]", "[]", "[1-]", "[99999999999-1]"}) {
    const auto answer = allowance(in_range(range), {.targets = 5, .healthy = 5}, {});
    EXPECT_EQ(answer.state, State::Invalid) << range;
    EXPECT_THAT(answer.message, HasSubstr("spec.remediation.triggerIf.unhealthyInRange")) << range;
  }
  EXPECT_THAT(allowance(at_most(IntOrString("many"_text)), {}, {}).message,
              HasSubstr("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"));
}

TEST(Allowance, AShutBrakeHoldsWhatTheLimitsAllow) {
  const auto held = allowance({}, {.targets = 1, .unhealthy = 1}, {.open = false, .why = "API server lost"});

  EXPECT_EQ(held.state, State::Held);
  EXPECT_THAT(held.message, HasSubstr("API server lost"));
}

TEST(Decide, CountsAndLooksAgainAtTheNextDeadline) {
  const auto plan = decide(*Seen().healthy("a").sick("b").without_node(a_worker("c").created(at(-590))));

  EXPECT_EQ(plan.counts.targets, 3);
  EXPECT_EQ(plan.counts.healthy, 1);
  EXPECT_EQ(plan.counts.unhealthy, 1);
  EXPECT_TRUE(plan.remediate);
  EXPECT_EQ(plan.recheck, Seconds(10) + std::chrono::milliseconds(1));
}

TEST(Decide, AtRestThereIsNothingToComeBackFor) {
  EXPECT_EQ(decide(*Seen().healthy("a")).recheck, std::nullopt);
}

TEST(Decide, KeepsTheTimersOfARestrictedCheck) {
  auto check = a_check();
  check.spec.remediation.trigger_if = at_most(IntOrString(0));

  const auto plan = decide(*Seen(check).sick("b").without_node(a_worker("c").created(at(-590))));

  EXPECT_FALSE(plan.remediate);
  EXPECT_TRUE(plan.recheck);
}

TEST(Decide, JudgesNobodyWhileNodesCanNotBeSeen) {
  auto seen = Seen().sick("a");
  seen.with([](Observation& world) { world.connected = false; });

  const auto plan = decide(*seen);

  EXPECT_FALSE(plan.judged);
  EXPECT_FALSE(plan.remediate);
}

TEST(Decide, HandsNobodyOverWhileTheCachesAreBehind) {
  auto seen = Seen().sick("a");
  seen.with([](Observation& world) { world.fresh = false; });

  EXPECT_FALSE(decide(*seen).remediate);
  EXPECT_TRUE(decide(*seen).recheck);
}

TEST(Decide, ACheckBelongsToItsCluster) {
  const auto fresh = Seen();
  auto owned = a_check();
  owned.metadata = owned_metadata(owned, a_running_cluster());

  EXPECT_EQ(decide(*fresh).actions.size(), 1U);
  EXPECT_TRUE(decide(*Seen(owned)).actions.empty());
  EXPECT_EQ(owned.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
  ASSERT_EQ(owned.metadata.owner_references->size(), 1U);
  EXPECT_FALSE(owned.metadata.owner_references->front().controller);
}

TEST(Report, OfAPausedCheckSaysNothingElse) {
  const auto after = reported(*Seen().cluster(a_running_cluster().held()));

  EXPECT_EQ(shown(after, "Paused"), "True Paused: Cluster spec.paused is set to true");
  EXPECT_EQ(after.status.conditions.size(), 1U);
  EXPECT_FALSE(after.status.expected_machines);
}

TEST(Report, CountsTargets) {
  auto check = a_check();
  check.metadata.generation = 4;
  const auto after = reported(*Seen(check).healthy("a").sick("b"));

  EXPECT_EQ(after.status.expected_machines, 2);
  EXPECT_EQ(after.status.current_healthy, 1);
  EXPECT_EQ(after.status.remediations_allowed, 1);
  EXPECT_THAT(after.status.targets, ElementsAre(Text("a"), Text("b")));
  EXPECT_EQ(after.status.observed_generation, 4);
  EXPECT_EQ(shown(after, "RemediationAllowed"), "True RemediationAllowed");
  EXPECT_EQ(old(after, "RemediationAllowed"), "True");
}

TEST(Report, ChangesNothingTheSecondTime) {
  const auto once = reported(*Seen().healthy("a").sick("b"));

  EXPECT_EQ(reported(*Seen(once).healthy("a").sick("b")), once);
}

TEST(Report, SaysThatTooManyAreUnhealthy) {
  auto check = a_check();
  check.spec.remediation.trigger_if = at_most(IntOrString(0));
  const auto seen = Seen(check).healthy("a").sick("b");

  const auto after = reported(*seen);

  const std::string message =
      "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy "
      "(total: 2, unhealthy: 1, maxUnhealthy: 0)";
  EXPECT_EQ(shown(after, "RemediationAllowed"), "False TooManyUnhealthy: " + message);
  EXPECT_EQ(old(after, "RemediationAllowed"), "False TooManyUnhealthy/Warning: " + message);
  EXPECT_THAT(news(decide(*seen), check, after),
              ElementsAre(Note{.code = api::NoteCode::RemediationRestricted, .text = message}));
  EXPECT_THAT(news(decide(*seen), after, after), IsEmpty());
}

TEST(Report, MachinesThatMerelyStartAreNoNews) {
  auto check = a_check();
  check.spec.remediation.trigger_if = at_most(IntOrString(0));
  const auto seen = Seen(check).without_node(a_worker("b").created(at(-10)));

  const auto after = reported(*seen);

  EXPECT_THAT(shown(after, "RemediationAllowed"), HasSubstr("False TooManyUnhealthy"));
  EXPECT_THAT(news(decide(*seen), check, after), IsEmpty());
}

TEST(Report, SaysWhichLimitMakesNoSense) {
  auto check = a_check();
  check.spec.remediation.trigger_if = in_range("[5-2]");
  check.metadata.generation = 4;

  const auto after = reported(*Seen(check).healthy("a"));

  EXPECT_THAT(shown(after, "RemediationAllowed"), HasSubstr("Unknown InternalError: spec.remediation"));
  EXPECT_EQ(after.status.expected_machines, 1);
  EXPECT_EQ(after.status.observed_generation, 0);
}

TEST(Report, SaysThatASelectorMatchesNobodyOrMoreThanItsOwn) {
  auto overlapping = Seen().healthy("a");
  overlapping.with([](Observation& world) { world.overlapping = {"other"}; });
  auto empty = Seen();
  empty.with([](Observation& world) { world.selector_problem = "spec.selector: must not be empty"; });

  EXPECT_THAT(shown(reported(*Seen()), "RemediationAllowed"),
              HasSubstr("spec.selector matches no Machine of Cluster c1"));
  EXPECT_THAT(shown(reported(*overlapping), "RemediationAllowed"), HasSubstr("MachineHealthCheck other"));
  EXPECT_THAT(shown(reported(*empty), "RemediationAllowed"), HasSubstr("spec.selector: must not be empty"));
}

std::vector<Note> first_news(const Observation& seen, const Effects& effects = {}) {
  return news(decide(seen), *seen.check, reported(seen, effects));
}

TEST(Report, ACheckThatSelectsNothingIsAnEventOnceTheClusterHasMachines) {
  Seen past;
  past.with([](Observation& world) { world.others = true; });

  EXPECT_THAT(first_news(*past),
              ElementsAre(Note{.code = api::NoteCode::CheckMisconfigured,
                               .text = "spec.selector matches no Machine of Cluster c1; compare it with "
                                       "the labels of the Machines it is meant for"}));
  EXPECT_THAT(first_news(*Seen()), IsEmpty());
}

TEST(Report, AnOverlapIsAnEventOnce) {
  auto seen = Seen().healthy("a").with([](Observation& world) { world.overlapping = {"other"}; });
  const auto after = reported(*seen);

  EXPECT_THAT(first_news(*seen), testing::SizeIs(1));
  EXPECT_THAT(news(decide(*seen), after, after), IsEmpty());
  EXPECT_THAT(first_news(*Seen().healthy("a")), IsEmpty());
}

TEST(Report, AMissingTemplateIsToldWithItsRemedy) {
  const auto seen = Seen().sick("a");
  const Effects missing{.template_found = false,
                        .template_problem = "Error retrieving remediation template T default/t"};

  EXPECT_EQ(shown(reported(*seen, missing), "RemediationAllowed"),
            "True RemediationAllowed: Error retrieving remediation template T default/t; make it, or leave "
            "spec.remediation.templateRef out to have Machines replaced by their owners");
  EXPECT_THAT(first_news(*seen, missing), testing::SizeIs(1));
  EXPECT_EQ(shown(reported(*seen, {.template_found = true}), "RemediationAllowed"),
            "True RemediationAllowed");
}

TEST(Report, TellsAMissingTemplateAndTakesItBack) {
  const auto missing =
      reported(*Seen().sick("a"), {.template_found = false, .template_problem = "no such template"});
  const auto found = reported(*Seen(missing).sick("a"), {.template_found = true, .request_made = true});

  EXPECT_EQ(old(missing, "ExternalRemediationTemplateAvailable"),
            "False ExternalRemediationTemplateNotFound/Error: no such template");
  EXPECT_EQ(old(found, "ExternalRemediationTemplateAvailable"), "True");
  EXPECT_EQ(old(found, "ExternalRemediationRequestAvailable"), "absent");
}

Verdict sick_verdict() {
  return {.health = Health::Unhealthy,
          .reason = "UnhealthyNode",
          .message = "Health check failed:\n  * x",
          .old_reason = "UnhealthyNode",
          .old_message = "x"};
}

TEST(Marks, TellBothGenerations) {
  api::Machine sick = a_worker();
  mark_health(sick_verdict(), sick, noon());
  api::Machine well = sick;
  mark_health({.health = Health::Healthy}, well, noon());

  EXPECT_EQ(shown(sick, "HealthCheckSucceeded"), "False UnhealthyNode: Health check failed:\n  * x");
  EXPECT_EQ(old(sick, "HealthCheckSucceeded"), "False UnhealthyNode/Warning: x");
  EXPECT_EQ(shown(well, "HealthCheckSucceeded"), "True HealthCheckSucceeded");
  EXPECT_EQ(old(well, "HealthCheckSucceeded"), "True");
}

TEST(Marks, AreKnownToBeThereInBothGenerations) {
  api::Machine machine = a_worker().generation(3);
  EXPECT_FALSE(is_marked_healthy(machine));
  mark_health({.health = Health::Healthy}, machine, noon());
  EXPECT_TRUE(is_marked_healthy(machine));

  auto newer = machine;
  newer.metadata.generation = 4;
  auto half = machine;
  half.status.deprecated = {};
  auto sick = machine;
  mark_health(sick_verdict(), sick, noon());

  EXPECT_FALSE(is_marked_healthy(newer));
  EXPECT_FALSE(is_marked_healthy(half));
  EXPECT_FALSE(is_marked_healthy(sick));
}

TEST(Marks, LeaveThePendingAsTheyAre) {
  api::Machine machine = a_worker().unhealthy();
  const api::Machine before = machine;

  mark_health({.health = Health::Pending}, machine, noon());
  mark_health({.health = Health::Undecided}, machine, noon());

  EXPECT_EQ(machine, before);
}

TEST(Marks, HandAMachineToItsOwnerOnce) {
  api::Machine fresh = a_worker();
  mark_for_owner(fresh, noon());
  api::Machine at_work = fresh;
  api::Condition begun = at_work.status.conditions[0];
  begun.reason = "RemediationInProgress"_text;
  at_work.status.conditions = {begun};
  const api::Machine before = at_work;
  mark_for_owner(at_work, noon());
  api::Machine healed = a_worker().condition("OwnerRemediated", "True");
  mark_for_owner(healed, noon());
  api::Machine leaving = a_worker().deleting();
  mark_for_owner(leaving, noon());

  EXPECT_EQ(shown(fresh, "OwnerRemediated"), "False WaitingForRemediation: Waiting for remediation");
  EXPECT_EQ(old(fresh, "OwnerRemediated"), "False WaitingForRemediation/Warning");
  EXPECT_EQ(at_work, before);
  EXPECT_EQ(shown(healed, "OwnerRemediated").substr(0, 5), "False");
  EXPECT_EQ(shown(leaving, "OwnerRemediated"), "absent");
}

TEST(Marks, TellHowAnExternalRemediationGoes) {
  api::Machine machine = a_worker();

  mark_external(External::NoTemplate, "gone", machine, noon());
  EXPECT_EQ(shown(machine, "ExternallyRemediated"), "False RemediationTemplateNotFound: gone");
  mark_external(External::CreationFailed, kSeeLogs, machine, noon());
  EXPECT_EQ(shown(machine, "ExternallyRemediated"),
            "False RemediationRequestCreationFailed: Please check controller logs for errors");
  mark_external(External::Waiting, {}, machine, noon());
  EXPECT_EQ(shown(machine, "ExternallyRemediated"), "False WaitingForRemediation");
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
