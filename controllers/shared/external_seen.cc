#include "controllers/shared/external_seen.h"

namespace capstan::controllers {

std::optional<runtime::External> ExternalSeen::external() const {
  if (cache == nullptr && !live) return std::nullopt;
  return runtime::External{
      .resource = resource, .contract = contract, .key = key, .object = object, .cache = cache};
}

bool is_uncontrolled(const ExternalSeen& external) {
  return external.found() && external.object->metadata.controller() == nullptr;
}

}  // namespace capstan::controllers
