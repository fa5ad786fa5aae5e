// News of a turn in words: what it is about, what kind of news, the sentence, since when. Made by decide()
// and report() of the core's controllers and the providers', recorded as Events, shown as lines of
// conditions. A plain value.
#pragma once

#include <span>
#include <string>

#include "api/notes.h"
#include "base/time.h"

namespace capstan::api {
struct ObjectReference;
}

namespace capstan::runtime {

class EventRecorder;

struct Note {
  std::string about = {};  // "MachineSet web-1"; empty: the object whose turn it is
  api::NoteCode code = api::NoteCode::InvalidReference;
  std::string text = {};
  Time since = {};  // unset: since this turn
  bool operator==(const Note&) const = default;
};

// An Event, if the note's code has a reason; of PhaseChanged `about` is the reason.
void record_note(EventRecorder& events, const api::ObjectReference& object, const Note& note);
void record_notes(EventRecorder& events, const api::ObjectReference& object, std::span<const Note> notes);

}  // namespace capstan::runtime
