// The built-in kinds as data: one function per API group file. Called once by the registry.
#pragma once

#include <vector>

#include "apiserver/registry.h"

namespace capstan::apiserver {

std::vector<Kind> builtin_kinds();

}  // namespace capstan::apiserver
