#include "controllers/rollout/new_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::rollout {
namespace {

// Our clock may be a little ahead of the API server's, which tells when a set was made: a set made at the
// moment itself would be older than that, and another core would replace it again.
constexpr Seconds kClocksDiffer{5};

bool is_older(const SetSnapshot& left, const SetSnapshot& right) {
  const auto rank = [](const SetSnapshot& set) {
    return std::tuple(-static_cast<std::int64_t>(set->spec.replicas.value_or(0)),
                      set->metadata.creation_timestamp, set->metadata.name.view());
  };
  return rank(left) < rank(right);
}

const SetSnapshot* youngest(const std::vector<SetSnapshot>& sets) {
  const auto found = std::ranges::max_element(sets, {}, [](const SetSnapshot& set) {
    return std::tuple(set->metadata.creation_timestamp, set->metadata.name.view());
  });
  return found == sets.end() ? nullptr : &*found;
}

// That moment of spec.rollout.after or a later one.
bool was_made_for(const api::MachineSet& set, Time moment) {
  const auto made_for = Time::parse(set.metadata.annotations.value_or_empty(kMadeForRolloutAfter));
  return made_for && *made_for >= moment;
}

std::string why_none(const api::MachineDeployment& deployment, const std::vector<SetSnapshot>& old) {
  const SetSnapshot* last = youngest(old);
  if (last == nullptr) return "there is no MachineSet yet";
  const auto found = differences((*last)->spec.machine_template, deployment.spec.machine_template);
  if (!found.empty()) return fmt::format("{}", fmt::join(found, ", "));
  return fmt::format("spec.rollout.after {} has passed", deployment.spec.rollout.after.to_string());
}

}  // namespace

std::optional<Time> begin_of_rollout_after(const api::MachineDeployment& deployment) {
  const Time after = deployment.spec.rollout.after;
  return after.is_set() ? std::optional(after + kClocksDiffer) : std::nullopt;
}

bool is_made_since(const api::MachineSet& set, Time moment) {
  return set.metadata.creation_timestamp >= moment || was_made_for(set, moment);
}

bool has_begun_rollout_after(const api::MachineDeployment& deployment, std::span<const SetSnapshot> sets,
                             Time now) {
  const auto begin = begin_of_rollout_after(deployment);
  if (!begin) return false;
  return now >= *begin || std::ranges::any_of(sets, [&](const SetSnapshot& set) {
           return was_made_for(*set, deployment.spec.rollout.after);
         });
}

bool is_up_to_date(const api::MachineDeployment& deployment, const api::MachineSet& set, bool begun) {
  if (begun && !is_made_since(set, deployment.spec.rollout.after)) return false;
  return differences(set.spec.machine_template, deployment.spec.machine_template).empty();
}

Choice choose_sets(const api::MachineDeployment& deployment, std::vector<SetSnapshot> sets, Time now) {
  std::ranges::sort(sets, is_older);
  const bool begun = has_begun_rollout_after(deployment, sets, now);
  Choice choice;
  for (SetSnapshot& set : sets) {
    if (!choice.newest && is_up_to_date(deployment, *set, begun)) {
      choice.newest = std::move(set);
    } else {
      choice.old.push_back(std::move(set));
    }
  }
  if (!choice.newest) choice.why_none = why_none(deployment, choice.old);
  return choice;
}

}  // namespace capstan::controllers::rollout
