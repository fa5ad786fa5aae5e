// What one kind of object does differently when it is written: name rule, defaults the server fills in,
// cross-field rules. Constant tables; looked up by the registry, used by the verbs.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "apiserver/document/field_error.h"

namespace capstan::apiserver {

enum class NameRule { Subdomain, Label, PathSegment };

struct Strategy {
  NameRule names = NameRule::Subdomain;
  bool unconditional_update = true;  // PUT without a resourceVersion
  bool create_on_update = false;     // PUT of what is not there creates it
  bool has_generation = false;
  bool keeps_status_on_create = false;
  bool returns_deleted = false;  // DELETE answers with the object instead of a Status
  bool graceful = false;         // pods: a deletion that something on the node must confirm
  // Defaults that depend on other fields; static ones stand in the tables.
  void (*fill_defaults)(json::object& object) = nullptr;
  void (*prepare_create)(json::object& object) = nullptr;
  void (*prepare_update)(json::object& object, const json::object& before) = nullptr;
  // `before` is null when the object is being created.
  void (*validate)(const json::object& object, const json::object* before, FieldErrors& errors) = nullptr;
};

}  // namespace capstan::apiserver
