#include "runtime/note.h"

#include <gmock/gmock.h>

#include "api/core/event.h"
#include "test/fakes/recorded_events.h"

namespace capstan::runtime {
namespace {

using api::NoteCode;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> recorded(const std::vector<Note>& notes) {
  fakes::RecordedEvents events;
  record_notes(events, {}, notes);
  return events.take();
}

TEST(Notes, BecomeEventsWithTheReasonOfTheirCode) {
  EXPECT_THAT(
      recorded({{.code = NoteCode::NodeFound, .text = "n1"},
                {.code = NoteCode::InvalidReference, .text = "spec.infrastructureRef: no such kind"}}),
      ElementsAre("Normal SuccessfulSetNodeRef: n1",
                  "Warning InvalidReference: spec.infrastructureRef: no such kind"));
}

TEST(Notes, OfAPhaseHaveThePhaseAsReason) {
  EXPECT_THAT(
      recorded({{.about = "Provisioned", .code = NoteCode::PhaseChanged, .text = "c is Provisioned"}}),
      ElementsAre("Normal Provisioned: c is Provisioned"));
}

TEST(Notes, ThatOnlyConditionsShowAreNoEvents) {
  EXPECT_THAT(recorded({{.code = NoteCode::ScaleDownHeldUp, .text = "the cache is behind"}}), IsEmpty());
}

}  // namespace
}  // namespace capstan::runtime
