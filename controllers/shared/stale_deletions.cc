#include "controllers/shared/stale_deletions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "api/names.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers {
namespace {

constexpr Seconds kLongDeletion{15 * 60};
constexpr Seconds kLongDrain{5 * 60};
constexpr std::size_t kNames = 3;

// What the message of a drain says, and what it is called in one word.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCauses = {{
    {"cannot evict pod as it would violate the pod's disruption budget.", "PodDisruptionBudgets"},
    {"deletionTimestamp set, but still not removed from the Node", "Pods not terminating"},
    {"failed to evict Pod", "Pod eviction errors"},
    {"waiting for completion", "Pods not completed yet"},
}};

bool is_stale(const api::Machine& machine, Time now) {
  const Time since = machine.metadata.deletion_timestamp;
  return since.is_set() && now - since > kLongDeletion;
}

// The Deleting message of a Machine that drains for long; empty otherwise.
std::string_view long_drain(const api::Machine& machine, Time now) {
  const auto deleting = api::conditions::find(machine.status.conditions, api::condition::kDeleting);
  if (deleting == nullptr || deleting->reason != api::reason::kDrainingNode) return {};
  const Time since = machine.status.deletion ? machine.status.deletion->node_drain_start_time : Time();
  if (!since.is_set() || now - since <= kLongDrain) return {};
  return deleting->message.view();
}

}  // namespace

std::string stale_deletions(std::span<const std::shared_ptr<const api::Machine>> machines, Time now) {
  std::vector<std::string> names;
  std::array<bool, kCauses.size()> met = {};
  for (const auto& machine : machines) {
    if (!is_stale(*machine, now)) continue;
    names.push_back(machine->metadata.name.str());
    const auto message = long_drain(*machine, now);
    for (std::size_t at = 0; at < kCauses.size(); ++at) met[at] |= message.contains(kCauses[at].first);
  }
  if (names.empty()) return {};
  std::ranges::sort(names);
  std::vector<std::string_view> causes;
  for (std::size_t at = 0; at < kCauses.size(); ++at) {
    if (met[at]) causes.push_back(kCauses[at].second);
  }
  return fmt::format("{} {} {} in deletion since more than 15m{}", names.size() == 1 ? "Machine" : "Machines",
                     api::conditions::name_list(names, kNames), names.size() == 1 ? "is" : "are",
                     causes.empty() ? "" : fmt::format(", delay likely due to {}", fmt::join(causes, ", ")));
}

std::optional<Seconds> next_stale_deletion(std::span<const std::shared_ptr<const api::Machine>> machines,
                                           Time now) {
  std::optional<Seconds> next;
  for (const auto& machine : machines) {
    const Time since = machine->metadata.deletion_timestamp;
    if (!since.is_set() || is_stale(*machine, now)) continue;
    recheck_within(next, kLongDeletion + Seconds(1) - (now - since));
  }
  return next;
}

}  // namespace capstan::controllers
