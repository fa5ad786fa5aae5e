// A CRD's openAPIV3Schema as a Schema tree. What structural schemas forbid is ignored here; crd_rules.h
// refuses it. Pure.
#pragma once

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

// Null gives a schema that keeps everything.
SchemaPtr parse_schema(const json::value* source);

}  // namespace capstan::apiserver
