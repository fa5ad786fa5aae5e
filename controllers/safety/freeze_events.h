// Events of freezes, recorded by the reconcilers of what can be frozen. Safe from any thread.
#pragma once

#include "controllers/safety/frozen_condition.h"
#include "runtime/note.h"

namespace capstan::controllers::safety {

// Of an object whose conditions were `before` and are `after`.
inline void record_freeze(runtime::EventRecorder& events, const api::ObjectReference& object,
                          const api::Conditions& before, const api::Conditions& after) {
  if (const auto news = freeze_news(before, after)) runtime::record_note(events, object, *news);
}

}  // namespace capstan::controllers::safety
