// The life of metadata: what the server fills in, what no request may change, what names and references must
// look like. Pure functions; used by every write.
#pragma once

#include <string>

#include "apiserver/document/field_error.h"
#include "apiserver/target.h"
#include "base/instant.h"

namespace capstan::apiserver {

// The namespace and name of the request against those of the body; fills in the namespace.
std::optional<Response> match_path(const Target& target, json::object& object, bool name_too);

struct Birth {
  std::string uid = {};
  WallTime at = {};
};
// uid, creationTimestamp, generation of a new object; nothing of a deletion.
void stamp_new(const Birth& birth, const Target& target, json::object& object);
// What an update can't change is taken from the stored object.
void keep_system_fields(json::object& object, const json::object& before);

// Did anything but metadata (and status, where it is a subresource) change?
bool changes_spec(const Target& target, const json::object& object, const json::object& before);

FieldErrors metadata_errors(const Target& target, const json::object& object);
FieldErrors metadata_update_errors(const json::object& object, const json::object& before);

}  // namespace capstan::apiserver
