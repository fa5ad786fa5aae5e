// Carries a plan out. Each write is good only for the version that was read, and none changes what an object
// says, so that every turn may be repeated. An error is one that concerns all objects alike (no answer, no
// right): then the page is read again.
#pragma once

#include "base/result.h"
#include "controllers/crdmigration/effects.h"
#include "controllers/crdmigration/observation.h"
#include "controllers/crdmigration/plan.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::crdmigration {

Result<Effects> act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::crdmigration
