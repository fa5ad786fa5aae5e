// The Machines of what one policy governs, by caches, for decisions about all of them together. Visits the
// MachineSets of one namespace; safe from any thread.
#pragma once

#include <string_view>

#include "controllers/lifecycle/auto_preservation.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers {

// What its own turn does about preservation now. Nothing where that takes no turn: the policy is on its way
// out, or another shard's.
lifecycle::AutoPreservation auto_preservation_under(const Caches& caches,
                                                    const api::MachineLifecyclePolicy& policy,
                                                    std::string_view watch_filter);

}  // namespace capstan::controllers
