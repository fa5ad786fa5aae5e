// A provider that has no quota or no capacity for another VM: the annotation
// capstan.dev/resource-exhausted-until says until when none is asked for. Written by the Machine controller,
// kept to by MachineSets. Pure.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "api/policy/lifecycle.h"

namespace capstan::controllers::lifecycle {

// Whether InfrastructureReady of a Machine tells of it. Credentials that can't be used, and whatever else
// went wrong, are something else.
bool tells_of_exhaustion(const api::Condition& infrastructure_ready);
Seconds exhausted_retry(const api::PolicyCreation& creation);
// Nothing: the annotation is not there, or is no time.
std::optional<Time> exhausted_until(const api::ObjectMeta& object);

}  // namespace capstan::controllers::lifecycle
