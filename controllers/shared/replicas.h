// How many Machines an object wants whose spec.replicas is left out, and no webhook has filled it in. Pure;
// asked by the controllers of all kinds that have replicas.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/meta/object_meta.h"
#include "base/result.h"

namespace capstan::controllers {

// The number there is stays, within the autoscaler's limits where both annotations are there. `there_is`: by
// facts that stand on objects, so that a restart changes nothing; nothing for a new object, which gets the
// smallest size or
// 1. Invalid when a limit is no number.
Result<std::int32_t> replicas_when_left_out(std::string_view kind, const api::ObjectMeta& metadata,
                                            std::optional<std::int32_t> there_is);

}  // namespace capstan::controllers
