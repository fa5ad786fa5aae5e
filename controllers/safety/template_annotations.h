// What Machines get of the annotations of their template, and their bootstrap and infrastructure objects with
// them: not those that say something about one Machine, such as that its deletion was granted. Used by the
// owners of Machines when they make and update them. Pure.
#pragma once

#include <string_view>

#include "api/meta/object_meta.h"

namespace capstan::controllers::safety {

// It is written on one Machine, by a person or by Capstan, and means nothing in a template.
bool concerns_one_machine(std::string_view annotation);

api::Labels annotations_from(const api::Labels& of_template);

}  // namespace capstan::controllers::safety
