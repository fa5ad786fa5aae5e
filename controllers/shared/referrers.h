// Which objects of one kind name a provider's object in their references, whether they own it or not. Wiring
// hands the answer to runtime/external_refs.h, which wakes them with every change of that object: a Machine
// that never came to own its infrastructure object still waits for the end of it. Reads indexes only; safe
// from any thread.
#pragma once

#include <string_view>

#include "controllers/shared/caches.h"
#include "runtime/external_refs.h"

namespace capstan::controllers {

// Of Clusters, Machines or MachinePools; empty for a kind that waits for no object of a provider.
runtime::ExternalRefs::Referrers referrers_of_kind(const Caches& caches, std::string_view kind);

}  // namespace capstan::controllers
