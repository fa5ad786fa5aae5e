// What to do next about the stored objects of one kind. All of them are written once, page by page; when none
// of them failed, status.storedVersions loses the versions that no object is stored in, and the definition's
// generation is noted, by which another process knows that nothing is to be done. Pure.
#pragma once

#include "controllers/crdmigration/observation.h"
#include "controllers/crdmigration/plan.h"

namespace capstan::controllers::crdmigration {

// A page of objects has to be read: asked of an observation that has none yet.
bool wants_page(const Observation& seen);

Plan decide(const Observation& seen);

}  // namespace capstan::controllers::crdmigration
