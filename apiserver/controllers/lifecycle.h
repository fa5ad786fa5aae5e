// What goes away in steps: namespaces with their contents, CRDs with their instances. Called by the
// controllers' round.
#pragma once

#include "apiserver/core.h"

namespace capstan::apiserver {

// Both: true when they wrote something.
bool end_namespaces(Core& core);
bool end_definitions(Core& core);

}  // namespace capstan::apiserver
