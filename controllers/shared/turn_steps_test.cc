#include "controllers/shared/turn_steps.h"

#include <gtest/gtest.h>

namespace capstan::controllers {
namespace {

using runtime::Outcome;
using namespace std::chrono_literals;

const Error kConflict{.code = Code::Conflict, .message = "the object has been modified"};
const Error kRefused{.code = Code::Forbidden, .message = "not allowed"};

TEST(TurnsEnd, AsWantedWithoutErrors) {
  const auto outcome = ended({}, Outcome::after(30s));

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->again, 30s);
}

TEST(TurnsEnd, SoonAfterALostRaceAndWithoutAFailure) {
  const auto outcome = ended({kConflict}, Outcome::after(30s));

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->again, 200ms);
}

TEST(TurnsEnd, WithALostRaceWhereEveryErrorFails) {
  const auto failed = none_failed({kConflict, kRefused});

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::Conflict);
  EXPECT_TRUE(none_failed({}));
}

TEST(TurnsEnd, WithTheFirstErrorThatIsNoLostRace) {
  const auto outcome = ended({kConflict, kRefused}, Outcome::done());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::Forbidden);
}

}  // namespace
}  // namespace capstan::controllers
