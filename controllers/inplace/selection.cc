#include "controllers/inplace/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/conditions/message.h"
#include "api/policy/names.h"
#include "base/safeguards.h"

namespace capstan::controllers::inplace {
namespace {

namespace label = api::policy::label;
using rollout::Count;

constexpr std::size_t kNamesShown = 3;

Count replicas_in(const api::MachineSet& set) { return set.spec.replicas.value_or(0); }

Count replicas_of_newest(const Situation& now) {
  const auto& newest = now.ask().choice.newest;
  return newest ? replicas_in(*newest) : 0;
}

Count replicas_of_all(const Situation& now) {
  Count sum = replicas_of_newest(now);
  for (const auto& set : now.ask().choice.old) sum += replicas_in(*set);
  return sum;
}

template <typename Is>
Count number_of(const Situation& now, Is is) {
  return std::ranges::count_if(now.machines(), is);
}

bool is_in_flight(const MachineSeen& each) { return is_marked(*each.machine) && !is_going(each); }

bool is_selected(const MachineSeen& each) { return label_of(each, label::kSelectedForUpdate) == "true"; }

// How many more may be out of use. Machines that were moved, and are not Available yet, still are.
Count places(const Situation& now) {
  const Count in_flight = number_of(now, is_in_flight);
  const Count coming = replicas_of_newest(now) - number_of(now, [&](const MachineSeen& each) {
                         return each.set == now.newest() && is_available(each);
                       });
  const Count spare =
      replicas_of_all(now) - now.limits().least_available() - std::max<Count>(coming, 0) - in_flight;
  const Count wanted = now.limits().desired - replicas_of_newest(now) - in_flight;
  return std::min(spare, wanted);
}

std::vector<const MachineSeen*> candidates(const Situation& now) {
  std::vector<const MachineSeen*> found;
  for (const MachineSeen& each : now.machines())
    if (now.is_candidate(each) && (!now.is_manual() || is_selected(each))) found.push_back(&each);
  std::ranges::sort(found, {}, [&](const MachineSeen* each) {
    const auto& set = (*now.find_set(each->set))->metadata;
    return std::tuple(is_available(*each), set.creation_timestamp, set.name.view(),
                      each->machine->metadata.creation_timestamp, name_of(*each));
  });
  return found;
}

}  // namespace

std::vector<const MachineSeen*> next_machines(const Situation& now) {
  auto found = candidates(now);
  if (is_off(Safeguard::UpdateLimit)) return found;
  Count left = places(now);
  Count working = number_of(now, is_available) - now.limits().least_available();
  std::erase_if(found, [&](const MachineSeen* each) {
    if (left <= 0) return true;
    if (is_available(*each) && working-- <= 0) return true;
    --left;
    return false;
  });
  return found;
}

bool keeps_old_machines(const Situation& now) {
  if (!now.is_on() || replicas_of_newest(now) >= now.limits().desired) return false;
  return std::ranges::any_of(now.machines(), [&](const MachineSeen& each) {
    return now.has_updatable(each.set) && !is_going(each) && !now.is_given_up(each);
  });
}

std::vector<std::string> waits_for(const Situation& now) {
  if (number_of(now, is_in_flight) > 0) return {};
  std::vector<std::string> unmarked;
  std::vector<std::string> unfit;
  for (const MachineSeen& each : now.machines()) {
    if (!now.has_updatable(each.set) || is_going(each) || now.is_given_up(each) || each.behind) continue;
    if (!now.is_candidate(each)) {
      unfit.emplace_back(name_of(each));
    } else if (now.is_manual() && !is_selected(each)) {
      unmarked.emplace_back(name_of(each));
    }
  }
  std::vector<std::string> lines;
  if (!unmarked.empty())
    lines.push_back(fmt::format("Nodes that wait for label {}: \"true\": those of Machines {}",
                                label::kSelectedForUpdate,
                                api::conditions::name_list(unmarked, kNamesShown)));
  if (!unfit.empty())
    lines.push_back(
        fmt::format("can't be updated in place for now, having no Node that is theirs alone, or "
                    "being paused: Machines {}",
                    api::conditions::name_list(unfit, kNamesShown)));
  return lines;
}

}  // namespace capstan::controllers::inplace
