#include "controllers/machineset/settled.h"

#include <gtest/gtest.h>

#include "api/names.h"
#include "runtime/store.h"
#include "test/builders/machine.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machineset {
namespace {

using api::MachineSet;
using builders::a_machine;
using builders::a_machine_set;

const api::Machine kMachine = a_machine("workers-1").version_number(7);

// A memory that has seen the Machine settled in a turn of `set`.
void settle(Settled& settled, const MachineSet& set) {
  auto known = settled.take(set, builders::noon());
  known.machines.emplace(kMachine.metadata.uid, kMachine.metadata.resource_version);
  settled.put(runtime::key_of(set), std::move(known));
}

bool still_known(Settled& settled, const MachineSet& set) {
  return settled.take(set, builders::noon()).has(kMachine);
}

MachineSet workers() { return a_machine_set("workers").replicas(3); }

TEST(Settled, AStepOfARolloutLeavesWhatIsKnown) {
  Settled settled;
  settle(settled, workers());
  MachineSet smaller = workers();
  smaller.spec.replicas = 2;
  smaller.metadata.generation += 1;

  EXPECT_TRUE(still_known(settled, smaller));
}

// Objects of a Machine change without it.
TEST(Settled, EveryoneIsLookedAtAgainAfterAMinute) {
  Settled settled;
  settle(settled, workers());

  EXPECT_TRUE(still_known(settled, workers()));
  settle(settled, workers());
  EXPECT_FALSE(settled.take(workers(), builders::noon() + Seconds(60)).has(kMachine));
}

TEST(Settled, AChangedMachineIsLookedAtAgain) {
  Settled settled;
  settle(settled, workers());

  EXPECT_FALSE(
      settled.take(workers(), builders::noon()).has(a_machine("workers-1").version_number(8).build()));
}

TEST(Settled, WhatMachinesInheritMakesEveryoneLookedAtAgain) {
  const auto changed = [](void (*change)(MachineSet&)) {
    MachineSet set = workers();
    change(set);
    return set;
  };
  for (const MachineSet& set : {changed([](MachineSet& each) {
                                  each.spec.machine_template.spec.deletion.node_drain_timeout_seconds = 9;
                                }),
                                changed([](MachineSet& each) {
                                  each.spec.machine_template.metadata.labels.set(Text("a"), Text("b"));
                                }),
                                changed([](MachineSet& each) { each.spec.cluster_name = Text("other"); }),
                                changed([](MachineSet& each) {
                                  each.metadata.labels.set(Text(api::label::kDeploymentName), Text("other"));
                                })}) {
    Settled settled;
    settle(settled, workers());
    EXPECT_FALSE(still_known(settled, set));
  }
}

TEST(Settled, ASetOfTheSameNameIsAnother) {
  Settled settled;
  settle(settled, workers());
  MachineSet other = workers();
  other.metadata.uid = builders::uid_of("MachineSet", "another");

  EXPECT_FALSE(still_known(settled, other));
}

}  // namespace
}  // namespace capstan::controllers::machineset
