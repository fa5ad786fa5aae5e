// Finds the object of a provider behind a reference of a Machine or a pool, as far as the caches know. Never
// blocks; safe from any thread.
#pragma once

#include <string_view>

#include "api/v1beta2/common.h"
#include "controllers/shared/external_seen.h"
#include "runtime/external_refs.h"

namespace capstan::controllers {

ExternalSeen see_external(runtime::ExternalRefs& externals, const api::ContractRef& ref,
                          std::string_view namespace_);

}  // namespace capstan::controllers
