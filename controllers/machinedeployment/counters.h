// Sums over the MachineSets of a deployment, as its status carries them. Pure.
#pragma once

#include <optional>
#include <span>

#include "api/v1beta2/machine_set.h"
#include "controllers/machinedeployment/observation.h"
#include "controllers/rollout/limits.h"

namespace capstan::controllers::machinedeployment {

using SetSnapshots = std::span<const Snapshot<api::MachineSet>>;
using rollout::Count;

// Nothing when no set reports the field.
std::optional<std::int32_t> sum_of(SetSnapshots sets,
                                   std::optional<std::int32_t> api::MachineSetStatus::* field);

// Of the older API generation.
struct V1Beta1Counters {
  Count ready = 0;
  Count available = 0;
  Count spec = 0;
};
V1Beta1Counters v1beta1_counters(SetSnapshots sets);

// One entry per version, oldest first.
api::List<api::VersionCount> versions_of(SetSnapshots sets);

}  // namespace capstan::controllers::machinedeployment
