#include "apiserver/validation.h"

#include "apiserver/metadata_rules.h"

namespace capstan::apiserver {

FieldErrors creation_errors(const Core&, const Target& target, const json::object& object) {
  auto errors = metadata_errors(target, object);
  if (target.strategy->validate != nullptr) target.strategy->validate(object, nullptr, errors);
  return errors;
}

FieldErrors update_errors(const Core&, const Target& target, const json::object& object, const json::object& before) {
  auto errors = metadata_update_errors(object, before);
  if (target.strategy->validate != nullptr) target.strategy->validate(object, &before, errors);
  return errors;
}

}  // namespace capstan::apiserver
