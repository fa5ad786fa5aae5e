#include "controllers/inplace/update_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/machine.h"

namespace capstan::controllers::inplace {
namespace {

using builders::a_machine;
using builders::noon;
using testing::HasSubstr;

api::Machine marked(std::string_view text) {
  return a_machine().annotated(api::policy::annotation::kInPlaceUpdate, text).build();
}

TEST(UpdateMark, IsReadAsItWasWritten) {
  const UpdateMark mark{.set = "new", .step = UpdateStep::Failed, .since = noon(), .why = "kubelet is down"};

  EXPECT_EQ(update_mark_of(marked(to_text(mark))), mark);
}

TEST(UpdateMark, OneThatMeansNothingIsNone) {
  for (const auto* text : {"", "new", "new Resting 2026-01-01T12:00:00Z", "new Draining yesterday"}) {
    EXPECT_EQ(update_mark_of(marked(text)), std::nullopt) << text;
    EXPECT_TRUE(is_marked(marked(text)));
  }
  EXPECT_FALSE(is_marked(a_machine().build()));
}

TEST(UpdateMark, IsToldByTheConditionUpdating) {
  const auto going = updating_condition(marked("new Draining 2026-01-01T12:00:00Z"));
  ASSERT_TRUE(going);
  EXPECT_EQ(going->reason, api::reason::kInPlaceUpdating);

  const auto failed = updating_condition(marked("new Failed 2026-01-01T12:00:00Z kubelet is down"));
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->reason, api::reason::kInPlaceUpdateFailed);
  EXPECT_THAT(failed->message.str(), HasSubstr("kubelet is down"));

  EXPECT_FALSE(updating_condition(a_machine().build()));
}

}  // namespace
}  // namespace capstan::controllers::inplace
