// Which of its MachineSets is the one a MachineDeployment wants now, and which are old. Pure.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::controllers::rollout {

using SetSnapshot = std::shared_ptr<const api::MachineSet>;

struct Choice {
  SetSnapshot newest = {};            // null: one has to be made
  std::vector<SetSnapshot> old = {};  // larger first, then older, then by name
  std::string why_none = {};          // while there is no newest
};

// On a set that was made when spec.rollout.after had passed: that moment. What it says counts more than times
// of the API server, whose clock may be any other than ours.
inline constexpr std::string_view kMadeForRolloutAfter = "capstan.dev/made-for-rollout-after";

// When Machines older than spec.rollout.after begin to be replaced: some seconds after that.
std::optional<Time> begin_of_rollout_after(const api::MachineDeployment& deployment);

// Whether that has begun: by our clock, or because one of its sets was made for it, by whichever clock.
bool has_begun_rollout_after(const api::MachineDeployment& deployment, std::span<const SetSnapshot> sets,
                             Time now);
// Whether the set was made later than that moment, or for it.
bool is_made_since(const api::MachineSet& set, Time moment);

// Whether its Machines are such as the deployment wants now; `begun`: what is older than spec.rollout.after
// is not.
bool is_up_to_date(const api::MachineDeployment& deployment, const api::MachineSet& set, bool begun);

// A set whose template makes the same Machines is new; after spec.rollout.after has passed only one made
// since. Of several the first: going back to an earlier template takes up the set it had.
Choice choose_sets(const api::MachineDeployment& deployment, std::vector<SetSnapshot> sets, Time now);

}  // namespace capstan::controllers::rollout
