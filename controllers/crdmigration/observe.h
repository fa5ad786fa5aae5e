// Gathers what a turn looks at, by live reads: the CustomResourceDefinition, of which the cache has the
// metadata alone, and, where decide.h wants one, a page of the objects of its kind in all namespaces.
#pragma once

#include <optional>

#include "base/result.h"
#include "controllers/crdmigration/memory.h"
#include "controllers/crdmigration/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::crdmigration {

// Nothing when the definition is gone. Gone: the server has forgotten the list of which this is a page.
Result<std::optional<Observation>> observe(const ObserveContext& with, Remembered& memory,
                                           const Settings& settings, const kube::ObjectKey& key);

}  // namespace capstan::controllers::crdmigration
