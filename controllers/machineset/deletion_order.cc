#include "controllers/machineset/deletion_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::controllers::machineset {
namespace {

constexpr double kDeleting = 100;
constexpr double kMarked = 80;
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

double priority(const api::Machine& machine, DeletionOrder order, Time now) {
  const api::Labels& annotations = machine.metadata.annotations;
  if (machine.metadata.deleting()) return kDeleting;
  if (annotations.contains(api::annotation::kDeleteMachine)) return kMarked;
  if (annotations.contains(api::annotation::kUpdateInProgress)) return kUpdating;
  if (is_unhealthy(machine)) return kUnhealthy;
  switch (order) {
    // Any Machine will do.
    case DeletionOrder::Random: return is_available(machine) ? kAnyone : kUnavailable;
    case DeletionOrder::Oldest: return by_age(machine, now);
    case DeletionOrder::Newest: return kUnhealthy - by_age(machine, now);
  }
  return kAnyone;
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

Machines in_deletion_order(Machines machines, DeletionOrder order, Time now) {
  // The key depends on the element and the one moment of this turn: worked out once, it can't change while
  // sorting.
  std::vector<std::tuple<double, Text, Snapshot<api::Machine>>> keyed;
  keyed.reserve(machines.size());
  for (auto& machine : machines) {
    keyed.emplace_back(-priority(*machine, order, now), machine->metadata.name, machine);
  }
  std::ranges::sort(keyed, [](const auto& left, const auto& right) {
    return std::tie(std::get<0>(left), std::get<1>(left)) < std::tie(std::get<0>(right), std::get<1>(right));
  });
  std::ranges::transform(keyed, machines.begin(), [](auto& entry) { return std::get<2>(std::move(entry)); });
  return machines;
}

}  // namespace capstan::controllers::machineset
