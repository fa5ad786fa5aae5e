// Whose a MachineHealthCheck is where several managers share the objects. Reads caches.
#pragma once

#include <string_view>

#include "controllers/shared/caches.h"

namespace capstan::controllers::machinehealthcheck {

// The manager's that the label names. A topology puts none on the checks that it makes: such a check is the
// manager's whose Machines it selects, all of them.
bool is_ours(const api::MachineHealthCheck& check, const Caches& caches, std::string_view watch_filter);

}  // namespace capstan::controllers::machinehealthcheck
