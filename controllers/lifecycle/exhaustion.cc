#include "controllers/lifecycle/exhaustion.h"

#include "api/driver/names.h"
#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::controllers::lifecycle {

bool tells_of_exhaustion(const api::Condition& infrastructure_ready) {
  return infrastructure_ready.status == api::status::kFalse &&
         infrastructure_ready.reason == api::driver::reason::kResourceExhausted;
}

Seconds exhausted_retry(const api::PolicyCreation& creation) {
  return Seconds(creation.resource_exhausted_retry_seconds.value_or(
      api::PolicyCreation::kResourceExhaustedRetrySeconds));
}

std::optional<Time> exhausted_until(const api::ObjectMeta& object) {
  const Text* text = object.annotations.find(api::policy::annotation::kResourceExhaustedUntil);
  if (text == nullptr) return std::nullopt;
  const auto time = Time::parse(text->view());
  return time ? std::optional(*time) : std::nullopt;
}

}  // namespace capstan::controllers::lifecycle
