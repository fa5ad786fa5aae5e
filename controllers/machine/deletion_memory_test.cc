#include "controllers/machine/deletion_memory.h"

#include <gtest/gtest.h>

#include "test/builders/machine.h"
#include "test/fakes/fake_clock.h"

namespace capstan::controllers::machine {
namespace {

using namespace std::chrono_literals;

constexpr Time kStarted = builders::noon();

DeletionFacts facts_of(const api::Machine& machine) { return {.machine = &machine}; }

// The DELETE of its infrastructure went out.
void sent(DeletionMemory& memory, const api::Machine& machine) {
  DeletionFacts facts = facts_of(machine);
  facts.delete_sent = Stage::DeleteInfra;
  facts.marks.node_drain_start_time = kStarted;
  facts.drain = drain::StageReport::finished();
  memory.delete_was_sent(facts);
}

TEST(DeletionMemory, GivesBackWhatNoStatusSaysYet) {
  fakes::FakeClock clock;
  DeletionMemory memory(clock);
  const api::Machine machine = builders::a_machine("m1").deleting();
  sent(memory, machine);

  DeletionFacts later = facts_of(machine);
  memory.recall(later);

  EXPECT_EQ(later.delete_sent, Stage::DeleteInfra);
  EXPECT_EQ(later.marks.node_drain_start_time, kStarted);
  EXPECT_EQ(later.drain, drain::StageReport::finished());
}

TEST(DeletionMemory, KeepsTheMarksThatTheStatusHas) {
  fakes::FakeClock clock;
  DeletionMemory memory(clock);
  const api::Machine machine = builders::a_machine("m1").deleting();
  sent(memory, machine);

  DeletionFacts later = facts_of(machine);
  later.marks.node_drain_start_time = kStarted + Seconds(5);
  memory.recall(later);

  EXPECT_EQ(later.marks.node_drain_start_time, kStarted + Seconds(5));
}

TEST(DeletionMemory, GivesNothingToAnotherMachineOfThatName) {
  fakes::FakeClock clock;
  DeletionMemory memory(clock);
  const api::Machine first = builders::a_machine("m1").deleting();
  api::Machine second = first;
  second.metadata.uid = api::Uid("another");
  sent(memory, first);

  DeletionFacts later = facts_of(second);
  memory.recall(later);

  EXPECT_EQ(later.delete_sent, std::nullopt);
  EXPECT_EQ(later.drain, std::nullopt);
}

TEST(DeletionMemory, CountsFromTheFirstTimeANodeRefusedToGo) {
  fakes::FakeClock clock;
  DeletionMemory memory(clock);
  const kube::ObjectKey machine{.namespace_ = "default", .name = "m1"};

  const Seconds first = memory.node_refused_for(machine);
  clock.advance(7s);
  const Seconds second = memory.node_refused_for(machine);
  memory.forget(machine);

  EXPECT_EQ(first, Seconds(0));
  EXPECT_EQ(second, Seconds(7));
  EXPECT_EQ(memory.node_refused_for(machine), Seconds(0));
}

TEST(DeletionMemory, CountsFromTheFirstDrainByForceThatFailed) {
  fakes::FakeClock clock;
  DeletionMemory memory(clock);
  const kube::ObjectKey machine{.namespace_ = "default", .name = "m1"};

  EXPECT_EQ(memory.force_in_vain_for(machine), Seconds(0));
  clock.advance(61s);
  EXPECT_EQ(memory.force_in_vain_for(machine), Seconds(61));
  memory.forget(machine);
  EXPECT_EQ(memory.force_in_vain_for(machine), Seconds(0));
}

}  // namespace
}  // namespace capstan::controllers::machine
