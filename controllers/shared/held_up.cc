#include "controllers/shared/held_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;

constexpr std::size_t kMachinesShown = 3;
constexpr std::size_t kLinesShown = 3;
constexpr std::size_t kLongestLine = 1024;

struct HeldUp {
  const api::Machine* machine = nullptr;
  api::ConditionPlace deleting = {};
  Time since = {};
};

// When the stage began that the condition names; unset for stages in which a user can change nothing.
Time began(const api::Machine& machine, std::string_view stage) {
  if (!machine.status.deletion) return {};
  const api::MachineDeletionStatus& marks = *machine.status.deletion;
  if (stage == reason::kWaitingForPreDrainHook) return marks.wait_for_pre_drain_hook_start_time;
  if (stage == reason::kDrainingNode) return marks.node_drain_start_time;
  if (stage == reason::kWaitingForVolumeDetach) return marks.wait_for_node_volume_detach_start_time;
  if (stage == reason::kWaitingForPreTerminateHook) return marks.wait_for_pre_terminate_hook_start_time;
  return {};
}

bool is_long(const api::Machine& machine, Time now) {
  return machine.metadata.deleting() && now - machine.metadata.deletion_timestamp > kHeldUp;
}

std::vector<HeldUp> all_held_up(MachineSpan machines, Time now) {
  std::vector<HeldUp> all;
  for (const auto& machine : machines) {
    const auto deleting = conditions::find(machine->status.conditions, condition::kDeleting);
    if (deleting == nullptr || !is_long(*machine, now)) continue;
    const Time since = began(*machine, deleting->reason);
    if (since.is_set()) all.push_back({.machine = machine.get(), .deleting = deleting, .since = since});
  }
  std::ranges::sort(all, {}, [](const HeldUp& one) {
    return std::tuple{one.machine->metadata.deletion_timestamp, one.machine->metadata.name.view()};
  });
  return all;
}

// The bullets of its message, or all of it when there are none: what comes around them is said already.
std::vector<std::string_view> reasons_in(std::string_view message) {
  std::vector<std::string_view> bullets;
  for (std::string_view rest = message; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("* ")) bullets.push_back(line.substr(2));
  }
  if (bullets.empty()) bullets.push_back(message.substr(0, message.find('\n')));
  return bullets;
}

std::string bounded(std::string_view line) {
  if (line.size() <= kLongestLine) return std::string(line);
  std::size_t end = kLongestLine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;  // between characters
  return std::string(line.substr(0, end)) + "...";
}

std::string lines_of(const HeldUp& one) {
  std::string text = fmt::format("* Machine {}, {} since {}:", one.machine->metadata.name.view(),
                                 one.deleting->reason.view(), one.since.to_string());
  const auto reasons = reasons_in(one.deleting->message.view());
  for (const auto line : std::span(reasons).first(std::min(kLinesShown, reasons.size())))
    text += "\n  * " + bounded(line);
  if (reasons.size() > kLinesShown)
    text += fmt::format("\n  * ... ({} more, see the Machine)", reasons.size() - kLinesShown);
  return text;
}

}  // namespace

std::string held_up(MachineSpan machines, Time now) {
  const std::vector<HeldUp> all = all_held_up(machines, now);
  std::string text;
  for (const HeldUp& one : std::span(all).first(std::min(kMachinesShown, all.size())))
    text += (text.empty() ? "" : "\n") + lines_of(one);
  if (all.size() > kMachinesShown)
    text += fmt::format("\n* ... ({} more Machines held up)", all.size() - kMachinesShown);
  return text;
}

std::optional<Seconds> next_held_up(MachineSpan machines, Time now) {
  std::optional<Seconds> next;
  for (const auto& machine : machines) {
    if (!machine->metadata.deleting() || is_long(*machine, now)) continue;
    // A clock that is ahead of ours says a moment that is still to come.
    const Seconds passed = std::max(now - machine->metadata.deletion_timestamp, Seconds(0));
    recheck_within(next, kHeldUp + Seconds(1) - passed);
  }
  return next;
}

void show_held_up(api::Conditions& list, MachineSpan machines, std::int64_t generation, Time now) {
  const std::string text = held_up(machines, now);
  if (text.empty()) return;
  std::string_view place = condition::kMachinesReady;
  for (const auto better : {condition::kScalingDown, condition::kDeleting}) {
    if (conditions::is_true(list, better)) place = better;
  }
  const auto found = conditions::find(list, place);
  if (found == nullptr || (place == condition::kMachinesReady && found->status == api::status::kTrue)) return;
  api::Condition fuller = *found;
  fuller.message = FreeText(fuller.message.str() + (fuller.message.empty() ? "" : "\n") + text);
  conditions::set(list, std::move(fuller), generation, now);
}

}  // namespace capstan::controllers
