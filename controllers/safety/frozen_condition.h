// The condition capstan.dev/Frozen of MachineSets, MachineDeployments, MachinePools and Clusters: only on
// those that are or were frozen. Used by their reports. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/safety/freeze.h"
#include "runtime/note.h"

namespace capstan::controllers::safety {

void show_frozen(const Frozen& frozen, api::Conditions& list, std::int64_t generation, Time now);

bool is_shown_frozen(const api::Conditions& list);

// For an Event.
// Nothing: it is as it was.
std::optional<runtime::Note> freeze_news(const api::Conditions& before, const api::Conditions& after);

}  // namespace capstan::controllers::safety
