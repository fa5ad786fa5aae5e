// Deletion hooks: annotations by which others hold up a Machine's deletion before the drain or before the
// infrastructure goes. Any key with the prefix counts. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_meta.h"

namespace capstan::controllers::machine {

// The keys of the hooks, sorted.
std::vector<std::string> hooks_with(const api::ObjectMeta& machine, std::string_view prefix);
std::vector<std::string> pre_drain_hooks(const api::ObjectMeta& machine);
std::vector<std::string> pre_terminate_hooks(const api::ObjectMeta& machine);

// "a,b"
std::string joined(const std::vector<std::string>& hooks);

}  // namespace capstan::controllers::machine
