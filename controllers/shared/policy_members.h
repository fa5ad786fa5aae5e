// The Machines of what one policy governs, by caches, for decisions about all of them together. Visits the
// MachineSets of one namespace; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "controllers/lifecycle/auto_preservation.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers {

// What lifecycle::auto_preservation() asks for: how many failed Machines the policy preserves unasked, and
// whose they are. No members where its own turn decides nothing: the policy is on its way out, another
// shard's, or asks for no life cycle.
std::int32_t most_preserved_unasked(const api::MachineLifecyclePolicy& policy);
std::vector<lifecycle::PreservationMember> preservation_members(const Caches& caches,
                                                                const api::MachineLifecyclePolicy& policy,
                                                                std::string_view watch_filter);

// What its own turn does about preservation now. Nothing where that takes no turn: the policy is on its way
// out, or another shard's.
lifecycle::AutoPreservation auto_preservation_under(const Caches& caches,
                                                    const api::MachineLifecyclePolicy& policy,
                                                    std::string_view watch_filter);

}  // namespace capstan::controllers
