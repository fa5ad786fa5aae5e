// Machines whose deletion takes suspiciously long, as the conditions ScalingDown and Deleting tell of them.
// Pure.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "api/v1beta2/machine.h"
#include "base/instant.h"

namespace capstan::controllers {

// "Machines a, b are in deletion since more than 15m, delay likely due to PodDisruptionBudgets"; empty when
// there are none.
std::string stale_deletions(std::span<const std::shared_ptr<const api::Machine>> machines, Time now);

// When the next one becomes stale.
std::optional<Seconds> next_stale_deletion(std::span<const std::shared_ptr<const api::Machine>> machines,
                                           Time now);

}  // namespace capstan::controllers
