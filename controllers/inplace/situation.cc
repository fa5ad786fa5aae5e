#include "controllers/inplace/situation.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/inplace/templates.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/preservation.h"

namespace capstan::controllers::inplace {

Situation::Situation(const Question& ask) : ask_(ask) {
  if (!is_on()) return;
  std::vector<rollout::SetSnapshot> sets = ask.choice.old;
  if (ask.choice.newest) sets.push_back(ask.choice.newest);
  const bool begun = rollout::has_begun_rollout_after(ask.deployment, sets, ask.now);
  for (const auto& set : ask.choice.old)
    if (!set->metadata.deleting() && are_updatable(ask.deployment, *set, begun))
      updatable_.insert(set->metadata.name.str());
}

bool Situation::is_manual() const { return is_on() && ask_.seen.wanted->mode == api::PolicyInPlace::kManual; }

rollout::Limits Situation::limits() const {
  rollout::Limits limits = ask_.limits;
  if (!is_manual()) return limits;
  limits.surge = 0;
  limits.unavailable = std::min(std::max<rollout::Count>(limits.unavailable, 1), limits.desired);
  return limits;
}

std::string_view Situation::newest() const {
  return ask_.choice.newest ? ask_.choice.newest->metadata.name.view() : std::string_view();
}

const SetSnapshot* Situation::find_set(std::string_view name) const {
  if (!name.empty() && newest() == name) return &ask_.choice.newest;
  const auto found =
      std::ranges::find(ask_.choice.old, name, [](const auto& set) { return set->metadata.name.view(); });
  return found == ask_.choice.old.end() ? nullptr : &*found;
}

const MachineSeen* Situation::find_machine(std::string_view name) const {
  const auto found = std::ranges::find(machines(), name, name_of);
  return found == machines().end() ? nullptr : &*found;
}

bool Situation::is_given_up(const MachineSeen& each) const {
  const auto until = lifecycle::preserved_until(*each.machine);
  return lifecycle::has_failed(*each.machine) || (until && *until > ask_.now);
}

bool Situation::is_candidate(const MachineSeen& each) const {
  return has_updatable(each.set) && !is_going(each) && !is_marked(*each.machine) && each.node &&
         !each.contested && !is_given_up(each) &&
         !each.machine->metadata.annotations.contains(api::annotation::kPaused);
}

bool Situation::is_handed_over(const MachineSeen& each) const {
  if (!each.mark || each.mark->step != UpdateStep::Updating || each.mark->set == each.set) return false;
  const SetSnapshot* from = find_set(each.set);
  const SetSnapshot* to = find_set(each.mark->set);
  return from != nullptr && to != nullptr && !(*to)->metadata.deleting() &&
         has_name(handed_over_by((*from)->metadata), name_of(each)) &&
         has_name(taken_over_by((*to)->metadata), name_of(each));
}

bool is_available(const MachineSeen& each) {
  return !is_going(each) && !is_marked(*each.machine) &&
         api::conditions::is_true(each.machine->status.conditions, api::condition::kAvailable);
}

bool is_going(const MachineSeen& each) { return each.machine->metadata.deleting(); }

std::string_view name_of(const MachineSeen& each) { return each.machine->metadata.name.view(); }

std::string_view key_on_node(const MachineSeen& each, std::string_view key) {
  const std::string_view alias = lifecycle::mcm_alias_of(key);
  const bool by_alias = each.node && !alias.empty() && !each.node->metadata.labels.contains(key) &&
                        each.node->metadata.labels.contains(alias);
  return by_alias ? alias : key;
}

std::string_view label_of(const MachineSeen& each, std::string_view key) {
  return each.node ? each.node->metadata.labels.value_or_empty(key_on_node(each, key)) : std::string_view();
}

}  // namespace capstan::controllers::inplace
