// Every kind whose CustomResourceDefinition we ship. A further served version of a kind joins its row.
#pragma once

#include <vector>

#include "api/schema/crd.h"

namespace capstan::crdgen {

// One row per CRD, the version that names it first.
std::vector<std::vector<api::CrdVersion>> kinds();

}  // namespace capstan::crdgen
