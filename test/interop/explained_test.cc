#include "test/interop/explained.h"

#include <gmock/gmock.h>

namespace capstan::envtest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Explained kList[] = {{.pattern = "^get leases .* 404$", .why = "the first manager makes it"},
                               {.pattern = "^watch .* 429$", .why = "busy", .sometimes = "a quick server"}};

TEST(Explained, ALineThatNoRowMatchesIsUnexplained) {
  EXPECT_THAT(unexplained({"get leases /a 404", "get pods /a 403", "watch machines /b 429"}, kList),
              ElementsAre("get pods /a 403"));
}

TEST(Explained, ARowThatMatchesNothingIsNeedless) {
  EXPECT_THAT(needless(kList, {"watch machines /b 429"}), ElementsAre("^get leases .* 404$"));
}

TEST(Explained, ARowThatComesOnlySometimesIsNotMissed) {
  EXPECT_THAT(needless(kList, {"get leases /a 404"}), IsEmpty());
}

TEST(Explained, ErrorsOfALogThatIsNotThereAreNone) {
  EXPECT_THAT(errors_logged_in("/nowhere/a.log"), IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
