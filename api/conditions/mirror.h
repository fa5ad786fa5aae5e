// A condition of another object shown on ours: InfrastructureReady of a Machine is Ready of its
// infrastructure object. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/meta/condition.h"

namespace capstan::api::conditions {

// What to say while the source has no such condition.
struct Fallback {
  std::string_view status = {};
  std::string_view reason = {};
  std::string message = {};
};

// Status, reason, message and transition time of `source`; without a source the fallback, without both
// Unknown.
Condition mirror(ConditionPlace source, std::string_view source_type, std::string_view target_type,
                 const std::optional<Fallback>& fallback = {});

}  // namespace capstan::api::conditions
