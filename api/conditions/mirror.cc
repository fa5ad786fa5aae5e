#include "api/conditions/mirror.h"

#include <fmt/core.h>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::api::conditions {

Condition mirror(ConditionPlace source, std::string_view source_type, std::string_view target_type,
                 const std::optional<Fallback>& fallback) {
  if (source != nullptr) {
    Condition copy = make(target_type, source->status, source->reason, source->message);
    copy.last_transition_time = source->last_transition_time;
    return copy;
  }
  if (fallback) return make(target_type, fallback->status, fallback->reason, fallback->message);
  return make(target_type, status::kUnknown, reason::kNotYetReported,
              fmt::format("Condition {} not yet reported", source_type));
}

}  // namespace capstan::api::conditions
