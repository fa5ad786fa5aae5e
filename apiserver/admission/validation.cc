#include "apiserver/admission/validation.h"

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/schema/validate.h"

namespace capstan::apiserver {
namespace {

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

FieldErrors creation_errors(const Core&, const Target& target, const json::object& object) {
  auto errors = metadata_errors(target, object);
  if (target.type->custom) {
    append(errors, schema_errors(object, *target.version->schema, nullptr));
    append(errors, list_errors(object, *target.version->schema));
  }
  if (target.strategy->validate != nullptr) target.strategy->validate(object, nullptr, errors);
  return errors;
}

FieldErrors update_errors(const Core&, const Target& target, const json::object& object,
                          const json::object& before) {
  auto errors = metadata_update_errors(object, before);
  append(errors, FieldErrors(errors));  // the real server checks, and complains, twice
  if (target.type->custom) {
    append(errors, schema_errors(object, *target.version->schema, &before));
    append(errors, list_errors(object, *target.version->schema));
  }
  if (target.strategy->validate != nullptr) target.strategy->validate(object, &before, errors);
  return errors;
}

}  // namespace capstan::apiserver
