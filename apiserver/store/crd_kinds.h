// CustomResourceDefinitions as kinds: from the document to the type the server serves, and the status the
// server gives the document in return. Used by the verbs after every write to a CRD.
#pragma once

#include <string_view>

#include "apiserver/core.h"
#include "apiserver/store/crd_names.h"

namespace capstan::apiserver {

TypePtr type_of_crd(const json::object& crd);

// Brings the registry and the CRD's own status in line with the stored CRD of that name (which may be gone).
void follow_crd(Core& core, std::string_view name);

}  // namespace capstan::apiserver
