#include "controllers/machineset/deletion_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/lifecycle/annotations.h"
#include "controllers/lifecycle/phase.h"
#include "controllers/lifecycle/preservation.h"

namespace capstan::controllers::machineset {
namespace {

constexpr double kUpdating = 75;
constexpr double kUnhealthy = 50;
constexpr double kUnavailable = 40;
constexpr double kAnyone = 20;
constexpr double kSecondsOfTenDays = 864'000;

// 0 for a new Machine, towards 50 with age.
double by_age(const api::Machine& machine, Time now) {
  const Time created = machine.metadata.creation_timestamp;
  if (!created.is_set() || created >= now) return 0;
  const auto age = static_cast<double>((now - created).count());
  return kUnhealthy * (1 - std::exp(-age / kSecondsOfTenDays));
}

bool is_available(const api::Machine& machine) {
  return api::conditions::is_true(machine.status.conditions, api::condition::kAvailable);
}

// Upstream's order; the highest goes first.
double unfitness(const api::Machine& machine, const DeletionRules& rules) {
  if (machine.metadata.annotations.contains(api::annotation::kUpdateInProgress)) return kUpdating;
  if (is_unhealthy(machine)) return kUnhealthy;
  switch (rules.order) {
    // Any Machine will do.
    case DeletionOrder::Random: return is_available(machine) ? kAnyone : kUnavailable;
    case DeletionOrder::Oldest: return by_age(machine, rules.now);
    case DeletionOrder::Newest: return kUnhealthy - by_age(machine, rules.now);
  }
  return kAnyone;
}

// The worst first. One that has reported nothing yet is on its way.
int rank_of(const api::Machine& machine) {
  using lifecycle::Phase;
  const auto standing = lifecycle::standing_of(machine);
  switch (standing ? standing->phase : Phase::Creating) {
    case Phase::Terminating:
    case Phase::Failed: return 0;
    case Phase::CreateRetrying: return 1;
    case Phase::Unhealthy: return 2;
    case Phase::InPlaceUpdateFailed: return 3;
    case Phase::Creating: return 4;
    case Phase::Joining: return 5;
    case Phase::InPlaceUpdating: return 6;
    case Phase::Running: break;
  }
  return 7;
}

std::int64_t seniority(const api::Machine& machine, DeletionOrder order) {
  const Time created = machine.metadata.creation_timestamp;
  if (!created.is_set()) return 0;
  return order == DeletionOrder::Newest ? -created.unix_seconds() : created.unix_seconds();
}

// Goes already, is marked to go first, or neither.
int mark_of(const api::Machine& machine, const DeletionRules& rules) {
  if (machine.metadata.deleting()) return 0;
  const bool marked = machine.metadata.annotations.contains(api::annotation::kDeleteMachine) ||
                      (rules.named && rules.named(machine));
  return marked ? 1 : 2;
}

struct Keeping {
  int by = 0;  // 0: it is not preserved; 1: the policy chose it; 2: a user asked for it
  Time until = {};
  auto operator<=>(const Keeping&) const = default;
};
Keeping keeping_of(const api::Machine& machine, const DeletionRules& rules) {
  const auto until = lifecycle::preserved_until(machine);
  if (!rules.preserved_last || !until || *until <= rules.now) return {};
  return {.by = lifecycle::is_auto_preserved(machine) ? 1 : 2, .until = *until};
}

using Key = std::tuple<int, Keeping, int, double, std::int64_t, Text>;

Key key_of(const api::Machine& machine, const DeletionRules& rules) {
  const int mark = mark_of(machine, rules);
  const bool chosen_by_rules = mark == 2;  // the others go whatever they are
  const Keeping keeping = chosen_by_rules ? keeping_of(machine, rules) : Keeping();
  const int priority = chosen_by_rules ? lifecycle::deletion_priority(machine.metadata) : 0;
  const double worth = !chosen_by_rules     ? 0
                       : rules.by_lifecycle ? rank_of(machine)
                                            : -unfitness(machine, rules);
  const std::int64_t age = rules.by_lifecycle && chosen_by_rules ? seniority(machine, rules.order) : 0;
  return {mark, keeping, priority, worth, age, machine.metadata.name};
}

}  // namespace

Result<DeletionOrder> parse_deletion_order(std::string_view text) {
  if (text.empty() || text == "Random") return DeletionOrder::Random;
  if (text == "Newest") return DeletionOrder::Newest;
  if (text == "Oldest") return DeletionOrder::Oldest;
  return fail(Code::Invalid,
              fmt::format("spec.deletion.order: \"{}\" is none of Random, Newest, Oldest", text));
}

bool is_unhealthy(const api::Machine& machine) {
  const auto& conditions = machine.status.conditions;
  return !machine.status.node_ref || api::conditions::is_false(conditions, api::condition::kNodeHealthy) ||
         api::conditions::is_false(conditions, api::condition::kHealthCheckSucceeded);
}

Machines in_deletion_order(Machines machines, const DeletionRules& rules) {
  // The key depends on the element and the one moment of this turn: worked out once, it can't change while
  // sorting.
  std::vector<std::pair<Key, Snapshot<api::Machine>>> keyed;
  keyed.reserve(machines.size());
  for (auto& machine : machines) keyed.emplace_back(key_of(*machine, rules), machine);
  std::ranges::sort(keyed, {}, &std::pair<Key, Snapshot<api::Machine>>::first);
  std::ranges::transform(keyed, machines.begin(), [](auto& entry) { return std::move(entry.second); });
  return machines;
}

}  // namespace capstan::controllers::machineset
