#include "runtime/note.h"

#include "runtime/events.h"

namespace capstan::runtime {
namespace {

std::string_view event_reason(const Note& note) {
  return note.code == api::NoteCode::PhaseChanged ? std::string_view(note.about) : api::reason_of(note.code);
}

}  // namespace

void record_note(EventRecorder& events, const api::ObjectReference& object, const Note& note) {
  const std::string_view reason = event_reason(note);
  if (reason.empty()) return;
  const auto type = api::is_warning(note.code) ? EventType::Warning : EventType::Normal;
  events.record(object, type, reason, note.text);
}

void record_notes(EventRecorder& events, const api::ObjectReference& object, std::span<const Note> notes) {
  for (const Note& note : notes) record_note(events, object, note);
}

}  // namespace capstan::runtime
