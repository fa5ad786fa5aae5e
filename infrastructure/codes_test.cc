#include "infrastructure/codes.h"

#include <gmock/gmock.h>

namespace capstan::infrastructure {
namespace {

using Next = Reaction::Next;

TEST(DriverCodes, ReadBackAsTheyAreWritten) {
  for (std::size_t i = 0; i < kDriverCodes; ++i) {
    const auto code = static_cast<DriverCode>(i);
    EXPECT_EQ(parse_driver_code(to_string(code)), code);
  }
  EXPECT_EQ(parse_driver_code("Exausted"), std::nullopt);
}

TEST(Reactions, ToAnUnknownOutcomeAreToLookAgainSoon) {
  for (const DriverCode code :
       {DriverCode::Unknown, DriverCode::DeadlineExceeded, DriverCode::Aborted, DriverCode::Unavailable}) {
    const Reaction what = reaction(Verb::Create, code);
    EXPECT_EQ(what.next, Next::Retry);
    EXPECT_EQ(what.retry, Seconds(5)) << to_string(code);
    EXPECT_TRUE(what.quiet);
  }
}

TEST(Reactions, ToAFullCloudWaitLongAndLoudly) {
  const Reaction what = reaction(Verb::Create, DriverCode::ResourceExhausted);

  EXPECT_EQ(what.retry, Seconds(600));
  EXPECT_FALSE(what.quiet);
}

TEST(Reactions, ToAMissingVmDependOnTheVerb) {
  EXPECT_EQ(reaction(Verb::Remove, DriverCode::NotFound).next, Next::Done);
  EXPECT_EQ(reaction(Verb::Status, DriverCode::NotFound).next, Next::Absent);
  EXPECT_EQ(reaction(Verb::Create, DriverCode::NotFound).next, Next::Retry)
      << "an image, a network: not the VM";
}

// Only these two may let a creation go on; anything else taken for absence would make a second VM.
TEST(Reactions, OnlyTwoCodesProveThatThereIsNoVm) {
  for (std::size_t i = 0; i < kDriverCodes; ++i) {
    const auto code = static_cast<DriverCode>(i);
    const bool proves = code == DriverCode::NotFound || code == DriverCode::Unimplemented;
    EXPECT_EQ(reaction(Verb::Status, code).next == Next::Absent, proves) << to_string(code);
  }
}

// And only one lets a finalizer go.
TEST(Reactions, OnlyNotFoundEndsARemoval) {
  for (std::size_t i = 0; i < kDriverCodes; ++i) {
    const auto code = static_cast<DriverCode>(i);
    EXPECT_EQ(reaction(Verb::Remove, code).next == Next::Done, code == DriverCode::NotFound)
        << to_string(code);
  }
}

TEST(Reactions, TakeTheDriversOwnWordWhenItIsLonger) {
  const DriverError patient{.code = DriverCode::Unavailable, .retry_after = Seconds(30)};
  const DriverError hasty{.code = DriverCode::ResourceExhausted, .retry_after = Seconds(1)};

  EXPECT_EQ(reaction(Verb::Create, patient).retry, Seconds(30));
  EXPECT_EQ(reaction(Verb::Create, hasty).retry, Seconds(600));
}

TEST(Reactions, ComeBackSoonToADriverThatWasBusy) {
  const DriverError busy{.code = DriverCode::Unavailable, .busy = true};

  EXPECT_EQ(reaction(Verb::Create, busy).retry, Seconds(1));
  EXPECT_TRUE(reaction(Verb::Create, busy).quiet);
}

TEST(DriverState, IsKeptAsLongAsTheCallMayGoOn) {
  const DriverError again{.code = DriverCode::DeadlineExceeded};
  const DriverError further{.code = DriverCode::DeadlineExceeded, .last_known_state = "step 2"};
  const DriverError over{.code = DriverCode::InvalidArgument};

  EXPECT_EQ(state_after(again, "step 1"), "step 1");
  EXPECT_EQ(state_after(further, "step 1"), "step 2");
  EXPECT_EQ(state_after(over, "step 1"), "");
}

}  // namespace
}  // namespace capstan::infrastructure
