#include "controllers/shared/replicas.h"

#include "api/names.h"
#include "api/v1beta2/rules.h"
#include "base/try.h"

namespace capstan::controllers {

Result<std::int32_t> replicas_when_left_out(std::string_view kind, const api::ObjectMeta& metadata,
                                            std::optional<std::int32_t> there_is) {
  const std::int32_t by_webhook =
      TRY(api::rules::default_replicas({.kind = kind, .metadata = &metadata, .before = there_is}));
  const bool limited = metadata.annotations.contains(api::annotation::kAutoscalerMinSize) &&
                       metadata.annotations.contains(api::annotation::kAutoscalerMaxSize);
  return limited ? by_webhook : there_is.value_or(by_webhook);
}

}  // namespace capstan::controllers
