// What the server writes into the status of a CRD: accepted names, conditions, stored versions. Pure but for
// the registry it compares names with and the clock.
#pragma once

#include "apiserver/core.h"

namespace capstan::apiserver {

// The CRD with the status it should have.
json::object with_crd_status(const Core& core, const json::object& crd);
bool crd_established(const json::object& crd);
std::int64_t crd_generation(const json::object& crd);

}  // namespace capstan::apiserver
