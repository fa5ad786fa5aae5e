// Whether an object of a provider is ready, and what becomes of that: the conditions Ready and Paused of its
// status, and a note when Ready turns False for another reason than before. What the controllers of all our
// providers have in common. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "runtime/note.h"
#include "runtime/paused.h"

namespace capstan::runtime {

// What the condition Ready says.
struct Readiness {
  std::optional<api::NoteCode> obstacle = {};  // nothing: it is ready
  std::string message = {};
  bool silent = false;  // without an Event: it passes by itself
  bool operator==(const Readiness&) const = default;
};

// Another object comes first. Handing over takes a moment in every healthy creation, and a condition for it
// would be a write for nothing: it is shown when it lasts.
struct Waiting {
  api::NoteCode code = api::NoteCode::WaitingForOwner;
  std::string message = {};
  bool shown = true;
  bool operator==(const Waiting&) const = default;
};

// Zero for an object that has no time of creation yet.
Seconds age_of(const api::ObjectMeta& object, Time now);
// How long the object waits before that is shown; nothing: it has waited for long enough.
std::optional<Seconds> until_shown(const api::ObjectMeta& object, Time now);

// What a turn found out about an object.
struct Conclusion {
  std::optional<Readiness> readiness = {};  // nothing: Ready stays as it is
  Paused paused = {};
  Time now = {};
};

// Ready; the note, if that is one.
std::vector<Note> set_ready(api::Conditions& conditions, const Conclusion& conclusion,
                            std::int64_t generation);
// Paused, and the order of the list. `changed`: the status has other news anyway.
void set_paused(api::Conditions& conditions, const Conclusion& conclusion, bool changed,
                std::int64_t generation);

// Both, and the observed generation, in the status of `after`, which was `before` when the turn began.
template <typename Object>
std::vector<Note> conclude(Object& after, const decltype(Object::status)& before,
                           const Conclusion& conclusion) {
  auto& conditions = after.status.conditions;
  const std::int64_t generation = after.metadata.generation;
  auto notes = set_ready(conditions, conclusion, generation);
  set_paused(conditions, conclusion, !(after.status == before), generation);
  if (!(after.status == before)) after.status.observed_generation = generation;
  return notes;
}

}  // namespace capstan::runtime
