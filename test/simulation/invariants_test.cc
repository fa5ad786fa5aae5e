#include "test/simulation/invariants.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace capstan::simulation {
namespace {

using testing::HasSubstr;
using testing::Optional;

SteadyTime at(int seconds) { return SteadyTime(std::chrono::seconds(seconds)); }

// Scaled from 3 to 1 at version 20, then deleted.
const Wants kWants = {{.version = 10, .since = at(1), .desired = 3, .most = 4, .promise = 3},
                      {.version = 20, .since = at(2), .desired = 1, .most = 2, .promise = 1},
                      {.version = 30, .since = at(3), .desired = 1, .most = 2, .going = true}};

TEST(InForceSince, BeginsWithWhatWasSeenAndGoesOnToNow) {
  EXPECT_EQ(in_force_since(kWants, std::uint64_t{10}).size(), 3U);
  EXPECT_EQ(in_force_since(kWants, std::uint64_t{19}).size(), 3U) << "what it saw was written in version 10";
  EXPECT_EQ(in_force_since(kWants, std::uint64_t{20}).size(), 2U);
  EXPECT_EQ(in_force_since(kWants, std::uint64_t{99}).size(), 1U);
  EXPECT_EQ(in_force_since(kWants, std::uint64_t{0}).size(), 3U) << "it saw nothing we know of";
}

TEST(InForceSince, GoesByTimeAsWell) {
  EXPECT_EQ(in_force_since(kWants, at(2)).size(), 2U);
  EXPECT_EQ(in_force_since(kWants, at(0)).size(), 3U);
}

TEST(TooManyMachines, CountsAgainstTheMostThatWasWantedSince) {
  const auto since_scaled = in_force_since(kWants, std::uint64_t{20});

  EXPECT_EQ(too_many_machines("md", kWants, 4), std::nullopt);
  EXPECT_THAT(too_many_machines("md", kWants, 5), Optional(HasSubstr("4 were wanted at most")));
  EXPECT_THAT(too_many_machines("md", since_scaled, 3), Optional(HasSubstr("2 were wanted at most")));
}

TEST(MadeForAnOwnerThatGoes, BlamesOnlyWhoKnew) {
  EXPECT_EQ(made_for_an_owner_that_goes("ms", in_force_since(kWants, std::uint64_t{20})), std::nullopt);
  EXPECT_NE(made_for_an_owner_that_goes("ms", in_force_since(kWants, std::uint64_t{30})), std::nullopt);
}

TEST(BelowThePromise, CountsTheLeastThatWasPromisedSinceAndWhatWasLostOtherwise) {
  const auto first = std::span(kWants).first(1);

  EXPECT_EQ(below_the_promise("md", first, 3, 0), std::nullopt);
  EXPECT_THAT(below_the_promise("md", first, 2, 0), Optional(HasSubstr("3 were promised")));
  EXPECT_EQ(below_the_promise("md", first, 2, 1), std::nullopt) << "one was lost, nobody could help it";
  EXPECT_EQ(below_the_promise("md", std::span(kWants).first(2), 1, 0), std::nullopt) << "scaled down";
}

TEST(RemovedAgainstItsOwner, TakesNoDeletionThatWasToLeaveItForAReason) {
  const MachineFacts machine{.name = "m"};

  EXPECT_EQ(removed_against_its_owner({.machine = &machine, .in_force = kWants, .staying = 1}), std::nullopt);
  EXPECT_NE(
      removed_against_its_owner({.machine = &machine, .in_force = kWants, .staying = 1, .orphaned = true}),
      std::nullopt);
}

TEST(RemovedAgainstItsOwner, NeedsAReason) {
  const MachineFacts machine{.name = "m"};
  const MachineFacts sick{.name = "m", .to_remediate = true};
  const auto wants_three = std::span(kWants).first(1);

  EXPECT_NE(removed_against_its_owner({.machine = &machine, .in_force = wants_three, .staying = 3}),
            std::nullopt);
  EXPECT_EQ(removed_against_its_owner({.machine = &machine, .in_force = wants_three, .staying = 4}),
            std::nullopt)
      << "one too many";
  EXPECT_EQ(removed_against_its_owner({.machine = &machine, .in_force = kWants, .staying = 1}), std::nullopt)
      << "its owner goes";
  EXPECT_EQ(removed_against_its_owner({.machine = &sick, .in_force = wants_three, .staying = 3}),
            std::nullopt);
  EXPECT_NE(removed_against_its_owner({.machine = &machine}), std::nullopt) << "nobody owns it";
  EXPECT_EQ(removed_against_its_owner({.machine = &machine, .cluster_going = true}), std::nullopt);
}

TEST(SetRemovedAgainstItsOwner, GoesEmptyOrWithItsOwner) {
  const SetFacts wanted{.name = "ms", .replicas = 1};
  const SetFacts empty{.name = "ms"};

  EXPECT_NE(set_removed_against_its_owner({.set = &wanted}), std::nullopt);
  EXPECT_NE(set_removed_against_its_owner({.set = &empty, .owned = 1}), std::nullopt);
  EXPECT_EQ(set_removed_against_its_owner({.set = &empty}), std::nullopt);
  EXPECT_EQ(set_removed_against_its_owner({.set = &wanted, .owned = 1, .owner_went = true}), std::nullopt);
}

TEST(ChangedByAnother, TellsNamesakesByUid) {
  EXPECT_EQ(changed_by_another({.name = "ms", .deployment = "u1"}, "u1"), std::nullopt);
  EXPECT_EQ(changed_by_another({.name = "ms"}, "u1"), std::nullopt) << "nobody's: it may be adopted";
  EXPECT_NE(changed_by_another({.name = "ms", .deployment = "u1"}, "u2"), std::nullopt);
}

TEST(ObjectOfALivingMachine, IsNotToBeCleanedUp) {
  FleetFacts facts;
  facts.machines = {{.name = "m", .bootstrap = "b", .infrastructure = "i", .node = "n"}};

  EXPECT_NE(object_of_a_living_machine("CloudConfig", "b", facts), std::nullopt);
  EXPECT_NE(object_of_a_living_machine("DriverMachine", "i", facts), std::nullopt);
  EXPECT_NE(node_of_a_living_machine("n", facts), std::nullopt);
  EXPECT_EQ(object_of_a_living_machine("DriverMachine", "other", facts), std::nullopt);
  facts.machines.front().going = true;
  EXPECT_EQ(object_of_a_living_machine("DriverMachine", "i", facts), std::nullopt);
  EXPECT_EQ(node_of_a_living_machine("n", facts), std::nullopt);
}

TEST(ObjectOfALivingMachine, IsNotThatOfACopyWhichOnlyNamesIt) {
  FleetFacts facts;
  facts.machines = {{.name = "m", .going = true, .bootstrap = "b", .infrastructure = "i", .node = "n"},
                    {.name = "copy-1", .bootstrap = "copy-1", .infrastructure = "i", .node = "n"}};

  EXPECT_EQ(object_of_a_living_machine("DriverMachine", "i", facts), std::nullopt);
  EXPECT_EQ(node_of_a_living_machine("n", facts), std::nullopt);
  EXPECT_NE(object_of_a_living_machine("CloudConfig", "copy-1", facts), std::nullopt) << "its own one";
}

TEST(EvictedFromALivingMachine, NeedsThatItsMachineGoes) {
  FleetFacts facts;
  facts.machines = {{.name = "m", .node = "n"}, {.name = "copy-1", .going = true, .node = "n"}};

  EXPECT_THAT(evicted_from_a_living_machine("p", "n", facts), Optional(HasSubstr("Machine m")));
  facts.machines.front().going = true;
  EXPECT_EQ(evicted_from_a_living_machine("p", "n", facts), std::nullopt);
}

TEST(WrittenTooOften, BeginsWithTheSeventhTimeInAMinute) {
  EXPECT_EQ(written_too_often("Machine m", 6), std::nullopt);
  EXPECT_THAT(written_too_often("Machine m", 7), Optional(HasSubstr("7 times")));
}

TEST(MadeAgain, IsWhatHasServedItsMachine) {
  FleetFacts facts;
  facts.machines = {{.name = "m", .infrastructure = "i"}};

  EXPECT_EQ(made_again("i", facts), std::nullopt);
  facts.machines.front().provider_id = "sim://i";
  EXPECT_THAT(made_again("i", facts), Optional(HasSubstr("Machine m")));
  EXPECT_EQ(made_again("other", facts), std::nullopt);
}

TEST(TwoVms, AreFoundByNameAndByKey) {
  const auto found = [](const std::vector<VmFacts>& vms) { return two_vms(vms); };

  EXPECT_EQ(found({{.name = "a", .instance_key = "1"}, {.name = "b", .instance_key = "2"}}), std::nullopt);
  EXPECT_THAT(found({{.name = "a", .instance_key = "1"}, {.name = "a", .instance_key = "2"}}),
              Optional(HasSubstr("DriverMachine a")));
  EXPECT_THAT(found({{.name = "a", .instance_key = "1"}, {.name = "b", .instance_key = "1"}}),
              Optional(HasSubstr("instance key 1")));
}

TEST(TooManyRemediations, AreMoreAtOnceThanTheDeploymentAllows) {
  EXPECT_FALSE(too_many_remediations("s", 1, 1));
  EXPECT_FALSE(too_many_remediations("s", 5, std::nullopt));
  EXPECT_EQ(too_many_remediations("s", 2, 1), "MachineSet s has 2 remediations in flight, 1 are allowed");
}

TEST(TooManyReplacements, AreMoreAtOnceThanThePolicyAllows) {
  EXPECT_FALSE(too_many_replacements("md", 1, 1));
  EXPECT_EQ(too_many_replacements("md", 2, 1),
            "2 Machines of MachineDeployment md are being replaced, 1 are allowed");
}

TEST(TooManyFromBoth, AreMoreAtOnceThanThePolicyAllowsWhoeverFoundThem) {
  EXPECT_FALSE(too_many_from_both("md", 1, 1));
  EXPECT_EQ(too_many_from_both("md", 2, 1),
            "a policy and a health check replace 2 Machines of MachineDeployment md at once, 1 are allowed");
}

TEST(ReplacedAlthoughPreserved, IsAMachineWhoseTimeIsNotOver) {
  const Time now = Time::from_unix(1000);
  EXPECT_FALSE(replaced_although_preserved("m", std::nullopt, now));
  EXPECT_FALSE(replaced_although_preserved("m", now, now));
  EXPECT_TRUE(replaced_although_preserved("m", now + Seconds(1), now));
}

TEST(RemovedAlthoughPreserved, IsAMachineWhereFewerWereNotWanted) {
  EXPECT_FALSE(removed_although_preserved({.machine = "m", .set_wants_least = 1, .preserved = 2}));
  EXPECT_TRUE(removed_although_preserved({.machine = "m", .set_wants_least = 2, .preserved = 2}));
}

TEST(RemediatedForASharedCause, IsWhoIsReplacedWithinACrowd) {
  EXPECT_TRUE(remediated_for_a_shared_cause("m", {.struck = 3, .targets = 3}));
  EXPECT_TRUE(remediated_for_a_shared_cause("m", {.struck = 3, .targets = 4}));
  EXPECT_FALSE(remediated_for_a_shared_cause("m", {.struck = 2, .targets = 2})) << "no crowd";
  EXPECT_FALSE(remediated_for_a_shared_cause("m", {.struck = 3, .targets = 5})) << "too small a share";
}

TEST(RemediatedOutOfReach, IsWhoIsReplacedUnseen) {
  EXPECT_FALSE(remediated_out_of_reach("m", Nanoseconds(0)));
  EXPECT_FALSE(remediated_out_of_reach("m", std::chrono::seconds(100))) << "that may have been known before";
  EXPECT_FALSE(remediated_out_of_reach("m", std::chrono::seconds(149)))
      << "it may have been noticed just now";
  EXPECT_EQ(remediated_out_of_reach("m", std::chrono::minutes(5)),
            "Machine m is to be remediated, and nobody has seen its Node for 300 s");
}

TEST(BudgetBreached, IsByAPodTooMany) {
  EXPECT_FALSE(budget_breached("p", 2, 2));
  EXPECT_EQ(budget_breached("p", 1, 2), "Pod p was sent away, 1 are left and its budget wants 2");
}

TEST(NotDrained, IsAMachineThatTakesItsPodsAlong) {
  EXPECT_FALSE(not_drained("m", 0));
  EXPECT_EQ(not_drained("m", 1), "the VM of Machine m was removed while 1 Pods were well on its Node");
}

TEST(RolledBackOtherwise, IsATemplateThatWasNeitherAskedForNorThere) {
  EXPECT_FALSE(rolled_back_otherwise("2", "v1.35.0", "v1.34.0", "v1.34.0"));
  EXPECT_FALSE(rolled_back_otherwise("2", "v1.35.0", "v1.34.0", "v1.35.0"));
  EXPECT_EQ(rolled_back_otherwise("2", "v1.35.0", "v1.34.0", "v1.33.0"),
            "a rollback to revision 2, which had v1.34.0, ended with v1.33.0");
}

TEST(NotDrainedByItsPool, IsANodeThatTakesItsPodsAlongBeforeTheTimeout) {
  EXPECT_FALSE(not_drained_by_its_pool("n", 0, false));
  EXPECT_FALSE(not_drained_by_its_pool("n", 2, true));
  EXPECT_EQ(not_drained_by_its_pool("n", 2, false),
            "2 Pods were well on Node n, which its pool gave up before its time");
}

TEST(NodeOfARunningVm, StaysUnlessItsOwnerGoes) {
  EXPECT_FALSE(node_of_a_running_vm("n", false, false));
  EXPECT_FALSE(node_of_a_running_vm("n", true, true));
  EXPECT_EQ(node_of_a_running_vm("n", true, false), "Node n was deleted while its VM runs");
}

// --- brakes ---

TEST(ActedWhileFrozen, LeavesTimeForWhatWasOnItsWay) {
  EXPECT_EQ(acted_while_frozen("Machine m was deleted", std::nullopt), std::nullopt);
  EXPECT_EQ(acted_while_frozen("Machine m was deleted", Seconds(39)), std::nullopt);
  EXPECT_THAT(acted_while_frozen("Machine m was deleted", Seconds(40)),
              Optional(HasSubstr("while it was frozen, for 40 s")));
}

TEST(AboveItsCeiling, IsAMachineMoreThanTheMost) {
  EXPECT_EQ(above_its_ceiling("m", 5, 5), std::nullopt);
  EXPECT_EQ(above_its_ceiling("m", 6, 5),
            "Machine m was made as one of 6, released ones included, above its ceiling of 5");
}

TEST(ActedWhileAway, LeavesTimeUntilItIsKnown) {
  EXPECT_EQ(acted_while_away("Machine m was made", std::nullopt), std::nullopt);
  EXPECT_EQ(acted_while_away("Machine m was made", Seconds(119)), std::nullopt);
  EXPECT_THAT(acted_while_away("Machine m was made", Seconds(120)), Optional(HasSubstr("was away")));
}

TEST(OutsideItsWindow, LeavesTimeForWhatHadBegun) {
  EXPECT_EQ(outside_its_window("Machine m was deleted", std::nullopt), std::nullopt) << "it is open";
  EXPECT_EQ(outside_its_window("Machine m was deleted", Seconds(59)), std::nullopt);
  EXPECT_THAT(outside_its_window("Machine m was deleted", Seconds(60)),
              Optional(HasSubstr("60 s after its window")));
}

TEST(TooManyDeletions, CountsTheOneJustBegun) {
  EXPECT_EQ(too_many_deletions(2, 2, Seconds(120)), std::nullopt);
  EXPECT_THAT(too_many_deletions(3, 2, Seconds(120)), Optional(HasSubstr("the FleetPolicy allows 2")));
}

TEST(TooManyByOneDecision, IsMoreThanHalfOfThemAndOneIsNever) {
  EXPECT_EQ(too_many_by_one_decision("s", 2, 4), std::nullopt);
  EXPECT_EQ(too_many_by_one_decision("s", 1, 1), std::nullopt);
  EXPECT_THAT(too_many_by_one_decision("s", 2, 3), Optional(HasSubstr("gives up 2 of 3 Machines")));
}

TEST(VmOfALivingMachine, IsNeverRemovedAndThatOfOneThatGoesIs) {
  FleetFacts facts;
  facts.machines = {{.name = "m", .infrastructure = "m"}};

  EXPECT_THAT(vm_of_a_living_machine("m", facts), Optional(HasSubstr("of the living Machine m")));
  EXPECT_EQ(vm_of_a_living_machine("other", facts), std::nullopt);
  facts.machines[0].going = true;
  EXPECT_EQ(vm_of_a_living_machine("m", facts), std::nullopt);
}

}  // namespace
}  // namespace capstan::simulation
