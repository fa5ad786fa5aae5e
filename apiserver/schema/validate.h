// Is a custom object what its structural schema says? The complaints are those of a kube-apiserver, word for
// word. What has not changed since `before` is not complained about again. CEL rules are not evaluated. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "apiserver/document/field_error.h"
#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

// `before` is null for a new object.
FieldErrors schema_errors(const json::object& resource, const Schema& schema, const json::object* before);

// Lists that are sets or maps must not name anything twice.
FieldErrors list_errors(const json::object& resource, const Schema& schema);

}  // namespace capstan::apiserver
