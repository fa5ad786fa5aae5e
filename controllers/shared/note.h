// Notes, as the controllers call them. What they are: runtime/note.h. A plain value.
#pragma once

#include "runtime/note.h"

namespace capstan::controllers {

using runtime::Note;
using runtime::record_note;
using runtime::record_notes;

}  // namespace capstan::controllers
