// What wakes Machines where a policy governs their life, beside what wakes every Machine: the policy, what it
// is chosen by, and the way to the cluster. Where there is no policy they wake none.
#pragma once

#include "controllers/shared/caches.h"
#include "runtime/queue.h"

namespace capstan::controllers::machine {

void add_lifecycle_triggers(Caches& caches, runtime::Queue& queue);

}  // namespace capstan::controllers::machine
