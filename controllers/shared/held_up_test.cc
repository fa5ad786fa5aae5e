#include "controllers/shared/held_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "test/builders/machine.h"

namespace capstan::controllers {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;
using builders::a_machine;
using builders::noon;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Machines = std::vector<std::shared_ptr<const api::Machine>>;

constexpr std::string_view kDrainMessage =
    "Drain not completed yet (started at 2026-01-01T12:00:00Z):\n"
    "* Pod default/p: cannot evict pod as it would violate the pod's disruption budget. The disruption "
    "budget b "
    "needs 2 healthy pods and has 2 currently\n"
    "After above Pods have been removed from the Node, the following Pods will be evicted: default/q";

// Deleted at noon, in that stage ever since.
builders::MachineBuilder leaving(std::string_view name, std::string_view stage = reason::kDrainingNode,
                                 std::string_view message = kDrainMessage) {
  return a_machine(name).deleting(noon()).with([&](api::Machine& machine) {
    auto& marks = machine.status.deletion.ensure();
    marks.node_drain_start_time = noon();
    marks.wait_for_pre_drain_hook_start_time = noon();
    marks.wait_for_node_volume_detach_start_time = noon();
    marks.wait_for_pre_terminate_hook_start_time = noon();
    api::conditions::set(machine.status.conditions,
                         api::conditions::make(condition::kDeleting, "True", stage, message), 1, noon());
  });
}

Machines of(std::initializer_list<builders::MachineBuilder> builders) {
  Machines machines;
  for (const auto& each : builders) machines.push_back(each.shared());
  return machines;
}

std::string text_of(const Machines& machines, Seconds later = Seconds(61)) {
  return held_up(machines, noon() + later);
}

TEST(HeldUp, NamesMachinePodAndBudgetWithItsNumbersAndSinceWhen) {
  EXPECT_EQ(
      text_of(of({leaving("m1")})),
      "* Machine m1, DrainingNode since 2026-01-01T12:00:00Z:\n"
      "  * Pod default/p: cannot evict pod as it would violate the pod's disruption budget. The disruption "
      "budget b needs 2 healthy pods and has 2 currently");
}

TEST(HeldUp, NamesVolumesAndHooks) {
  EXPECT_EQ(text_of(of({leaving("m1", reason::kWaitingForVolumeDetach,
                                "Waiting for Node volumes to be detached (started at 2026-01-01T12:00:00Z)\n"
                                "* PersistentVolumeClaims: default/data"),
                        leaving("m2", reason::kWaitingForPreTerminateHook,
                                "Waiting for pre-terminate hooks to succeed (hooks: a)")})),
            "* Machine m1, WaitingForVolumeDetach since 2026-01-01T12:00:00Z:\n"
            "  * PersistentVolumeClaims: default/data\n"
            "* Machine m2, WaitingForPreTerminateHook since 2026-01-01T12:00:00Z:\n"
            "  * Waiting for pre-terminate hooks to succeed (hooks: a)");
}

TEST(HeldUp, SaysNothingOfDeletionsThatTakeAMinute) {
  EXPECT_EQ(text_of(of({leaving("m1")}), Seconds(60)), "");
  EXPECT_EQ(next_held_up(of({leaving("m1")}), noon() + Seconds(20)), Seconds(41));
  EXPECT_FALSE(next_held_up(of({leaving("m1")}), noon() + Seconds(61)));
  EXPECT_FALSE(next_held_up(of({a_machine("m1")}), noon()));
}

TEST(HeldUp, SaysNothingOfStagesThatNobodyOutsideHoldsUp) {
  EXPECT_EQ(
      text_of(of({leaving("m1", reason::kWaitingForInfrastructureDeletion, "Waiting for X to be deleted"),
                  a_machine("m2")})),
      "");
}

TEST(HeldUp, ShowsTheThreeThatHaveWaitedLongestInAStableOrder) {
  const auto first = leaving("z").deleting(noon() + -Seconds(1));

  const auto text = text_of(of({leaving("d"), leaving("b"), first, leaving("a"), leaving("c")}));

  EXPECT_THAT(text, StartsWith("* Machine z, "));
  EXPECT_THAT(text, HasSubstr("\n* Machine a, "));
  EXPECT_THAT(text, HasSubstr("\n* Machine b, "));
  EXPECT_THAT(text, Not(HasSubstr("Machine c")));
  EXPECT_THAT(text, EndsWith("\n* ... (2 more Machines held up)"));
  EXPECT_EQ(text, text_of(of({leaving("a"), leaving("c"), leaving("b"), leaving("d"), first})));
}

TEST(HeldUp, IsBoundedWhateverAMachineSays) {
  std::string message = "Drain not completed yet (started at 2026-01-01T12:00:00Z):";
  for (int i = 0; i < 5; ++i) message += "\n* Pod " + std::string(5000, 'x');
  const auto text = text_of(of({leaving("a", reason::kDrainingNode, message)}));

  EXPECT_LE(text.size(), 4000U);
  EXPECT_THAT(text, EndsWith("x...\n  * ... (2 more, see the Machine)"));
}

// --- where ---

api::Conditions list(std::initializer_list<api::Condition> conditions) {
  api::Conditions list;
  for (const auto& each : conditions) api::conditions::set(list, each, 1, noon());
  return list;
}

std::string message_of(const api::Conditions& list, std::string_view type) {
  return api::conditions::find(list, type)->message.str();
}

TEST(HeldUp, IsToldOnDeletingElseOnScalingDownElseOnMachinesReady) {
  const auto machines = of({leaving("m1")});
  const std::string text = text_of(machines);
  const auto ready = api::conditions::make(condition::kMachinesReady, "False", reason::kNotReady, "* ...");
  const auto down = api::conditions::make(condition::kScalingDown, "True", reason::kScalingDown, "Scaling");
  const auto no_down = api::conditions::make(condition::kScalingDown, "False", reason::kNotScalingDown);
  const auto gone = api::conditions::make(condition::kDeleting, "True", reason::kDeleting, "Deleting 1");
  const auto with_held_up = [&](api::Conditions conditions) {
    show_held_up(conditions, machines, 1, noon() + Seconds(61));
    return conditions;
  };

  auto shown = with_held_up(list({ready, down, gone}));
  EXPECT_EQ(message_of(shown, condition::kDeleting), "Deleting 1\n" + text);
  EXPECT_EQ(message_of(shown, condition::kScalingDown), "Scaling");

  shown = with_held_up(list({ready, down}));
  EXPECT_EQ(message_of(shown, condition::kScalingDown), "Scaling\n" + text);
  EXPECT_EQ(message_of(shown, condition::kMachinesReady), "* ...");

  shown = with_held_up(list({ready, no_down}));
  EXPECT_EQ(message_of(shown, condition::kMachinesReady), "* ...\n" + text);
  EXPECT_EQ(message_of(shown, condition::kScalingDown), "");
  EXPECT_EQ(api::conditions::find(shown, condition::kMachinesReady)->last_transition_time, noon());
}

TEST(HeldUp, ChangesNothingWhereEverythingIsWell) {
  auto conditions = list({api::conditions::make(condition::kMachinesReady, "True", reason::kReady)});
  const auto before = conditions;

  show_held_up(conditions, of({leaving("m1")}), 1, noon() + Seconds(61));
  EXPECT_EQ(conditions, before);

  show_held_up(conditions, of({a_machine("m1")}), 1, noon() + Seconds(61));
  EXPECT_EQ(conditions, before);
}

}  // namespace
}  // namespace capstan::controllers
