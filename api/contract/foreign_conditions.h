// Conditions of a provider's object, whichever generation of the API it follows. Pure functions.
#pragma once

#include <optional>

#include "api/contract/foreign.h"
#include "api/meta/condition.h"

namespace capstan::api::contract {

// status.v1beta2.conditions, else status.conditions; a list in the older form is understood as far as it
// goes. Invalid when a condition has no type or no proper status: the caller shows InvalidConditionReported
// then.
Result<Conditions> read_conditions(const Foreign& object);
Result<std::optional<Condition>> read_condition(const Foreign& object, std::string_view type);

// Ready of status.conditions in the older form; nothing when it is absent or can't be read as one.
std::optional<V1Beta1Condition> read_v1beta1_ready(const Foreign& object);

}  // namespace capstan::api::contract
