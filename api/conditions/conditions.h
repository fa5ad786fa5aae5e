// Reading and writing a condition list with upstream's rules: the transition time moves with the status
// alone, and the list has one fixed order. Used by every report and by every reader of a condition. Pure
// functions; `now` is an argument.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/meta/condition.h"

namespace capstan::api::conditions {

// Null when there is none of that type.
ConditionPlace find(const Conditions& list, std::string_view type);
// A missing condition is neither True nor False, but Unknown.
bool is_true(const Conditions& list, std::string_view type);
bool is_false(const Conditions& list, std::string_view type);

// Without times and generation: `set` adds those.
Condition make(std::string_view type, std::string_view status, std::string_view reason,
               std::string_view message = {});

// Adds `wanted` or overwrites the one of its type; false when that changes nothing. `generation` is the
// object's own. The transition time is the wanted one, or now when it has none, and moves only when the
// status does.
bool set(Conditions& list, Condition wanted, std::int64_t generation, Time now);
// False when there was none.
bool remove(Conditions& list, std::string_view type);
// Best news first, then what the rest is about, gates and strangers by name, Paused and Deleting last.
void sort(Conditions& list);

// Everything but the transition time.
bool same_state(const ConditionView& left, const ConditionView& right);

}  // namespace capstan::api::conditions
