// Whom a change of one claimant wakes: the others on the same instance. Index look-ups on the writer's
// thread; nothing for nearly every change, because an instance has one claimant.
#pragma once

#include <vector>

#include "controllers/shared/caches.h"

namespace capstan::controllers::claims {

struct Woken {
  std::vector<ObjectKey> machines = {};
  std::vector<ObjectKey> pools = {};
};

// None for a first list: what comes with it wakes itself.
Woken woken_by(const Caches& caches, const runtime::Change<api::Machine>& change);
Woken woken_by(const Caches& caches, const runtime::Change<api::MachinePool>& change);

}  // namespace capstan::controllers::claims
