// When a turn looks at its object again: the soonest of what several rules ask for. Used by decide, act and
// report of all kinds. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "base/instant.h"

namespace capstan::controllers {

// `recheck` becomes `span` where that is sooner. No `recheck`: so far only an event wakes the object; no
// `span`: nothing changes.
template <typename Span>
void recheck_within(std::optional<Span>& recheck, const std::type_identity_t<std::optional<Span>>& span) {
  if (span) recheck = std::min(recheck.value_or(*span), *span);
}

// What a live look (live_object.h) has shown stands for so long.
inline constexpr Seconds kLiveLook{30};

}  // namespace capstan::controllers
