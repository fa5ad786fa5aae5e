// Where a field of ours is shaped otherwise than upstream's: what Go's encoder does with an empty one follows
// from upstream's shape, and both converters shall write the same. Used by api/v1beta1/form.cc. Pure.
#pragma once

#include "api/schema/field.h"

namespace capstan::api::v1beta1 {

// Absent differs from empty.
bool is_pointer_upstream(const TypeInfo& owner, const Member& member);
// Written when it is empty, too.
bool is_always_written_upstream(const TypeInfo& owner, const Member& member);

}  // namespace capstan::api::v1beta1
