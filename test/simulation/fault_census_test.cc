#include "test/simulation/fault_census.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <set>

#include "test/simulation/fleet_clumsy.h"
#include "test/simulation/known_writes.h"

namespace capstan::simulation {
namespace {

using fakes::Fault;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array kFaults = {Fault::CrashBefore, Fault::CrashAfter,  Fault::LostReply,
                                Fault::Late,        Fault::Timeout,     Fault::Conflict,
                                Fault::Unavailable, Fault::RateLimited, Fault::Slow};
constexpr std::array kOfStreams = {Fault::Stale, Fault::Cut, Fault::Expired};

// Everything that is demanded has happened once, as a first write.
FaultCensus complete() {
  FaultCensus census;
  for (const auto& [controller, write] : kKnownWrites) {
    for (const Fault fault : kFaults)
      census.count({.controller = std::string(controller), .from = "start", .to = std::string(write)}, fault);
  }
  for (const auto kind : kWatchedKinds) {
    for (const Fault fault : kOfStreams) census.count_stream(kind, fault);
  }
  return census;
}

TEST(FaultDue, OverARoundOfSeedsEverySortIsDueOnceInEveryGap) {
  for (const auto& [controller, write] : kKnownWrites) {
    const Gap gap{.controller = std::string(controller), .from = "start", .to = std::string(write)};
    std::multiset<Fault> due;
    for (std::uint64_t seed = 2 * kSeedsPerRound; seed < 3 * kSeedsPerRound; ++seed) {
      if (const Fault fault = fault_due(gap, seed); fault != Fault::None) due.insert(fault);
    }
    EXPECT_EQ(due, (std::multiset<Fault>(kFaults.begin(), kFaults.end())));
  }
}

TEST(FaultDue, WhatIsDueTogetherInOneRoundIsNotInEveryOther) {
  const Gap gap{.controller = "machinepool", .from = "remove CloudConfig", .to = "patch MachinePool/status"};
  const Gap before{
      .controller = "machinepool", .from = "remove DriverMachinePool", .to = "remove CloudConfig"};
  std::set<std::pair<Fault, Fault>> together;
  for (std::uint64_t seed = 0; seed < 20 * kSeedsPerRound; ++seed) {
    if (fault_due(gap, seed) == Fault::Slow) together.emplace(fault_due(gap, seed), fault_due(before, seed));
  }

  EXPECT_GT(together.size(), 1U);
}

TEST(FaultCensus, IsContentWhenEverySortHitEverything) { EXPECT_THAT(complete().lacks(1), IsEmpty()); }

TEST(FaultCensus, NamesTheGapThatSomeSortNeverHit) {
  const Gap gap{.controller = "machine", .from = "patch Node", .to = "remove Node"};
  FaultCensus census = complete();
  for (int seed = 0; seed < 5; ++seed) {
    FaultCensus one;
    for (const Fault fault : kFaults) one.count(gap, fault == Fault::Late ? Fault::None : fault);
    census.add(one);
  }

  EXPECT_THAT(census.lacks(5),
              testing::ElementsAre(
                  "machine: patch Node -> remove Node: never hit by late in 5 seeds that came to it"));
  EXPECT_THAT(census.lacks(6), IsEmpty()) << "too rare to be told from chance";
}

TEST(FaultCensus, NamesTheWriteThatNeverHappens) {
  EXPECT_THAT(FaultCensus().lacks(1), Contains("machine: never came to remove Node"));
  EXPECT_THAT(FaultCensus().lacks(1), Contains("a stream of Machine was never hit by expired"));
}

TEST(FaultCensus, NamesTheImpossibleThatHappened) {
  FaultCensus census = complete();
  census.count({.controller = "machinedeployment", .from = "start", .to = "remove Machine"}, Fault::None);

  EXPECT_THAT(census.lacks(100),
              testing::ElementsAre(
                  HasSubstr("machinedeployment: remove Machine happened, which is listed as impossible")));
}

TEST(Acts, LackWhatNeverHappened) {
  std::map<std::string, std::uint64_t> all;
  for (const std::string_view act : kKnownActs) all[std::string(act)] = 1;
  for (const ClumsyAct act : kClumsyActs) all[std::string(to_string(act))] = 1;
  EXPECT_THAT(acts_that_lack(all), IsEmpty());

  for (const std::string_view act : kKnownActs) {
    auto acts = all;
    acts.erase(std::string(act));
    EXPECT_THAT(acts_that_lack(acts), testing::ElementsAre("nobody ever came to: " + std::string(act)));
  }
}

// Pools of both styles, capacity lost, two who scale at once, Nodes before and after the list, an instance
// replaced under its name, a kubeconfig lost for an hour: no run of a thousand seeds may go without.
TEST(Acts, AreAskedForByName) {
  for (const std::string_view act :
       {"create pool", "create pool of Machines", "create draining pool", "lose VM", "fill cloud",
        "no room for a Machine's", "no room for a pool's", "both scale", "both scale pool",
        "Node before the list", "Node after the list", "instance replaced under its name",
        "lose kubeconfig for an hour"}) {
    EXPECT_THAT(kKnownActs, Contains(act));
  }
}

TEST(FaultCensus, IsTheSameInAnotherProcess) {
  const FaultCensus census = complete();

  EXPECT_EQ(FaultCensus::from_json(census.to_json()).table(0), census.table(0));
  EXPECT_THAT(census.table(0), Not(HasSubstr("rarer")));
}

}  // namespace
}  // namespace capstan::simulation
