// Events of freezes, recorded by the reconcilers of what can be frozen. Safe from any thread.
#pragma once

#include "controllers/safety/frozen_condition.h"
#include "runtime/events.h"

namespace capstan::controllers::safety {

// Of an object whose conditions were `before` and are `after`.
inline void record_freeze(runtime::EventRecorder& events, const api::ObjectReference& object,
                          const api::Conditions& before, const api::Conditions& after) {
  if (const auto news = freeze_news(before, after))
    events.record(object, runtime::EventType::Normal, news->reason, news->text);
}

}  // namespace capstan::controllers::safety
