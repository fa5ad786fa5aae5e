#include "controllers/machinedeployment/release.h"

#include <algorithm>

#include "api/meta/label_selector.h"
#include "api/names.h"
#include "controllers/rollout/set_intent.h"
#include "controllers/shared/confirm_release.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinedeployment {
namespace {

using SetSnapshot = Snapshot<api::MachineSet>;

// By name: those that can't be decoded are there, too.
struct Inhabitant {
  std::string name = {};
  const api::Labels* labels = nullptr;  // null: they are not known
};

std::vector<Inhabitant> machines_in(const Observation& seen, const api::MachineSet& set) {
  std::vector<Inhabitant> machines;
  for (const auto& machine : seen.owned) {
    if (runtime::is_controlled_by(machine->metadata, set.metadata.uid))
      machines.push_back({.name = machine->metadata.name.str(), .labels = &machine->metadata.labels});
  }
  for (const auto& machine : seen.unreadable_machines) {
    if (machine.may_be_owned_by(set.metadata.uid))
      machines.push_back(
          {.name = machine.key.name, .labels = machine.metadata_read ? &machine.labels : nullptr});
  }
  return machines;
}

bool follows_already(const Observation& seen, const api::MachineSet& set) {
  const auto wanted = rollout::selector_for(seen.deployment, set);
  return !wanted || *wanted == set.spec.selector;
}

bool matches(const api::LabelSelector& selector, const api::Labels& labels) {
  const auto compiled = api::Selector::from(selector);
  return compiled && compiled->matches(labels);
}

// Its labels decide, by which it would be adopted again. Without Machines there is nothing to release, and it
// gets the labels it lacks.
bool is_left_behind(const Observation& seen, const api::MachineSet& set) {
  return !set.metadata.deleting() && !follows_already(seen, set) &&
         !matches(seen.deployment.spec.selector, set.metadata.labels) && !machines_in(seen, set).empty();
}

// Machines that the set would release once it selects as the deployment does.
std::vector<std::string> lost_by_following(const Observation& seen, const api::MachineSet& set) {
  std::vector<std::string> names;
  if (set.metadata.deleting() || follows_already(seen, set)) return names;
  const auto wanted = rollout::selector_for(seen.deployment, set);
  for (Inhabitant& machine : machines_in(seen, set)) {
    const bool stays = machine.labels != nullptr &&
                       (!matches(set.spec.selector, *machine.labels) || matches(*wanted, *machine.labels));
    if (!stays) names.push_back(std::move(machine.name));
  }
  return names;
}

}  // namespace

std::string release_to_confirm(const Observation& seen) {
  std::vector<std::string> names;
  for (const SetSnapshot& set : seen.sets) {
    if (is_left_behind(seen, *set)) {
      for (Inhabitant& machine : machines_in(seen, *set)) names.push_back(std::move(machine.name));
    } else {
      std::ranges::move(lost_by_following(seen, *set), std::back_inserter(names));
    }
  }
  return unconfirmed_release(
      {.kind = api::kind::kMachineDeployment, .owner = seen.stored->metadata, .machines = names});
}

std::vector<SetSnapshot> sets_to_release(const Observation& seen) {
  std::vector<SetSnapshot> sets;
  std::ranges::copy_if(seen.sets, std::back_inserter(sets),
                       [&](const SetSnapshot& set) { return is_left_behind(seen, *set); });
  return sets;
}

// While the caches may be behind what was released it goes on to say that.
safety::Released sets_to_note(const Observation& seen) {
  safety::Released lost = seen.complete ? seen.census.lost : safety::released_by(seen.stored->metadata);
  if (!seen.has_ceiling || !seen.complete || awaits_release(seen)) return lost;
  for (const auto& set : sets_to_release(seen)) lost.add(set->metadata.name.view(), seen.now);
  return lost;
}

}  // namespace capstan::controllers::machinedeployment
