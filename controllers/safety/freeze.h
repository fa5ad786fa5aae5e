// Whether an object is frozen: by a person's annotation capstan.dev/freeze on it or on what it belongs to, or
// by the number of its Machines. The state stands on objects alone: annotations, and the condition
// capstan.dev/Frozen, which a turn writes and the next one reads. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "base/time.h"
#include "controllers/safety/overshoot.h"

namespace capstan::controllers::safety {

struct Frozen {
  std::string_view reason = {};         // of the condition; empty: it is not frozen
  std::string why = {};                 // by what, and what opens it
  std::optional<Seconds> recheck = {};  // when a thaw by a person ends

  bool holds() const { return !reason.empty(); }
  bool operator==(const Frozen&) const = default;
};

// An object, or one that it belongs to.
struct Freezer {
  std::string_view kind = {};
  const api::ObjectMeta* metadata = nullptr;
};
// By the first that has the annotation. `lineage` begins with the object itself.
Frozen frozen_by_annotation(std::span<const Freezer> lineage);

// --- by number ---

// A person's wish to have it thawed holds so long.
inline constexpr Seconds kThawHolds{60};

bool asks_for_thaw(const api::ObjectMeta& object);
// When a person thawed it last, now included; not set: never.
Time thawed_at(const api::ObjectMeta& object, Time now);
// What becomes of the annotations of an object that asks for it: the wish goes, and its time is noted.
void note_thaw(api::ObjectMeta& object, Time now);

// The condition says that it was frozen by number, and no person has thawed it since.
bool was_frozen_by_number(const api::Conditions& conditions, Time thawed);

struct NumberSeen {
  Time now = {};
  Time thawed = {};
  Count there = 0;  // Machines it owns, on their way out or not
  Wanted wanted = {};
  bool was_frozen = false;
};
Frozen frozen_by_number(const api::PolicyOvershoot& policy, const NumberSeen& seen);

}  // namespace capstan::controllers::safety
