// Whether people have frozen an object by hand. Of the core and of the providers.
#pragma once

#include <optional>
#include <string_view>

#include "api/meta/object_meta.h"
#include "api/policy/names.h"

namespace capstan::api::policy {

// What the annotation says, be it nothing; no value: it is not there, or "false".
inline std::optional<std::string_view> freeze_said_on(const ObjectMeta& object) {
  const Text* said = object.annotations.find(annotation::kFreeze);
  if (said == nullptr || *said == "false") return std::nullopt;
  return said->view();
}

}  // namespace capstan::api::policy
