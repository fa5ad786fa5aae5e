#include "controllers/machinehealthcheck/decide.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinehealthcheck/seen_fixture.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using State = RequestSeen::State;

// "HealthCheckSucceeded absent -> True HealthCheckSucceeded", of what differs in the newer form.
std::string changes(const Marks& from, const Marks& to) {
  const auto text = [](const std::optional<api::Condition>& condition) {
    return condition ? fmt::format("{} {}", condition->status.view(), condition->reason.view()) : "absent";
  };
  std::string lines;
  for (const auto& [type, was, is] :
       {std::tuple("health", &from.health, &to.health), std::tuple("owner", &from.owner, &to.owner),
        std::tuple("external", &from.external, &to.external)}) {
    if (*was != *is) lines += fmt::format(" {}: {} -> {}", type, text(*was), text(*is));
  }
  return lines;
}

std::string written(const OwnCheck&) { return "own"; }
std::string written(const MarkMachine& action) {
  return fmt::format("mark {}{}{}", action.machine->metadata.name.view(), changes(action.from, action.to),
                     action.handed_over ? ", handed over" : "");
}
std::string written(const RequestRemediation& action) {
  return fmt::format("request {}{}", action.machine->metadata.name.view(), changes(action.from, action.to));
}
std::string written(const WithdrawRequest& action) {
  return fmt::format("withdraw {}{}", action.machine->metadata.name.view(), changes(action.from, action.to));
}

// The actions of a turn of a check that has its owner.
std::vector<std::string> actions(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Action& action : plan.actions)
    lines.push_back(std::visit([](const auto& each) { return written(each); }, action));
  return lines;
}

api::MachineHealthCheck an_owned_check() {
  auto check = a_check();
  check.metadata = owned_metadata(check, a_running_cluster());
  return check;
}

// Hands its Machines to the provider of BoxRemediations.
api::MachineHealthCheck a_requesting_check() {
  auto check = an_owned_check();
  check.spec.remediation.template_ref =
      api::RemediationTemplateRef{.api_version = "infrastructure.cluster.x-k8s.io/v1beta2"_text,
                                  .kind = "BoxRemediationTemplate"_text,
                                  .name = "t"_text};
  return check;
}

// What the check made for that Machine.
api::ObjectMeta its_request(const api::Machine& machine) {
  api::ObjectMeta request;
  request.name = machine.metadata.name;
  request.annotations.set(api::annotation::kClonedFromName, "t");
  request.annotations.set(api::annotation::kClonedFromGroupKind,
                          "BoxRemediationTemplate.infrastructure.cluster.x-k8s.io");
  request.owner_references =
      api::OwnerReferences(std::vector<api::OwnerReference>{{.api_version = Text(api::kApiVersion),
                                                             .kind = Text(api::kind::kMachine),
                                                             .name = machine.metadata.name,
                                                             .uid = machine.metadata.uid}});
  return request;
}

Seen& with_request(Seen& seen, State state, const api::ObjectMeta& request = {}) {
  return seen.with(
      [&](Observation& world) { world.targets.back().request = {.state = state, .metadata = request}; });
}

builders::MachineBuilder a_marked_worker(std::string_view name = "a") {
  auto machine = a_worker(name);
  machine.on_node(name).condition(api::condition::kHealthCheckSucceeded, "False", "NodeDeleted");
  return machine;
}

TEST(Actions, TheCheckGetsItsLabelAndItsOwner) {
  const auto plan = decide(*Seen());

  ASSERT_THAT(actions(plan), ElementsAre("own"));
  const auto& own = std::get<OwnCheck>(plan.actions.front());
  EXPECT_THAT(*own.from.owner_references, IsEmpty());
  EXPECT_THAT(*own.to.owner_references, SizeIs(1));
}

TEST(Actions, AnUnhealthyMachineIsMarkedAndHandedToItsOwnerBeforeAHealthyOneIsMarked) {
  const auto plan = decide(*Seen(an_owned_check()).healthy("a").sick("b"));

  EXPECT_THAT(actions(plan), ElementsAre("mark b health: absent -> False NodeDeleted owner: absent -> False "
                                         "WaitingForRemediation, handed over",
                                         "mark a health: absent -> True HealthCheckSucceeded"));
}

TEST(Actions, AMachineThatIsAsMarkedGetsNone) {
  const auto first = decide(*Seen(an_owned_check()).healthy("a").sick("b"));
  const auto& sick = std::get<MarkMachine>(first.actions.front());
  const auto& well = std::get<MarkMachine>(first.actions.back());

  auto again = Seen(an_owned_check());
  again.on_node(with_marks(*well.machine, well.to), builders::a_node("a"));
  again.without_node(with_marks(*sick.machine, sick.to), Target::NodeState::Missing);

  EXPECT_THAT(actions(decide(*again)), IsEmpty());
}

TEST(Actions, TheMarksOfAMachineAreReadAsTheyWereWritten) {
  const auto plan = decide(*Seen(an_owned_check()).sick("b"));

  const auto& mark = std::get<MarkMachine>(plan.actions.front());

  EXPECT_EQ(marks_of(with_marks(*mark.machine, mark.to)), mark.to);
  EXPECT_EQ(with_marks(with_marks(*mark.machine, mark.to), mark.from).status.conditions,
            mark.machine->status.conditions);
}

TEST(Actions, AnExemptedMachineIsTakenBackFromItsOwner) {
  auto seen = Seen(an_owned_check());
  seen.with([](Observation& world) {
    world.exempted = {
        a_worker("a").condition(api::condition::kOwnerRemediated, "False", "WaitingForRemediation").shared()};
  });

  EXPECT_THAT(actions(decide(*seen)), ElementsAre("mark a owner: False WaitingForRemediation -> absent"));
}

TEST(Actions, OfAHundredAndOneHealthyMachinesOneWaitsForTheNextTurn) {
  auto seen = Seen(an_owned_check());
  for (int i = 0; i <= 100; ++i) seen.healthy(fmt::format("m{:03}", i));
  seen.sick("z");

  const auto plan = decide(*seen);

  EXPECT_THAT(plan.actions, SizeIs(101));
  EXPECT_THAT(plan.waiting, ElementsAre("m100"));
}

TEST(Actions, AMachineWhoseMarkFailedIsMarkedAfterTheOthers) {
  auto seen = Seen(an_owned_check());
  for (int i = 0; i <= 100; ++i) seen.healthy(fmt::format("m{:03}", i));
  seen.with([](Observation& world) { world.targets.front().unmarked = true; });

  EXPECT_THAT(decide(*seen).waiting, ElementsAre("m000"));
}

TEST(Actions, ARequestIsMadeForAnUnhealthyMachineWithoutOne) {
  for (const State state : {State::Absent, State::Unwatched}) {
    auto seen = Seen(a_requesting_check()).sick("a");
    with_request(seen, state);

    EXPECT_THAT(actions(decide(*seen)), ElementsAre("request a health: absent -> False NodeDeleted"));
  }
}

TEST(Actions, NoRequestIsMadeWhileRequestsAreNotListed) {
  auto seen = Seen(a_requesting_check()).sick("a");
  with_request(seen, State::Unlisted);

  const auto plan = decide(*seen);

  EXPECT_THAT(actions(plan), ElementsAre("mark a health: absent -> False NodeDeleted, handed over"));
  EXPECT_EQ(plan.recheck, Seconds(1));
}

TEST(Actions, ARequestThatIsThereIsShownOnItsMachine) {
  auto seen = Seen(a_requesting_check()).sick("a");
  with_request(seen, State::Present, its_request(*(*seen).targets.front().machine));

  EXPECT_THAT(actions(decide(*seen)),
              ElementsAre("mark a health: absent -> False NodeDeleted external: absent "
                          "-> False WaitingForRemediation, handed over"));
}

TEST(Actions, ARequestOfAnEarlierMachineIsWaitedFor) {
  auto seen = Seen(a_requesting_check()).sick("a");
  auto earlier = a_worker("a").build();
  earlier.metadata.uid = builders::uid_of("Machine", "earlier");
  with_request(seen, State::Present, its_request(earlier));

  const auto plan = decide(*seen);

  EXPECT_THAT(actions(plan), ElementsAre("mark a health: absent -> False NodeDeleted, handed over"));
  EXPECT_EQ(plan.recheck, Seconds(30));
}

TEST(Actions, TheRequestOfAMachineThatIsWellIsWithdrawn) {
  auto watched = Seen(a_requesting_check()).on_node(a_marked_worker(), builders::a_node("a"));
  with_request(watched, State::Present, its_request(*(*watched).targets.front().machine));
  auto unwatched = Seen(a_requesting_check()).on_node(a_marked_worker(), builders::a_node("a"));
  with_request(unwatched, State::Unwatched);

  const auto expected = ElementsAre("withdraw a health: False NodeDeleted -> True HealthCheckSucceeded");
  EXPECT_THAT(actions(decide(*watched)), expected);
  EXPECT_THAT(actions(decide(*unwatched)), expected);
}

TEST(Actions, AnObjectThatTheCheckDidNotMakeIsNotWithdrawn) {
  auto seen = Seen(a_requesting_check()).on_node(a_marked_worker(), builders::a_node("a"));
  auto other = its_request(*(*seen).targets.front().machine);
  other.annotations.set(api::annotation::kClonedFromName, "another");
  with_request(seen, State::Present, other);

  EXPECT_THAT(actions(decide(*seen)),
              ElementsAre("mark a health: False NodeDeleted -> True HealthCheckSucceeded"));
}

TEST(Actions, AMachineKeepsItsMarkWhileItsRequestIsNotKnown) {
  auto unlisted = Seen(a_requesting_check()).on_node(a_marked_worker(), builders::a_node("a"));
  with_request(unlisted, State::Unlisted);
  auto stale = Seen(a_requesting_check()).on_node(a_marked_worker(), builders::a_node("a"));
  with_request(stale, State::Absent).with([](Observation& world) { world.fresh = false; });

  EXPECT_THAT(actions(decide(*unlisted)), IsEmpty());
  EXPECT_THAT(actions(decide(*stale)), IsEmpty());
}

TEST(Actions, OfACheckWhoseLimitsMakeNoSenseMarkNoMachine) {
  auto check = an_owned_check();
  check.spec.remediation.trigger_if.unhealthy_in_range = "[5-2]"_text;

  EXPECT_THAT(actions(decide(*Seen(check).healthy("a").sick("b"))), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::machinehealthcheck
