// What a MachineSet of a deployment should look like: the whole intent that is applied, not a difference.
// What rolls is fixed when the set is made, the rest follows the deployment, on old sets too. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "controllers/rollout/limits.h"
#include "controllers/rollout/revision.h"

namespace capstan::controllers::rollout {

struct SetIntent {
  const api::MachineDeployment& deployment;  // with its defaults
  Limits limits = {};
  api::OwnerReference owner = {};  // the deployment, as controller

  // A set that does not exist yet. `suffix`: five letters that make name and label unique. `begun`: that of
  // spec.rollout.after, which the set then says it was made for.
  api::MachineSet fresh(std::string_view suffix, const Revision& revision, Count replicas,
                        bool begun = false) const;
  // Intents for sets that exist. Invalid when the set lacks the label that tells its Machines from others'.
  Result<api::MachineSet> newest(const api::MachineSet& present, const Revision& revision,
                                 Count replicas) const;
  Result<api::MachineSet> old(const api::MachineSet& present, std::string_view newest, Count replicas) const;

 private:
  void follow_deployment(api::MachineSet& set, const Text& hash) const;
  api::TextMap annotations() const;
  Result<api::MachineSet> existing(const api::MachineSet& present, Count replicas) const;
};

// The selector that a set there is gets; nothing when it lacks the label that tells its Machines from
// others'.
std::optional<api::LabelSelector> selector_for(const api::MachineDeployment& deployment,
                                               const api::MachineSet& set);

// How many replicas were wanted when its sets were last written: they have it noted, and a rollout's surge is
// not in it. Without such a note, what the sets have; nothing without any set.
std::optional<std::int32_t> replicas_wanted_before(std::span<const SetSnapshot> sets);

// That note by itself. A paused deployment whose last set goes has it, too.
std::optional<std::int32_t> replicas_noted(const api::TextMap& annotations);

// "<deployment>-<suffix>", the front cut where both are too long.
std::string set_name(std::string_view deployment, std::string_view suffix);

}  // namespace capstan::controllers::rollout
