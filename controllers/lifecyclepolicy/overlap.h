// MachineHealthChecks that look at Nodes of Machines whose Nodes a policy looks at, too: both may have the
// same Machine replaced, each by its own times. From caches; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controllers/shared/caches.h"

namespace capstan::controllers::lifecyclepolicy {

// Their names, sorted. None where the policy looks at no Nodes.
std::vector<std::string> overlapping_checks(const Caches& caches, const api::MachineLifecyclePolicy& policy,
                                            std::span<const Snapshot<api::Machine>> machines);

}  // namespace capstan::controllers::lifecyclepolicy
